/* Runs of word code points, parts of identifiers, starts of lines. */

#include "fast.h"

/* 1 for the ASCII bytes of words: 0-9, A-Z, _, a-z. */
static const uint8_t WORD[256] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* 00 */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* 10 */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* 20 */
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, /* 30 */
    0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, /* 40 */
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, /* 50 */
    0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, /* 60 */
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, /* 70 */
};

/* Those of reference.SEPARATORS from U+2000 on, without the surrogates, which no valid sequence yields. */
static const uint32_t SEPARATORS[][2] = {
    {0x2000, 0x2BFF}, {0x2E00, 0x2E7F}, {0x3000, 0x3004}, {0x3008, 0x3020}, {0x3030, 0x3030},
    {0xE000, 0xF8FF}, {0xFE10, 0xFE6F}, {0xFF00, 0xFF0F}, {0xFF1A, 0xFF20}, {0xFF3B, 0xFF40},
    {0xFF5B, 0xFF65}, {0xFFF0, 0xFFFF}, {0x1F000, 0x1FAFF},
};

static int is_separator(uint32_t code)
{
    if (code < 0x2000)
        return (code < 0xC0 && code != 0xAA && code != 0xB5 && code != 0xBA) || code == 0xD7 || code == 0xF7;
    for (size_t i = 0; i < sizeof SEPARATORS / sizeof SEPARATORS[0] && SEPARATORS[i][0] <= code; i++)
        if (code <= SEPARATORS[i][1])
            return 1;
    return 0;
}

/* The bytes of the valid sequence of two to four bytes at `at`, or 0 when there is none. */
static int code_point(const uint8_t *at, const uint8_t *end, uint32_t *code)
{
    ptrdiff_t left = end - at;
    uint32_t lead = at[0];
    if (lead < 0xC2 || lead > 0xF4 || left < 2 || (at[1] & 0xC0) != 0x80)
        return 0;
    *code = (lead & 0x1F) << 6 | (at[1] & 0x3F);
    if (lead < 0xE0)
        return 2;
    if (left < 3 || (at[2] & 0xC0) != 0x80)
        return 0;
    *code = (lead & 0x0F) << 12 | (uint32_t)(at[1] & 0x3F) << 6 | (at[2] & 0x3F);
    if (lead < 0xF0)
        return *code < 0x800 || (*code >= 0xD800 && *code <= 0xDFFF) ? 0 : 3;
    if (left < 4 || (at[3] & 0xC0) != 0x80)
        return 0;
    *code = (lead & 0x07) << 18 | (uint32_t)(at[1] & 0x3F) << 12 | (uint32_t)(at[2] & 0x3F) << 6 | (at[3] & 0x3F);
    return *code < 0x10000 || *code > 0x10FFFF ? 0 : 4;
}

const uint8_t *next_run(const uint8_t **at, const uint8_t *end)
{
    const uint8_t *here = *at;
    uint32_t code;
    while (here < end && !WORD[*here]) {
        int bytes = *here < 0x80 ? 0 : code_point(here, end, &code);
        if (bytes && !is_separator(code))
            break;
        here += bytes ? bytes : 1;
    }
    const uint8_t *start = here;
    for (;;) {
        while (here < end && WORD[*here])
            here++;
        if (here == end || *here < 0x80)
            break;
        int bytes = code_point(here, end, &code);
        if (!bytes || is_separator(code))
            break;
        here += bytes;
    }
    *at = here;
    return here == start ? NULL : start;
}

/* Appends `item`, whose reference it takes over. */
static int append(PyObject *list, PyObject *item)
{
    int failed = item == NULL || PyList_Append(list, item) < 0;
    Py_XDECREF(item);
    return failed ? -1 : 0;
}

static Py_ssize_t clip(Py_ssize_t offset, Py_ssize_t size) { return offset < 0 ? 0 : offset > size ? size : offset; }

PyObject *fast_runs(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"buf", "start", "end", NULL};
    Py_buffer buf;
    PyObject *first, *last;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "y*OO", names, &buf, &first, &last))
        return NULL;
    Py_ssize_t start = PyNumber_AsSsize_t(first, NULL), stop = PyNumber_AsSsize_t(last, NULL);
    PyObject *found = PyErr_Occurred() ? NULL : PyList_New(0);
    const uint8_t *at = (const uint8_t *)buf.buf + clip(start, buf.len);
    const uint8_t *end = (const uint8_t *)buf.buf + clip(stop, buf.len), *run;
    while (found != NULL && at < end && (run = next_run(&at, end)) != NULL)
        if (append(found, PyBytes_FromStringAndSize((const char *)run, at - run)) < 0)
            Py_CLEAR(found);
    PyBuffer_Release(&buf);
    return found;
}

