"""`greppy doctor`: is everything as it should be, and what to do where it is not. Cold.

In: a `Parsed`. Out: a line or two for each finding as soon as it is known, or one JSON document; 0 when nothing is
wrong (or no longer, with --fix), else 3. `CHECKS` is where checks of layers above the index are added.
"""

from __future__ import annotations

from greppy.cli.environment import Environment, current_folder, existing_folder
from greppy.cli.parse import Parsed
from greppy.config import Config, load_config
from greppy.errors import GreppyError, NoProject
from greppy.git.project import Project, find_project
from greppy.index import doctor
from greppy.index.doctor.finding import Check, Outcome, Place
from greppy.output.doctor import doctor_values, outcome_lines, summary_line
from greppy.output.json_text import to_json
from greppy.output.stream import look_at_screen, write_text
from greppy.search.history.check import check_histories

CHECKS: tuple[Check, ...] = (*doctor.CHECKS, check_histories)

_WRONG = 3


def run(parsed: Parsed, environment: Environment) -> int:
    """Make every check; with --fix repair what can be repaired."""
    place = _place(parsed, environment)
    as_json = parsed.flag("json")
    color = not as_json and look_at_screen(place.config.color, environment.plain).color
    outcomes: list[Outcome] = []
    for outcome in doctor.examine(place, CHECKS, parsed.flag("fix")):
        outcomes.append(outcome)
        if not as_json:
            write_text(outcome_lines(outcome, color))
    write_text(to_json(doctor_values(outcomes)) + "\n" if as_json else summary_line(outcomes))
    return _WRONG if any(outcome.is_wrong for outcome in outcomes) else 0


def _place(parsed: Parsed, environment: Environment) -> Place:
    trouble = ""
    try:
        config = load_config(environment.home)
    except GreppyError as error:
        config, trouble = Config(), error.message
    return Place(environment.home, config, _project(parsed), trouble)


def _project(parsed: Parsed) -> Project | None:
    """The project here, if there is one; one that was named must be there."""
    name = parsed.text("project")
    if name is not None:
        return find_project(existing_folder(name))
    try:
        return find_project(current_folder())
    except NoProject:
        return None
