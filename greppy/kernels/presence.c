/* What is at many paths now, and which names in many folders are not among them; in two threads where that pays. */

#ifndef _WIN32

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* O_PATH */
#endif

#include "filetimes.h"
#include "folders.h"
#include "intern.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

enum { PATHS_FOR_TWO = 2000, FOLDERS_FOR_TWO = 500 };

#define LIST_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)

/* Paths of a table and an open-addressing hash table of where they begin, plus one; 0 is a free slot. */
typedef struct {
    const char *table;
    uint32_t *slots, mask;
    const uint64_t *secret;
} Paths;

typedef struct {
    int root;
    const char *path; /* the first one; each ends with a NUL */
    uint8_t *modes, *stats;
    int64_t begin, end;
    const Paths *known;
    Bytes strange; /* paths, each ended by a NUL */
    int failed, no_memory;
} Part;

static const char *from_root(const char *path)
{
    while (*path == '/')
        path++;
    return *path ? path : ".";
}

static void look(const Part *part, const char *path, int64_t at)
{
    struct stat now;
    if (part->root < 0 || fstatat(part->root, from_root(path), &now, AT_SYMLINK_NOFOLLOW) < 0)
        return;
    uint32_t mode = (uint32_t)now.st_mode;
    memcpy(part->modes + 4 * at, &mode, 4);
    store_u64(part->stats, 4 * at, S_ISDIR(now.st_mode) ? UINT64_MAX : (uint64_t)now.st_size);
    store_u64(part->stats, 4 * at + 1, nanoseconds(MTIME(&now)));
    store_u64(part->stats, 4 * at + 2, nanoseconds(CTIME(&now)));
    store_u64(part->stats, 4 * at + 3, (uint64_t)now.st_ino);
}

static void *look_at_all(void *arg)
{
    const Part *part = arg;
    const char *path = part->path;
    for (int64_t i = part->begin; i < part->end; i++, path += strlen(path) + 1)
        look(part, path, i);
    return NULL;
}

/* The slot of a path, or the free one where it belongs. */
static uint32_t *slot_of(const Paths *paths, const char *path, size_t size)
{
    uint32_t at = hash_bytes(paths->secret, (const uint8_t *)path, size) & paths->mask;
    while (paths->slots[at] && strcmp(paths->table + paths->slots[at] - 1, path) != 0)
        at = (at + 1) & paths->mask;
    return &paths->slots[at];
}

/* Whether a name in a folder is to be told; `path` holds the folder and has room. */
static int is_strange(const Paths *known, Bytes *path, size_t folder, const char *name)
{
    size_t size = strlen(name);
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || (folder == 0 && strcmp(name, ".git") == 0))
        return 0;
    path->used = folder + size + 1;
    if (grow(&path->data, &path->capacity, path->used, 1) < 0)
        return -1;
    memcpy(path->data + folder, name, size + 1);
    return *slot_of(known, (const char *)path->data, folder + size) == 0;
}

static int append(Bytes *to, const Bytes *path)
{
    if (grow(&to->data, &to->capacity, to->used + path->used, 1) < 0)
        return -1;
    memcpy(to->data + to->used, path->data, path->used);
    to->used += path->used;
    return 0;
}

/* Adds the strange names of an open folder, which `path` names, to those of the part. */
static void read_names(Part *part, DIR *open, Bytes *path, size_t folder)
{
    const struct dirent *entry;
    while (errno = 0, (entry = readdir(open)) != NULL) {
        int strange = is_strange(part->known, path, folder, entry->d_name);
        part->no_memory |= strange < 0 || (strange && append(&part->strange, path) < 0);
    }
    part->failed |= errno != 0;
}

static void list_folder(Part *part, const char *folder, Bytes *path)
{
    const char *from = from_root(folder);
    size_t size = strcmp(from, ".") == 0 ? 0 : strlen(from) + 1;
    int fd = part->root < 0 ? -1 : openat(part->root, from, LIST_FLAGS);
    DIR *open = fd < 0 ? NULL : fdopendir(fd);
    if (open == NULL) {
        if (fd >= 0)
            close(fd);
        part->failed = 1;
        return;
    }
    if (grow(&path->data, &path->capacity, size + 1, 1) < 0) {
        part->no_memory = 1;
    } else {
        if (size) {
            memcpy(path->data, from, size - 1);
            path->data[size - 1] = '/';
        }
        read_names(part, open, path, size);
    }
    closedir(open);
}

static void *list_all(void *arg)
{
    Part *part = arg;
    Bytes path = {0};
    const char *folder = part->path;
    for (int64_t i = part->begin; i < part->end && !part->failed && !part->no_memory; i++) {
        list_folder(part, folder, &path);
        folder += strlen(folder) + 1;
    }
    free(path.data);
    return NULL;
}

/* The whole as two parts, the second of which is empty where one thread is as good. */
static void in_threads(void *(*work)(void *), Part parts[2], int64_t enough)
{
    pthread_t thread;
    int64_t count = parts[0].end - parts[0].begin;
    parts[1] = parts[0];
    parts[1].begin = parts[1].end;
    if (count <= enough || sysconf(_SC_NPROCESSORS_ONLN) < 2) {
        work(&parts[0]);
        return;
    }
    parts[0].end = parts[1].begin = parts[0].begin + count / 2;
    for (int64_t i = 0; i < count / 2; i++)
        parts[1].path += strlen(parts[1].path) + 1;
    int alone = pthread_create(&thread, NULL, work, &parts[1]);
    work(&parts[0]);
    if (alone)
        work(&parts[1]);
    else
        pthread_join(thread, NULL);
}