typedef enum { OTHER, DIGIT, LOWER, UPPER } Kind;

static Kind kind_of(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return DIGIT;
    if (c >= 'A' && c <= 'Z')
        return UPPER;
    return (c >= 'a' && c <= 'z') || c >= 0x80 ? LOWER : OTHER;
}

/* Whether the part that reached `at` ends before it; the byte before `at` belongs to the part. */
static int parts_before(const uint8_t *at, const uint8_t *end, int has_letter)
{
    Kind here = kind_of(at[0]), before = kind_of(at[-1]);
    if (here == DIGIT)
        return 0;
    if (before == DIGIT)
        return has_letter;
    if (here != UPPER)
        return 0;
    return before == LOWER || (at + 1 < end && kind_of(at[1]) == LOWER);
}

/* The end of the part that starts at `at`. */
static const uint8_t *part_end(const uint8_t *at, const uint8_t *end)
{
    int has_letter = kind_of(*at) != DIGIT;
    for (at++; at < end && kind_of(*at) != OTHER && !parts_before(at, end, has_letter); at++)
        has_letter |= kind_of(*at) != DIGIT;
    return at;
}

static PyObject *lowered(const uint8_t *start, Py_ssize_t size)
{
    PyObject *part = PyBytes_FromStringAndSize(NULL, size);
    for (Py_ssize_t i = 0; part != NULL && i < size; i++)
        PyBytes_AS_STRING(part)[i] = (char)(kind_of(start[i]) == UPPER ? start[i] | 0x20 : start[i]);
    return part;
}

const uint8_t *next_part(const uint8_t **at, const uint8_t *end)
{
    const uint8_t *start = *at;
    while (start < end && kind_of(*start) == OTHER)
        start++;
    *at = start == end ? end : part_end(start, end);
    return start == end ? NULL : start;
}

PyObject *fast_split_identifier(PyObject *module, PyObject *run)
{
    Py_buffer buf;
    (void)module;
    if (PyObject_GetBuffer(run, &buf, PyBUF_SIMPLE) < 0)
        return NULL;
    PyObject *parts = PyList_New(0);
    const uint8_t *at = buf.buf, *end = at + buf.len, *part;
    while (parts != NULL && (part = next_part(&at, end)) != NULL)
        if (append(parts, lowered(part, at - part)) < 0)
            Py_CLEAR(parts);
    PyBuffer_Release(&buf);
    return parts;
}

/* Where pieces start: at 0, and after each `mark` that is not the last byte. */
static PyObject *starts_of(const uint8_t *text, size_t size, int mark)
{
    uint32_t *starts = NULL;
    size_t used = 0, capacity = 0;
    const uint8_t *at = text, *end = text + size;
    PyObject *result = NULL;
    do {
        if ((uint64_t)(at - text) > UINT32_MAX) {
            PyErr_Format(PyExc_OverflowError, "a %s starts beyond 4 GiB", mark ? "line" : "path");
            goto done;
        }
        if (reserve(&starts, &capacity, used + 1, sizeof *starts) < 0)
            goto done;
        starts[used++] = (uint32_t)(at - text);
        at = at < end ? memchr(at, mark, (size_t)(end - at)) : NULL;
    } while (at != NULL && ++at < end);
    result = new_view("I", starts, used * sizeof *starts);
done:
    free(starts);
    return result;
}

PyObject *fast_line_starts(PyObject *module, PyObject *arg)
{
    (void)module;
    Py_buffer buf;
    if (PyObject_GetBuffer(arg, &buf, PyBUF_SIMPLE) < 0)
        return NULL;
    PyObject *result = starts_of(buf.buf, (size_t)buf.len, '\n');
    PyBuffer_Release(&buf);
    return result;
}

PyObject *fast_path_starts(PyObject *module, PyObject *arg)
{
    (void)module;
    Py_buffer table;
    if (PyObject_GetBuffer(arg, &table, PyBUF_SIMPLE) < 0)
        return NULL;
    PyObject *result;
    if (table.len && ((const char *)table.buf)[table.len - 1] != '\0')
        result = refuse("the last path of the table must end with a NUL");
    else if (table.len == 0)
        result = new_view("I", NULL, 0);
    else
        result = starts_of(table.buf, (size_t)table.len, '\0');
    PyBuffer_Release(&table);
    return result;
}
