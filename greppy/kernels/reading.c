/* Reading many files in several threads, keeping of each what the caller wants. */

#ifndef _WIN32

#include "reading.h"

#include "folders.h"
#include "needles.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

/* FILES are read by a thread before it asks for more: neighbours share their folders. From 2 * FILES on a second thread
 * saves more than it costs; more than four gain little where one lock guards a folder's entries. */
enum { FILES = 16, MOST_THREADS = 4, SPARE = 1 << 16 };

typedef struct {
    const Reading *reading;
    int root, root_error;
    atomic_size_t next;
    atomic_int no_memory;
    Outcome *outcomes;
} Job;

/* All bytes of a file that is expected to have `size`; one more is asked for, to see that it has not grown. */
static int read_all(int fd, uint64_t size, uint64_t limit, Bytes *text)
{
    text->used = 0;
    for (;;) {
        size_t more = text->used ? SPARE : (size_t)size + 1;
        if (grow(&text->data, &text->capacity, text->used + more, 1) < 0)
            return ENOMEM;
        ssize_t got = read(fd, text->data + text->used, more);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? errno : 0;
        text->used += (size_t)got;
        if (text->used > limit)
            return EFBIG;
        if (text->used == size)
            return 0;
    }
}

static int read_regular(int fd, uint64_t limit, Bytes *text)
{
    struct stat found;
    if (fstat(fd, &found) < 0)
        return errno;
    if (!S_ISREG(found.st_mode))
        return S_ISDIR(found.st_mode) ? EISDIR : ENXIO;
    if ((uint64_t)found.st_size > limit)
        return EFBIG;
    return read_all(fd, (uint64_t)found.st_size, limit, text);
}

static void read_one(const Job *job, Folders *folders, const char *path, Bytes *text, Outcome *outcome)
{
    const Reading *reading = job->reading;
    int fd;
    do
        fd = job->root_error ? -1 : open_file(folders, path);
    while (fd < 0 && !job->root_error && errno == EINTR);
    if (fd < 0) {
        outcome->error = job->root_error ? job->root_error : errno;
        return;
    }
    outcome->error = read_regular(fd, (uint64_t)reading->limit, text);
    close(fd);
    if (!outcome->error)
        outcome->error = reading->keep(reading->how, path, text, outcome);
}

static void *read_files(void *arg)
{
    Job *job = arg;
    const Reading *reading = job->reading;
    Folders folders = {.root = job->root};
    Bytes text = {0};
    size_t begin, count = files_of(reading);
    while ((begin = atomic_fetch_add(&job->next, FILES)) < count) {
        size_t end = begin + FILES < count ? begin + FILES : count;
        for (size_t i = begin; i < end; i++) {
            uint32_t ordinal = load_u32(reading->wanted.buf, (int64_t)i);
            const char *path = (const char *)reading->table.buf + load_u32(reading->starts.buf, ordinal);
            read_one(job, &folders, path, &text, &job->outcomes[i]);
            if (job->outcomes[i].error == ENOMEM)
                atomic_store(&job->no_memory, 1);
        }
    }
    close_folders(&folders);
    free(text.data);
    return NULL;
}

static void run(Job *job)
{
    pthread_t threads[MOST_THREADS];
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t started = 0, useful = files_of(job->reading) / FILES;
    useful = useful > MOST_THREADS ? MOST_THREADS : useful;
    useful = processors > 0 && (size_t)processors < useful ? (size_t)processors : useful;
    job->root = open_root(job->reading->root);
    job->root_error = job->root < 0 ? errno : 0;
    while (started + 1 < useful && pthread_create(&threads[started], NULL, read_files, job) == 0)
        started++;
    read_files(job);
    while (started)
        pthread_join(threads[--started], NULL);
    if (job->root >= 0)
        close(job->root);
}

size_t files_of(const Reading *reading) { return (size_t)reading->wanted.len / 4; }

static const char *problem_of(const Reading *reading)
{
    const Py_buffer *table = &reading->table;
    if (table->len && ((const char *)table->buf)[table->len - 1] != '\0')
        return "the last path of the table must end with a NUL";
    for (size_t i = 0; i < files_of(reading); i++) {
        uint32_t path = load_u32(reading->wanted.buf, (int64_t)i);
        if (path >= reading->starts.len / 4 || load_u32(reading->starts.buf, path) >= table->len)
            return "a wanted path is not in the table";
    }
    if (reading->limit < 0)
        return "the limit must not be negative";
    return *reading->root == '\0' ? "the root must be named" : NULL;
}

int can_read(const Reading *reading)
{
    if (!whole_numbers(&reading->starts, 4) || !whole_numbers(&reading->wanted, 4))
        return 0;
    return refused(problem_of(reading)) == 0;
}

Outcome *read_outcomes(const Reading *reading)
{
    size_t count = files_of(reading);
    Job job = {.reading = reading, .outcomes = calloc(count + 1, sizeof *job.outcomes)};
    if (job.outcomes != NULL) {
        Py_BEGIN_ALLOW_THREADS
        run(&job);
        Py_END_ALLOW_THREADS
    }
    if (job.outcomes != NULL && !job.no_memory)
        return job.outcomes;
    free_outcomes(job.outcomes, count);
    PyErr_NoMemory();
    return NULL;
}

void free_outcomes(Outcome *outcomes, size_t count)
{
    for (size_t i = 0; outcomes != NULL && i < count; i++)
        free(outcomes[i].data);
    free(outcomes);
}

void close_reading(Reading *reading)
{
    PyBuffer_Release(&reading->table);
    PyBuffer_Release(&reading->starts);
    PyBuffer_Release(&reading->wanted);
}

int keep_text(const Bytes *text, Outcome *outcome)
{
    outcome->data = malloc(text->used + 1);
    outcome->size = text->used;
    outcome->whole = 1;
    if (outcome->data == NULL)
        return ENOMEM;
    memcpy(outcome->data, text->data, text->used);
    return 0;
}

#endif
