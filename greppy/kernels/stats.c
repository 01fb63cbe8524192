/* The stat scan: lstat of many paths, in two threads where that pays. */

#include "fast.h"

#ifndef _WIN32

#include "filetimes.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

/* Below this many paths a second thread costs more than it saves. */
enum { PATHS_FOR_TWO = 2000 };

#ifdef O_PATH
#define HOW_TO_OPEN (O_PATH | O_DIRECTORY | O_CLOEXEC)
#else
#define HOW_TO_OPEN (O_RDONLY | O_DIRECTORY | O_CLOEXEC)
#endif

typedef struct {
    int root;
    const char *path; /* the first one; each ends with a NUL */
    const uint8_t *recorded;
    uint8_t *changed;
    int64_t begin, end;
} Scan;

static int differs(int root, const char *path, const uint8_t *recorded)
{
    struct stat now;
    while (*path == '/')
        path++;
    if (fstatat(root, *path ? path : ".", &now, AT_SYMLINK_NOFOLLOW) < 0)
        return 1;
    uint64_t size = load_u64(recorded, 0);
    if (nanoseconds(MTIME(&now)) != load_u64(recorded, 1) || (uint64_t)now.st_ino != load_u64(recorded, 3))
        return 1;
    if (size == UINT64_MAX)
        return !S_ISDIR(now.st_mode);
    return (uint64_t)now.st_size != size || nanoseconds(CTIME(&now)) != load_u64(recorded, 2);
}

static void *scan(void *arg)
{
    const Scan *s = arg;
    const char *path = s->path;
    for (int64_t i = s->begin; i < s->end; i++) {
        s->changed[i] = (uint8_t)(s->root < 0 || differs(s->root, path, s->recorded + 32 * i));
        path += strlen(path) + 1;
    }
    return NULL;
}

static void scan_all(Scan whole)
{
    pthread_t thread;
    if (whole.end <= PATHS_FOR_TWO || sysconf(_SC_NPROCESSORS_ONLN) < 2) {
        scan(&whole);
        return;
    }
    Scan one = whole, other = whole;
    one.end = other.begin = whole.end / 2;
    for (int64_t i = 0; i < one.end; i++)
        other.path += strlen(other.path) + 1;
    int alone = pthread_create(&thread, NULL, scan, &other);
    scan(&one);
    if (alone)
        scan(&other);
    else
        pthread_join(thread, NULL);
}

static int fits_together(const Py_buffer *table, const Py_buffer *stats, Py_ssize_t n)
{
    const char *text = table->buf, *end = text + table->len;
    Py_ssize_t paths = 0;
    if (n < 0 || stats->len % 32 || stats->len / 32 != n || (table->len && end[-1] != '\0'))
        return 0;
    for (; text < end && paths <= n; paths++)
        text = (const char *)memchr(text, 0, (size_t)(end - text)) + 1;
    return paths == n;
}

static PyObject *indices(const uint8_t *changed, Py_ssize_t n)
{
    PyObject *list = PyList_New(0);
    for (Py_ssize_t i = 0; list != NULL && i < n; i++) {
        if (!changed[i])
            continue;
        PyObject *index = PyLong_FromSsize_t(i);
        if (index == NULL || PyList_Append(list, index) < 0)
            Py_CLEAR(list);
        Py_XDECREF(index);
    }
    return list;
}

static PyObject *changed_paths(const char *root, const Py_buffer *table, const Py_buffer *stats, Py_ssize_t n)
{
    uint8_t *changed = malloc((size_t)n + 1);
    if (changed == NULL)
        return PyErr_NoMemory();
    Py_BEGIN_ALLOW_THREADS
    int folder = open(root, HOW_TO_OPEN);
    scan_all((Scan){folder, table->buf, stats->buf, changed, 0, n});
    if (folder >= 0)
        close(folder);
    Py_END_ALLOW_THREADS
    PyObject *result = indices(changed, n);
    free(changed);
    return result;
}

PyObject *fast_changed_stats(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"root", "table", "stats", "n", NULL};
    Py_buffer table, stats;
    const char *root;
    Py_ssize_t n;
    PyObject *result;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "yy*y*n", names, &root, &table, &stats, &n))
        return NULL;
    if (!fits_together(&table, &stats, n))
        result = refuse("the path table, the stat table and their count do not fit together");
    else if (*root == '\0')
        result = refuse("the root must be named");
    else
        result = changed_paths(root, &table, &stats, n);
    PyBuffer_Release(&table);
    PyBuffer_Release(&stats);
    return result;
}

#endif
