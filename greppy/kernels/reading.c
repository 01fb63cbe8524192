/* Reading many files in several threads, keeping those that hold a literal string. */

#ifndef _WIN32

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
    uint8_t *data; /* NULL when no needle stands in the file */
    size_t size;
    int error;
} Outcome;

typedef struct {
    const char *table;
    const uint8_t *starts, *wanted;
    size_t count;
    const Needles *needles;
    uint64_t limit;
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

static int is_wanted(const Needles *needles, const Bytes *text)
{
    for (size_t i = 0; i < needles->count; i++)
        if (find_needle(&needles->items[i], needles->fold, text->data, text->data + text->used) != NULL)
            return 1;
    return needles->count == 0;
}

static void read_one(const Job *job, Folders *folders, const char *path, Bytes *text, Outcome *outcome)
{
    int fd;
    do
        fd = job->root_error ? -1 : open_file(folders, path);
    while (fd < 0 && !job->root_error && errno == EINTR);
    if (fd < 0) {
        outcome->error = job->root_error ? job->root_error : errno;
        return;
    }
    outcome->error = read_regular(fd, job->limit, text);
    close(fd);
    if (outcome->error || !is_wanted(job->needles, text))
        return;
    outcome->data = malloc(text->used + 1);
    outcome->size = text->used;
    if (outcome->data == NULL)
        outcome->error = ENOMEM;
    else
        memcpy(outcome->data, text->data, text->used);
}

static void *read_files(void *arg)
{
    Job *job = arg;
    Folders folders = {.root = job->root};
    Bytes text = {0};
    size_t begin;
    while ((begin = atomic_fetch_add(&job->next, FILES)) < job->count) {
        size_t end = begin + FILES < job->count ? begin + FILES : job->count;
        for (size_t i = begin; i < end; i++) {
            const char *path = job->table + load_u32(job->starts, load_u32(job->wanted, (int64_t)i));
            read_one(job, &folders, path, &text, &job->outcomes[i]);
            if (job->outcomes[i].error == ENOMEM)
                atomic_store(&job->no_memory, 1);
        }
    }
    close_folders(&folders);
    free(text.data);
    return NULL;
}

static void run(Job *job, const char *root)
{
    pthread_t threads[MOST_THREADS];
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t started = 0, useful = job->count / FILES;
    useful = useful > MOST_THREADS ? MOST_THREADS : useful;
    useful = processors > 0 && (size_t)processors < useful ? (size_t)processors : useful;
    job->root = open_root(root);
    job->root_error = job->root < 0 ? errno : 0;
    while (started + 1 < useful && pthread_create(&threads[started], NULL, read_files, job) == 0)
        started++;
    read_files(job);
    while (started)
        pthread_join(threads[--started], NULL);
    if (job->root >= 0)
        close(job->root);
}

static PyObject *result_of(Outcome *outcome)
{
    if (outcome->error)
        return PyLong_FromLong(outcome->error);
    if (outcome->data == NULL)
        return Py_NewRef(Py_None);
    PyObject *bytes = PyBytes_FromStringAndSize((const char *)outcome->data, (Py_ssize_t)outcome->size);
    free(outcome->data);
    outcome->data = NULL;
    return bytes;
}

static PyObject *results(const Job *job)
{
    PyObject *list = PyList_New((Py_ssize_t)job->count);
    for (size_t i = 0; list != NULL && i < job->count; i++) {
        PyObject *item = result_of(&job->outcomes[i]);
        if (item == NULL)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, (Py_ssize_t)i, item);
    }
    return list;
}

static const char *check_paths(const Py_buffer *table, const Py_buffer *starts, const Py_buffer *wanted)
{
    const char *text = table->buf;
    if (table->len && text[table->len - 1] != '\0')
        return "the last path of the table must end with a NUL";
    for (Py_ssize_t i = 0; i < wanted->len / 4; i++) {
        uint32_t path = load_u32(wanted->buf, i);
        if (path >= starts->len / 4 || load_u32(starts->buf, path) >= table->len)
            return "a wanted path is not in the table";
    }
    return NULL;
}

static PyObject *read_matching(Job *job, const char *root)
{
    job->outcomes = calloc(job->count + 1, sizeof *job->outcomes);
    if (job->outcomes == NULL)
        return PyErr_NoMemory();
    Py_BEGIN_ALLOW_THREADS
    run(job, root);
    Py_END_ALLOW_THREADS
    PyObject *result = job->no_memory ? PyErr_NoMemory() : results(job);
    for (size_t i = 0; i < job->count; i++)
        free(job->outcomes[i].data);
    free(job->outcomes);
    return result;
}

PyObject *fast_read_matching(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"root", "table", "starts", "wanted", "needles", "fold", "limit", NULL};
    Py_buffer table, starts, wanted;
    const char *root;
    PyObject *tuple, *result = NULL;
    Needles needles = {0};
    int fold;
    Py_ssize_t limit;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "yy*y*y*O!pn", names, &root, &table, &starts, &wanted,
                                     &PyTuple_Type, &tuple, &fold, &limit))
        return NULL;
    const char *problem = check_paths(&table, &starts, &wanted);
    Job job = {.table = table.buf, .starts = starts.buf, .wanted = wanted.buf, .count = (size_t)wanted.len / 4,
               .needles = &needles, .limit = limit < 0 ? 0 : (uint64_t)limit};
    if (problem != NULL || *root == '\0' || limit < 0)
        refuse(problem != NULL ? problem : limit < 0 ? "the limit must not be negative" : "the root must be named");
    else if (whole_numbers(&starts, 4) && whole_numbers(&wanted, 4) && take_needles(&needles, tuple, fold) == 0)
        result = read_matching(&job, root);
    free_needles(&needles);
    PyBuffer_Release(&table);
    PyBuffer_Release(&starts);
    PyBuffer_Release(&wanted);
    return result;
}

#endif
