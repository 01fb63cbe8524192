/* Which lines of a text hold one of some literal strings. */

#include "lines.h"

typedef struct {
    uint32_t *numbers, *starts, *ends;
    size_t used, capacities[3];
} Lines;

#if defined(__GNUC__)

typedef uint8_t Lanes __attribute__((vector_size(16)));

/* The same of whole vectors, at most 255 of them, so that no lane overflows: a comparison that holds is -1. */
static size_t count_in_lanes(const uint8_t *at, size_t vectors)
{
    Lanes counts = {0}, lanes;
    for (size_t i = 0; i < vectors; i++) {
        memcpy(&lanes, at + i * sizeof lanes, sizeof lanes);
        counts -= (Lanes)(lanes == '\n');
    }
    size_t count = 0;
    for (size_t i = 0; i < sizeof counts; i++)
        count += counts[i];
    return count;
}

size_t count_feeds(const uint8_t *at, const uint8_t *end)
{
    size_t count = 0;
    while ((size_t)(end - at) >= sizeof(Lanes)) {
        size_t vectors = (size_t)(end - at) / sizeof(Lanes);
        vectors = vectors > 255 ? 255 : vectors;
        count += count_in_lanes(at, vectors);
        at += vectors * sizeof(Lanes);
    }
    for (; at < end; at++)
        count += *at == '\n';
    return count;
}

#else

size_t count_feeds(const uint8_t *at, const uint8_t *end)
{
    size_t count = 0;
    for (; at < end; at++)
        count += *at == '\n';
    return count;
}

#endif

const uint8_t *next_match(const Needles *needles, const uint8_t **next, const uint8_t *at, const uint8_t *end)
{
    const uint8_t *first = end;
    for (size_t i = 0; i < needles->count; i++) {
        if (next[i] == NULL || (next[i] < at && next[i] != end)) {
            next[i] = find_needle(&needles->items[i], needles->fold, at, end);
            next[i] = next[i] == NULL ? end : next[i];
        }
        first = next[i] < first ? next[i] : first;
    }
    return first;
}

int append(Bytes *out, const void *data, size_t size)
{
    if (grow(&out->data, &out->capacity, out->used + size, 1) < 0)
        return -1;
    if (size) /* nothing has no address */
        memcpy(out->data + out->used, data, size);
    out->used += size;
    return 0;
}

const uint8_t *line_begin(const uint8_t *least, const uint8_t *at)
{
    while (at > least && at[-1] != '\n')
        at--;
    return at;
}

const uint8_t *line_end(const uint8_t *at, const uint8_t *end)
{
    const uint8_t *feed = memchr(at, '\n', (size_t)(end - at));
    return feed == NULL ? end : feed;
}

static int put_line(Lines *lines, size_t number, size_t start, size_t end)
{
    uint32_t **columns[] = {&lines->numbers, &lines->starts, &lines->ends};
    for (int i = 0; i < 3; i++)
        if (grow(columns[i], &lines->capacities[i], lines->used + 1, sizeof(uint32_t)) < 0)
            return -1;
    lines->numbers[lines->used] = (uint32_t)number;
    lines->starts[lines->used] = (uint32_t)start;
    lines->ends[lines->used++] = (uint32_t)end;
    return 0;
}

/* -1 when memory is exhausted. Needs no GIL. */
static int find_lines(const Needles *needles, const uint8_t *text, size_t size, Lines *lines)
{
    const uint8_t *end = text + size, *line = text, **next = calloc(needles->count + 1, sizeof *next);
    size_t number = 1;
    int failed = next == NULL;
    while (!failed && line < end) {
        const uint8_t *match = next_match(needles, next, line, end);
        if (match == end)
            break;
        number += count_feeds(line, match);
        const uint8_t *start = line_begin(line, match), *stop = line_end(match, end);
        failed = put_line(lines, number++, (size_t)(start - text), (size_t)(stop - text)) < 0;
        line = stop + (stop < end);
    }
    free(next);
    return failed ? -1 : 0;
}

static PyObject *views(const Lines *lines)
{
    size_t size = lines->used * sizeof(uint32_t);
    return Py_BuildValue("NNN", new_view("I", lines->numbers, size), new_view("I", lines->starts, size),
                         new_view("I", lines->ends, size));
}

static PyObject *matching_lines(const Needles *needles, const Py_buffer *buf)
{
    Lines lines = {0};
    int failed;
    if ((uint64_t)buf->len > UINT32_MAX) {
        PyErr_SetString(PyExc_OverflowError, "a line starts beyond 4 GiB");
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    failed = find_lines(needles, buf->buf, (size_t)buf->len, &lines) < 0;
    Py_END_ALLOW_THREADS
    PyObject *result = failed ? PyErr_NoMemory() : views(&lines);
    free(lines.numbers);
    free(lines.starts);
    free(lines.ends);
    return result;
}

PyObject *fast_matching_lines(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"buf", "needles", "fold", NULL};
    Py_buffer buf;
    PyObject *tuple, *result = NULL;
    Needles needles;
    int fold;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "y*O!p", names, &buf, &PyTuple_Type, &tuple, &fold))
        return NULL;
    if (take_needles(&needles, tuple, fold) == 0)
        result = matching_lines(&needles, &buf);
    free_needles(&needles);
    PyBuffer_Release(&buf);
    return result;
}
