/* greppy and git-greppy, where a compiler was there: asks the daemon, and on any trouble at all becomes the Python
 * program with the same arguments, which answers the same without one.
 *
 * In: argv, the environment, the current folder. Out: the daemon's answer, kept back until it is whole, so that a daemon
 * that is killed changes nothing. An answer that is large or slow is passed on as it comes; when the daemon ends in the
 * middle of one, the Python program gives it again and what was passed on already is left out.
 *
 * The protocol is told in greppy/daemon/protocol.py. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* struct ucred */
#endif

#include "reply.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

#ifndef GREPPY_VERSION
#define GREPPY_VERSION "0"
#endif

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

enum {
    MOST_REQUEST = 1 << 20,
    MOST_KEPT = 1 << 23,
    MOST_PATH = 107,
    LONGEST_NAME = 4096,
    PIECE = 1 << 16,
    SILENCE_MS = 2000,
    KEEP_MS = 300, /* an answer that takes longer is passed on as it comes */
    INTERRUPTED = 130,
    READER_GONE = 141,
    CANNOT_WRITE = 3
};

#define PYTHON_PROGRAM "greppy-py"
#define ASKED "GREPPY_DAEMON_ASKED"

extern char **environ;

typedef struct {
    uint8_t *data;
    size_t used, room;
} Bytes;

static struct sigaction before_pipe;
static char **arguments;

/* ---- Becoming the Python program ---- */

static int own_path(char *path, size_t size)
{
#ifdef __APPLE__
    char raw[LONGEST_NAME];
    uint32_t room = sizeof raw;
    return _NSGetExecutablePath(raw, &room) == 0 && size >= LONGEST_NAME && realpath(raw, path) != NULL ? 0 : -1;
#else
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    if (length <= 0)
        return -1;
    path[length] = '\0';
    return 0;
#endif
}

/* The script that pip writes imports `re`, which costs half of what starting the interpreter does, before it calls main:
 * where it is that script, its interpreter is asked to call main at once. -P as for a script: nothing is imported from
 * the current folder. */
static void become_interpreter(const char *script)
{
    static char head[1024];
    FILE *file = fopen(script, "r");
    size_t length = file == NULL ? 0 : fread(head, 1, sizeof head - 1, file);
    int count = 0;
    if (file != NULL)
        fclose(file);
    head[length] = '\0';
    char *interpreter = head + 2, *end = strchr(head, '\n');
    if (strncmp(head, "#!/", 3) != 0 || end == NULL || strstr(end, "\nfrom greppy.cli.main import main\n") == NULL)
        return;
    *end = '\0';
    if (strpbrk(interpreter, " \t") != NULL || strstr(interpreter, "/python") == NULL)
        return;
    while (arguments[count] != NULL)
        count++;
    char **all = calloc((size_t)count + 4, sizeof *all);
    if (all == NULL)
        return;
    all[0] = interpreter;
    all[1] = "-P";
    all[2] = "-c";
    all[3] = "import sys; from greppy.cli.main import main; sys.exit(main())";
    for (int at = 1; at < count; at++)
        all[at + 3] = arguments[at];
    execv(interpreter, all);
    free(all);
}

/* Ctrl-C waits until the Python program can receive it: its interpreter would print a traceback while it starts. */
static void hold_interrupts(void)
{
    struct sigaction now;
    sigset_t interrupts;
    sigemptyset(&interrupts);
    sigaddset(&interrupts, SIGINT);
    if (sigaction(SIGINT, NULL, &now) == 0 && now.sa_handler != SIG_IGN)
        sigprocmask(SIG_BLOCK, &interrupts, NULL);
}

