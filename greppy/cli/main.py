"""The program: argv in, exit status out; the one place where errors become messages and statuses. HOT.

0 results, 1 none, 2 no project, 3 index or output error, 4 bad arguments, 5 nothing found and not everything could be
searched, 130 Ctrl-C, 141 the reader of stdout left.
"""

from __future__ import annotations

import atexit
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Sequence

    from greppy.cli.environment import Environment
    from greppy.cli.parse import Parsed
    from greppy.daemon.warm import Warm
    from greppy.errors import GreppyError
else:
    import _signal as signal  # `signal` itself imports enum, which costs more than all that is needed here

INTERRUPTED = 130
READER_GONE = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program on `argv` (default: the process's own) and return its exit status.

    As a program of its own it ends the process at once: taking the interpreter down costs a fifth of a warm search.
    Nothing but the standard library's cheapest is imported outside of the `try`, so that Ctrl-C finds it early.
    """
    try:
        if argv is None:
            _let_interrupts_in()
        _open_missing_streams()
        status = run_guarded(list(sys.argv[1:] if argv is None else argv))
        if argv is None:
            _end_on_interrupt()
    except KeyboardInterrupt:
        status = INTERRUPTED
    if argv is None:
        _leave(status)
    return status


def _let_interrupts_in() -> None:
    """Receive Ctrl-C, which the native client holds back until here, where no traceback can come of it. At the very
    end, when all is done and Python has no handlers any more, it comes too late."""
    sys.unraisablehook = _interrupt_again
    if hasattr(signal, "pthread_sigmask"):
        atexit.register(signal.pthread_sigmask, signal.SIG_BLOCK, (signal.SIGINT,))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT,))


def _interrupt_again(lost: sys.UnraisableHookArgs) -> None:
    """Have Ctrl-C come once more, where Python drops and prints what is raised: in callbacks; importing has one."""
    if lost.exc_type is KeyboardInterrupt:
        import _thread

        _thread.start_new_thread(_interrupt_soon, ())
    else:
        sys.__unraisablehook__(lost)


def _interrupt_soon() -> None:
    import time

    time.sleep(0.001)
    os.kill(os.getpid(), signal.SIGINT)


def _end_on_interrupt() -> None:
    """Have Ctrl-C end the process at once from now on: nobody is left to catch an exception."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda _number, _frame: os._exit(INTERRUPTED))


def _open_missing_streams() -> None:
    """Put /dev/null where a standard stream was closed, or the next file opened, an index perhaps, would take its place
    and be written to."""
    for fd, stream in enumerate((sys.stdin, sys.stdout, sys.stderr)):
        if stream is None:
            opened = os.open(os.devnull, os.O_RDWR)
            if opened != fd:
                os.dup2(opened, fd)
                os.close(opened)
            os.set_inheritable(fd, True)


def _leave(status: int) -> None:
    """Exit without tearing down, unless threads or processes (or what watches them) have to be waited for."""
    if status == INTERRUPTED:
        _end_on_interrupt()
    if "threading" in sys.modules:
        return
    try:
        sys.stderr.flush()  # a library may have warned there
    finally:
        os._exit(status)


def run_guarded(argv: list[str], warm: Warm | None = None, window: tuple[int, int] | None = None) -> int:
    """Run the program on `argv`; every error becomes a message and a status. A daemon gives what is `warm`, and the
    size of its client's terminal, if that has one."""
    from greppy.output.stream import ReaderGone

    try:
        return _run(argv, warm, window)
    except KeyboardInterrupt:
        return INTERRUPTED
    except ReaderGone:
        return READER_GONE
    except Exception as error:
        return INTERRUPTED if _is_of_interrupt(error) else _fail(error, argv)


def _is_of_interrupt(error: BaseException | None) -> bool:
    """Whether something failed while Ctrl-C was on its way out: a descriptor that was closed already, say."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None


def _fail(error: Exception, argv: list[str]) -> int:
    """Make any error a message and a status."""
    from greppy.errors import GreppyError, IndexFailure, IoFailure

    if isinstance(error, GreppyError):
        return _report(error, argv)
    if isinstance(error, OSError):
        shown: GreppyError = IoFailure(_os_message(error), "check the disk and its permissions")
    elif isinstance(error, MemoryError):
        shown = IndexFailure("out of memory", "set [index] workers = 1 in config.toml")
    else:
        hint = "run it again with GREPPY_LOG=debug for a traceback, and report it"
        shown = IndexFailure(f"unexpected {type(error).__name__}: {error}", hint)
    return _report_unexpected(error, shown, argv)


def _os_message(error: OSError) -> str:
    name = error.filename
    where = f"{os.fsdecode(name)}: " if isinstance(name, str | bytes) else ""
    return where + (error.strerror or str(error) or type(error).__name__)


def _report_unexpected(error: BaseException, shown: GreppyError, argv: list[str]) -> int:
    from greppy import log

    if log.enabled("debug", "greppy.cli"):
        from traceback import format_exception

        from greppy.output.stream import write_error

        write_error("".join(format_exception(error)))
    return _report(shown, argv)


def _report(error: GreppyError, argv: list[str]) -> int:
    """Say `error` on stdout as JSON where JSON was asked for and can be written, else on stderr."""
    from greppy.errors import IoFailure
    from greppy.log import printable
    from greppy.output.stream import ReaderGone, write_error, write_text

    if _wants_json(argv):
        from greppy.output.json_text import render_error

        try:
            write_text(render_error(error))
            return error.exit_status
        except ReaderGone:
            return READER_GONE
        except IoFailure as unwritable:
            error = unwritable
    lines = [f"Error: {error.message}", *([error.hint] if error.hint else [])]
    write_error("".join(printable(line) + "\n" for line in lines))
    return error.exit_status


def _wants_json(argv: list[str]) -> bool:
    """Whether `argv`, which may not parse at all, asks for JSON: `--json`, `-j`, or `-j` first in a group;
    `query` in any form but two."""
    options = argv[: argv.index("--")] if "--" in argv else argv
    if options[:1] == ["query"]:
        return not {"table", "compact", "--format=table", "--format=compact"}.intersection(options)
    return any(word == "--json" or word.startswith("-j") for word in options)


def _run(argv: list[str], warm: Warm | None, window: tuple[int, int] | None) -> int:
    from greppy import log
    from greppy.cli.environment import read_environment
    from greppy.cli.options import VERSION_FLAG
    from greppy.cli.parse import parse

    environment = read_environment()
    if warm is not None:
        environment.warm, environment.window = warm, window
    elif _may_ask_daemon(environment, argv):
        status = _ask_daemon(environment.socket, argv)
        if status is not None:
            return status
    log.configure(environment.log)
    if not argv:
        return _help_without_question()
    if argv[0] == VERSION_FLAG:
        return _print_version()
    parsed = parse(argv)
    if parsed is None:
        from greppy.cli.app import parse_with_click

        outcome = parse_with_click(argv)
        if isinstance(outcome, int):
            return outcome
        parsed = outcome
    return _run_verb(parsed, environment)


def _may_ask_daemon(environment: Environment, argv: list[str]) -> bool:
    """Whether there may be a daemon that was not asked yet: the native client asks before it starts this program."""
    asked = os.environ.pop("GREPPY_DAEMON_ASKED", "")
    return not asked and argv[:1] not in ([], ["daemon"]) and os.path.lexists(environment.socket)


def _ask_daemon(socket: bytes, argv: list[str]) -> int | None:
    """The exit status after the daemon's answer was passed on; None where it has none."""
    from greppy.daemon.client import Broken, ask
    from greppy.output.stream import write_either

    try:
        return ask(socket, argv, write_either)
    except Broken:
        from greppy.errors import DaemonFailure

        raise DaemonFailure("the daemon ended in the middle of an answer", "run it again") from None


def _run_verb(parsed: Parsed, environment: Environment) -> int:
    status = _run_it(parsed, environment)
    if parsed.verb in ("search", "query", "grep") and environment.socket and environment.warm is None:
        _autostart(environment)
    return status


def _autostart(environment: Environment) -> None:
    """Start a daemon behind the answer, where that is wanted and none is there."""
    from greppy.config import load_config

    config = load_config(environment.home)
    if config.daemon_autostart and not os.path.lexists(environment.socket):
        from greppy.cli.daemon import autostart

        autostart(environment, config)


def _run_it(parsed: Parsed, environment: Environment) -> int:
    if parsed.verb == "search":
        from greppy.cli import search

        return search.run(parsed, environment)
    if parsed.verb == "query":
        from greppy.cli import query

        return query.run(parsed, environment)
    if parsed.verb == "grep":
        from greppy.cli import grep

        return grep.run(parsed, environment)
    from greppy.cli.verbs import run_verb

    return run_verb(parsed, environment)


def _help_without_question() -> int:
    from greppy.cli.app import short_help
    from greppy.errors import BadArguments
    from greppy.output.stream import write_error

    write_error(short_help())
    return BadArguments.exit_status


def _print_version() -> int:
    from greppy import __version__
    from greppy.output.stream import write_text

    write_text(f"greppy {__version__}\n")
    return 0
