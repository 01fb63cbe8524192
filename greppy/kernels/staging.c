/* git's index file: what the entries of a working tree are called, and what they looked like. */

#include "fast.h"

enum { HEADER = 12, NUMBERS = 40, EXTENSION = 8 };

#define EXTENDED 0x4000u
#define OF_NO_USE 0xB000u /* assumed valid, and the two bits of the stage */

typedef struct {
    const uint8_t *data;
    size_t size, width, at;
    uint32_t version;
    Bytes table, path;
    uint8_t *modes, *stats, *oids, *plain;
    int no_memory;
} Reader;

static uint32_t big(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* git's number of variable length at *at; -1 where it does not end, or is beyond any path. */
static int64_t distance(const Reader *r, size_t *at)
{
    int64_t value = -1;
    for (;;) {
        if (*at >= r->size || value > INT32_MAX)
            return -1;
        uint8_t byte = r->data[(*at)++];
        value = ((value + 1) << 7) + (byte & 0x7F);
        if (!(byte & 0x80))
            return value;
    }
}

/* Makes r->path the path that begins at *at, and moves *at behind its NUL; 0 where there is none. */
static int read_path(Reader *r, size_t *at)
{
    int64_t strip = r->version == 4 ? distance(r, at) : (int64_t)r->path.used;
    if (strip < 0 || (uint64_t)strip > r->path.used || *at >= r->size)
        return 0;
    const uint8_t *text = r->data + *at, *end = memchr(text, 0, r->size - *at);
    if (end == NULL)
        return 0;
    size_t kept = r->path.used - (size_t)strip, more = (size_t)(end - text);
    if (grow(&r->path.data, &r->path.capacity, kept + more + 1, 1) < 0) {
        r->no_memory = 1;
        return 0;
    }
    memcpy(r->path.data + kept, text, more + 1);
    r->path.used = kept + more;
    *at += more + 1;
    return 1;
}

static int keep_path(Reader *r)
{
    if (grow(&r->table.data, &r->table.capacity, r->table.used + r->path.used + 1, 1) < 0) {
        r->no_memory = 1;
        return 0;
    }
    memcpy(r->table.data + r->table.used, r->path.data, r->path.used + 1);
    r->table.used += r->path.used + 1;
    return 1;
}

static void keep_numbers(Reader *r, const uint8_t *entry, int64_t i, uint32_t flags)
{
    const uint64_t second = 1000000000u;
    uint32_t mode = big(entry + 24);
    memcpy(r->modes + 4 * i, &mode, 4);
    store_u64(r->stats, 4 * i, big(entry + 36));
    store_u64(r->stats, 4 * i + 1, big(entry + 8) * second + big(entry + 12));
    store_u64(r->stats, 4 * i + 2, big(entry) * second + big(entry + 4));
    store_u64(r->stats, 4 * i + 3, big(entry + 20));
    memcpy(r->oids + r->width * (size_t)i, entry + NUMBERS, r->width);
    r->plain[i] = !(flags & (EXTENDED | OF_NO_USE));
}

static int read_entry(Reader *r, int64_t i)
{
    size_t start = r->at, fixed = NUMBERS + r->width + 2;
    if (r->size - start < fixed)
        return 0;
    const uint8_t *entry = r->data + start;
    uint32_t flags = (uint32_t)entry[fixed - 2] << 8 | entry[fixed - 1];
    size_t at = start + fixed + (flags & EXTENDED ? 2 : 0);
    if (!read_path(r, &at) || !keep_path(r))
        return 0;
    /* From 1 to 8 NULs, but for version 4. */
    r->at = r->version == 4 ? at : start + ((at - 1 - start + 8) & ~(size_t)7);
    keep_numbers(r, entry, i, flags);
    return r->at <= r->size;
}

/* Whether only extensions are left that may be passed over: the names of the others begin with a small letter. */
static int ends_well(const Reader *r)
{
    size_t at = r->at, end = r->size - r->width;
    while (at < end) {
        if (end - at < EXTENSION || r->data[at] < 'A' || r->data[at] > 'Z')
            return 0;
        uint32_t size = big(r->data + at + 4);
        if (size > end - at - EXTENSION)
            return 0;
        at += EXTENSION + size;
    }
    return at == end;
}

static PyObject *columns(const Reader *r, uint32_t count)
{
    PyObject *modes = new_view("I", r->modes, 4 * (size_t)count), *stats = new_view("q", r->stats, 32 * (size_t)count);
    if (modes == NULL || stats == NULL) {
        Py_XDECREF(modes);
        Py_XDECREF(stats);
        return NULL;
    }
    return Py_BuildValue("y#NNy#y#", (const char *)r->table.data, (Py_ssize_t)r->table.used, modes, stats,
                         (const char *)r->oids, (Py_ssize_t)(r->width * count), (const char *)r->plain,
                         (Py_ssize_t)count);
}

static PyObject *read_all(Reader *r)
{
    uint32_t count = r->size < HEADER + r->width ? 0 : big(r->data + 8);
    r->version = count ? big(r->data + 4) : 0;
    /* No entry takes less than its numbers, so a count that lies is seen before room is made for it. */
    if (!count || memcmp(r->data, "DIRC", 4) != 0 || r->version < 2 || r->version > 4 || count > r->size / NUMBERS)
        Py_RETURN_NONE;
    r->modes = malloc(4 * (size_t)count);
    r->stats = malloc(32 * (size_t)count);
    r->oids = malloc(r->width * (size_t)count);
    r->plain = malloc(count);
    if (r->modes == NULL || r->stats == NULL || r->oids == NULL || r->plain == NULL)
        return PyErr_NoMemory();
    r->at = HEADER;
    int good = 1;
    for (uint32_t i = 0; good && i < count; i++)
        good = read_entry(r, i);
    if (r->no_memory)
        return PyErr_NoMemory();
    good = good && r->at + r->width <= r->size && ends_well(r);
    return good ? columns(r, count) : Py_NewRef(Py_None);
}

PyObject *fast_staged_files(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"data", "width", NULL};
    Py_buffer data;
    Py_ssize_t width;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "y*n", names, &data, &width))
        return NULL;
    Reader r = {.data = data.buf, .size = (size_t)data.len, .width = (size_t)width};
    PyObject *result = width == 20 || width == 32 ? read_all(&r) : refuse("a hash has 20 or 32 bytes");
    free(r.table.data);
    free(r.path.data);
    free(r.modes);
    free(r.stats);
    free(r.oids);
    free(r.plain);
    PyBuffer_Release(&data);
    return result;
}