static void become_python(void)
{
    char path[LONGEST_NAME + sizeof PYTHON_PROGRAM];
    char *slash;
    int known = own_path(path, LONGEST_NAME) == 0 && (slash = strrchr(path, '/')) != NULL;
    sigaction(SIGPIPE, &before_pipe, NULL);
    hold_interrupts();
    if (known) {
        strcpy(slash + 1, PYTHON_PROGRAM);
        become_interpreter(path);
        execv(path, arguments);
    }
    fprintf(stderr, "Error: cannot start %s: %s\ninstall git-greppy again\n", known ? path : PYTHON_PROGRAM,
            strerror(errno));
    _exit(CANNOT_WRITE);
}

static void do_it_ourselves(int asked)
{
    if (asked)
        setenv(ASKED, "1", 1);
    become_python();
}

/* ---- Bytes ---- */

static int append(Bytes *bytes, const void *data, size_t size)
{
    if (bytes->used + size > bytes->room) {
        size_t room = 2 * (bytes->used + size) + 1024;
        uint8_t *grown = realloc(bytes->data, room);
        if (grown == NULL)
            return -1;
        bytes->data = grown;
        bytes->room = room;
    }
    memcpy(bytes->data + bytes->used, data, size);
    bytes->used += size;
    return 0;
}

static int append_field(Bytes *bytes, const char *text) { return append(bytes, text, strlen(text) + 1); }

static int append_number(Bytes *bytes, unsigned number)
{
    char text[16];
    snprintf(text, sizeof text, "%u", number);
    return append_field(bytes, text);
}

/* ---- The request ---- */

static int is_relevant(const char *variable)
{
    static const char *const names[] = {"HOME=", "LANG=", "LANGUAGE=", "NO_COLOR=", "PAGER=", "PATH=",
                                        "TERM=", "TMPDIR=", "XDG_CONFIG_HOME=", "GIT_", "GREPPY_", "LC_"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(variable, names[i], strlen(names[i])) == 0)
            return strchr(variable, '=') != NULL;
    return 0;
}

static int is_one_file(int a, int b)
{
    struct stat first, second;
    return fstat(a, &first) == 0 && fstat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

static int append_place(Bytes *request)
{
    char cwd[LONGEST_NAME];
    struct winsize window = {0};
    int terminal = isatty(1);
    if (getcwd(cwd, sizeof cwd) == NULL || cwd[0] != '/')
        return -1;
    if (terminal && ioctl(1, TIOCGWINSZ, &window) < 0)
        memset(&window, 0, sizeof window);
    const char *flags = is_one_file(1, 2) ? (terminal ? "tj" : "j") : (terminal ? "t" : "");
    return append_field(request, GREPPY_VERSION) || append_field(request, flags) ||
                   append_number(request, window.ws_col) || append_number(request, window.ws_row) ||
                   append_field(request, cwd)
               ? -1
               : 0;
}

static int make_request(Bytes *request, int count, char **words)
{
    if (append(request, "R\0\0\0\0", REPLY_HEAD) || append_place(request) || append_number(request, (unsigned)count))
        return -1;
    for (int i = 0; i < count; i++)
        if (append_field(request, words[i]) || request->used > MOST_REQUEST)
            return -1;
    for (char **variable = environ; *variable != NULL; variable++)
        if (is_relevant(*variable) && (append_field(request, *variable) || request->used > MOST_REQUEST))
            return -1;
    size_t length = request->used - REPLY_HEAD;
    for (int i = 0; i < 4; i++)
        request->data[1 + i] = (uint8_t)(length >> (24 - 8 * i));
    return 0;
}

/* ---- The connection ---- */

static int socket_path(char *path, size_t size)
{
    const char *named = getenv("GREPPY_DAEMON_SOCKET"), *home = getenv("GREPPY_HOME"), *user = getenv("HOME");
    int length;
    if (named != NULL && *named != '\0')
        length = snprintf(path, size, "%s", named);
    else if (home != NULL && *home != '\0' && *home != '~')
        length = snprintf(path, size, "%s/daemon.sock", home);
    else if (home != NULL && *home == '~' && home[1] != '/')
        return -1;
    else if (user == NULL || *user == '\0')
        return -1;
    else
        length = snprintf(path, size, "%s/%s/daemon.sock", user, home != NULL && *home ? home + 2 : ".greppy");
    return length > 0 && (size_t)length < size ? 0 : -1;
}

static int is_ours(int fd)
{
#if defined(SO_PEERCRED)
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
#else
    uid_t user;
    gid_t group;
    return getpeereid(fd, &user, &group) == 0 && user == geteuid();
#endif
}

static int connect_to(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int made = socket(AF_UNIX, SOCK_STREAM, 0);
    int fd = made < 0 ? -1 : fcntl(made, F_DUPFD_CLOEXEC, 3);
    if (made >= 0)
        close(made);
    if (fd < 0)
        return -1;
    memcpy(address.sun_path, path, strlen(path) + 1);
    /* Without waiting: a queue that is full is answered by doing it ourselves. */
    if (fcntl(fd, F_SETFL, O_NONBLOCK) == 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
        is_ours(fd))
        return fd;
    close(fd);
    return -1;
}

static int wait_for(int fd, short events, int milliseconds)
{
    struct pollfd wanted = {.fd = fd, .events = events};
    int ready;
    do
        ready = poll(&wanted, 1, milliseconds);
    while (ready < 0 && errno == EINTR);
    return ready > 0 ? 0 : -1;
}

static int send_all(int fd, const uint8_t *data, size_t size)
{
    while (size > 0) {
        ssize_t sent = send(fd, data, size, MSG_NOSIGNAL);
        if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
            if (wait_for(fd, POLLOUT, SILENCE_MS) < 0)
                return -1;
            continue;
        }
        if (sent < 0)
            return -1;
        data += sent;
        size -= (size_t)sent;
    }
    return 0;
}