/* Whether a table has n paths, each ended by a NUL. */
static int has_paths(const Py_buffer *table, Py_ssize_t n)
{
    const char *text = table->buf, *end = text + table->len;
    Py_ssize_t paths = 0;
    if (n < 0 || table->len > UINT32_MAX - 1 || n > INT32_MAX / 4 || (table->len && end[-1] != '\0'))
        return 0;
    for (; text < end && paths <= n; paths++)
        text = (const char *)memchr(text, 0, (size_t)(end - text)) + 1;
    return paths == n;
}

static PyObject *stats_of(const char *root, const Py_buffer *table, Py_ssize_t n)
{
    Part parts[2] = {{.path = table->buf, .modes = calloc((size_t)n + 1, 4), .stats = calloc((size_t)n + 1, 32),
                      .end = n}};
    uint8_t *modes = parts[0].modes, *stats = parts[0].stats;
    PyObject *result = NULL;
    if (modes == NULL || stats == NULL) {
        PyErr_NoMemory();
    } else {
        Py_BEGIN_ALLOW_THREADS
        parts[0].root = open_root(root);
        in_threads(look_at_all, parts, PATHS_FOR_TWO);
        if (parts[0].root >= 0)
            close(parts[0].root);
        Py_END_ALLOW_THREADS
        PyObject *view = new_view("I", modes, 4 * (size_t)n);
        result = view == NULL ? NULL : Py_BuildValue("Ny#", view, (const char *)stats, 32 * n);
    }
    free(modes);
    free(stats);
    return result;
}

PyObject *fast_stats_now(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"root", "table", "n", NULL};
    Py_buffer table;
    const char *root;
    Py_ssize_t n;
    PyObject *result;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "yy*n", names, &root, &table, &n))
        return NULL;
    if (!has_paths(&table, n))
        result = refuse("the path table and its count do not fit together");
    else if (*root == '\0')
        result = refuse("the root must be named");
    else
        result = stats_of(root, &table, n);
    PyBuffer_Release(&table);
    return result;
}

static int remember(Paths *paths, Py_ssize_t n)
{
    const char *path = paths->table;
    for (paths->mask = 1023; paths->mask < 2 * (size_t)n; paths->mask = 2 * paths->mask + 1)
        ;
    paths->slots = calloc((size_t)paths->mask + 1, sizeof *paths->slots);
    for (Py_ssize_t i = 0; paths->slots != NULL && i < n; i++) {
        size_t size = strlen(path);
        *slot_of(paths, path, size) = (uint32_t)(path - paths->table) + 1;
        path += size + 1;
    }
    return paths->slots == NULL ? -1 : 0;
}

static int add_names(PyObject *list, const Bytes *strange)
{
    const char *path = (const char *)strange->data;
    for (size_t at = 0, size; at < strange->used; at += size + 1) {
        size = strlen(path + at);
        PyObject *name = PyBytes_FromStringAndSize(path + at, (Py_ssize_t)size);
        int failed = name == NULL || PyList_Append(list, name) < 0;
        Py_XDECREF(name);
        if (failed)
            return -1;
    }
    return 0;
}

static PyObject *names_of(const Part parts[2])
{
    if (parts[0].no_memory || parts[1].no_memory)
        return PyErr_NoMemory();
    if (parts[0].failed || parts[1].failed)
        Py_RETURN_NONE;
    PyObject *list = PyList_New(0);
    if (list != NULL && (add_names(list, &parts[0].strange) < 0 || add_names(list, &parts[1].strange) < 0 ||
                         PyList_Sort(list) < 0))
        Py_CLEAR(list);
    return list;
}

/* `folders` are n paths; the known ones are in `table`. */
static PyObject *strange_below(const char *root, const Py_buffer *folders, Py_ssize_t n, const Paths *known)
{
    Part parts[2] = {{.path = folders->buf, .known = known, .end = n}};
    Py_BEGIN_ALLOW_THREADS
    parts[0].root = open_root(root);
    in_threads(list_all, parts, FOLDERS_FOR_TWO);
    if (parts[0].root >= 0)
        close(parts[0].root);
    Py_END_ALLOW_THREADS
    PyObject *result = names_of(parts);
    free(parts[0].strange.data);
    free(parts[1].strange.data);
    return result;
}

static Py_ssize_t count_paths(const Py_buffer *table)
{
    const char *text = table->buf;
    Py_ssize_t count = 0;
    for (Py_ssize_t i = 0; i < table->len; i++)
        count += text[i] == '\0';
    return count;
}

PyObject *fast_strange_names(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"root", "folders", "table", NULL};
    Py_buffer folders, table;
    const char *root;
    PyObject *result;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "yy*y*", names, &root, &folders, &table))
        return NULL;
    Paths known = {.table = table.buf, .secret = ((State *)PyModule_GetState(module))->secret};
    Py_ssize_t n = count_paths(&table), listed = count_paths(&folders);
    if (!has_paths(&table, n) || !has_paths(&folders, listed))
        result = refuse("each path must end with a NUL");
    else if (*root == '\0')
        result = refuse("the root must be named");
    else if (remember(&known, n) < 0)
        result = PyErr_NoMemory();
    else
        result = strange_below(root, &folders, listed, &known);
    free(known.slots);
    PyBuffer_Release(&folders);
    PyBuffer_Release(&table);
    return result;
}

#endif
