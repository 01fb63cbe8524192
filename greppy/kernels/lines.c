/* Which lines of a text hold one of some literal strings. */

#include "needles.h"

typedef struct {
    uint32_t *numbers, *starts, *ends;
    size_t used, capacities[3];
} Lines;

/* Line feeds in [at, end), eight bytes at a time: a byte of `x` is zero where there is one. */
static size_t count_feeds(const uint8_t *at, const uint8_t *end)
{
    const uint64_t low = 0x7F7F7F7F7F7F7F7Fu;
    size_t count = 0;
    for (; end - at >= 8; at += 8) {
        uint64_t x = load_u64(at, 0) ^ 0x0A0A0A0A0A0A0A0Au;
        uint64_t zeros = ~(((x & low) + low) | x | low) >> 7;
        count += (size_t)(zeros * 0x0101010101010101u >> 56);
    }
    for (; at < end; at++)
        count += *at == '\n';
    return count;
}

/* The first match from `at` on of any needle, or `end`. `next` keeps the latest place of each, NULL before the first
 * search. */
static const uint8_t *next_match(const Needles *needles, const uint8_t **next, const uint8_t *at, const uint8_t *end)
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
        const uint8_t *start = match;
        while (start > line && start[-1] != '\n')
            start--;
        const uint8_t *stop = memchr(match, '\n', (size_t)(end - match));
        stop = stop == NULL ? end : stop;
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