/* ---- Passing on ---- */

static void end_for_output(int number)
{
    if (number == EPIPE)
        _exit(READER_GONE);
    dprintf(2, "Error: cannot write the output: %s\nmake room or send it elsewhere\n", strerror(number));
    _exit(CANNOT_WRITE);
}

/* That nobody can read stderr must not change the answer. */
static void write_all(int fd, const uint8_t *data, size_t size)
{
    while (size > 0) {
        ssize_t written = write(fd, data, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0 && errno == EAGAIN) {
            wait_for(fd, POLLOUT, -1);
            continue;
        }
        if (written < 0 && fd == 2)
            return;
        if (written < 0)
            end_for_output(errno);
        data += written;
        size -= (size_t)written;
    }
}

/* What was kept back: pieces, each with its descriptor and size before it. `passed` counts what was written, by
 * descriptor. */
typedef struct {
    Bytes pieces;
    size_t passed[3];
    int passing;
} Output;

typedef struct {
    int fd;
    size_t size;
} Piece;

static void pass_on(Output *output)
{
    for (size_t at = 0; at < output->pieces.used;) {
        Piece piece;
        memcpy(&piece, output->pieces.data + at, sizeof piece);
        at += sizeof piece;
        write_all(piece.fd, output->pieces.data + at, piece.size);
        output->passed[piece.fd] += piece.size;
        at += piece.size;
    }
    output->pieces.used = 0;
}

static int keep(void *context, int fd, const uint8_t *data, size_t size)
{
    Output *output = context;
    Piece piece = {fd, size};
    if (append(&output->pieces, &piece, sizeof piece) < 0 || append(&output->pieces, data, size) < 0)
        return -1;
    if (output->pieces.used > MOST_KEPT)
        output->passing = 1;
    if (output->passing)
        pass_on(output);
    return 0;
}

static long milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The exit status, or -1 when the answer is not whole. */
static int receive(int fd, Output *output)
{
    static uint8_t data[PIECE];
    Reply reply = {0};
    long began = milliseconds();
    for (;;) {
        ssize_t size = recv(fd, data, sizeof data, 0);
        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0 && errno == EAGAIN) {
            if (wait_for(fd, POLLIN, SILENCE_MS) < 0)
                return -1;
            continue;
        }
        if (size <= 0)
            return -1;
        switch (reply_feed(&reply, data, (size_t)size, keep, output)) {
        case REPLY_DONE:
            return reply.status;
        case REPLY_BAD:
            return -1;
        case REPLY_MORE:
            break;
        }
        if (!output->passing && output->pieces.used && milliseconds() - began > KEEP_MS) {
            output->passing = 1;
            pass_on(output);
        }
    }
}

/* ---- When the daemon ended in the middle of an answer ---- */

/* Reads what comes, leaves out what was passed on already, and passes on the rest; 0 at the end. */
static int pass_rest(int from, int to, size_t *skip)
{
    static uint8_t data[PIECE];
    ssize_t size = read(from, data, sizeof data);
    if (size <= 0)
        return size < 0 && errno == EINTR;
    size_t left_out = *skip < (size_t)size ? *skip : (size_t)size;
    *skip -= left_out;
    write_all(to, data + left_out, (size_t)size - left_out);
    return 1;
}

static void answer_again(Output *output)
{
    int out[2], err[2], status;
    if (isatty(1) || pipe(out) < 0 || pipe(err) < 0) {
        dprintf(2, "Error: the daemon ended in the middle of an answer\nrun it again\n");
        _exit(CANNOT_WRITE);
    }
    pid_t child = fork();
    if (child == 0) {
        dup2(out[1], 1);
        dup2(err[1], 2);
        for (int i = 0; i < 2; i++) {
            close(out[i]);
            close(err[i]);
        }
        do_it_ourselves(1);
    }
    close(out[1]);
    close(err[1]);
    struct pollfd ends[2] = {{.fd = out[0], .events = POLLIN}, {.fd = err[0], .events = POLLIN}};
    while (ends[0].fd >= 0 || ends[1].fd >= 0) {
        if (poll(ends, 2, -1) < 0 && errno != EINTR)
            break;
        for (int i = 0; i < 2; i++)
            if (ends[i].fd >= 0 && ends[i].revents && !pass_rest(ends[i].fd, i + 1, &output->passed[i + 1]))
                ends[i].fd = -1;
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            _exit(CANNOT_WRITE);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

/* ---- The program ---- */

static void end_on_interrupt(int number)
{
    (void)number;
    _exit(INTERRUPTED);
}

static void prepare_signals(void)
{
    struct sigaction action = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &action, &before_pipe);
    action.sa_handler = end_on_interrupt;
    /* Who started us to ignore it wants it ignored. */
    if (sigaction(SIGINT, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGINT, &action, NULL);
}

static void open_missing_streams(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", O_RDWR) != fd)
            _exit(CANNOT_WRITE);
}

/* A connection to the daemon of this user, or -1. */
static int find_daemon(int count, char **words)
{
    char path[MOST_PATH + 1];
    struct stat found;
    const char *never = getenv("GREPPY_NO_DAEMON");
    if (count == 0 || strcmp(words[0], "daemon") == 0 || (never != NULL && *never != '\0'))
        return -1;
    if (socket_path(path, sizeof path) < 0 || lstat(path, &found) < 0)
        return -1;
    return S_ISSOCK(found.st_mode) && found.st_uid == geteuid() ? connect_to(path) : -1;
}

int main(int argc, char **argv)
{
    Bytes request = {0};
    Output output = {0};
    arguments = argv;
    prepare_signals();
    open_missing_streams();
    if (argc < 1)
        return CANNOT_WRITE;
    int fd = find_daemon(argc - 1, argv + 1);
    if (fd < 0)
        become_python();
    int status = -1;
    if (make_request(&request, argc - 1, argv + 1) == 0 && send_all(fd, request.data, request.used) == 0)
        status = receive(fd, &output);
    free(request.data);
    close(fd);
    if (status < 0 && output.passing)
        answer_again(&output);
    if (status < 0)
        do_it_ourselves(1);
    pass_on(&output);
    free(output.pieces.data);
    return status;
}
