/* ASCII runs → terms: an identifier as a whole, its parts, the letters and the digits of a part. */

#include "terms.h"

int is_ascii(const uint8_t *text, size_t size)
{
    uint8_t any = 0;
    for (size_t i = 0; i < size; i++)
        any |= text[i];
    return any < 0x80;
}

static int is_digit(uint8_t c) { return c >= '0' && c <= '9'; }

/* Copies letters and digits of [at, end) in lower case, as many as fit; returns how many. */
static size_t copy_lower(uint8_t *out, size_t used, const uint8_t *at, const uint8_t *end)
{
    for (; at < end && used < LONGEST; at++)
        out[used++] = *at >= 'A' && *at <= 'Z' ? *at | 0x20 : *at;
    return used;
}

/* Counts the term that was written behind the last one, unless it is there already. */
static void keep(Terms *terms, size_t size)
{
    const uint8_t *term = terms->text[terms->count];
    for (unsigned i = 0; i < terms->count; i++)
        if (terms->size[i] == size && memcmp(terms->text[i], term, size) == 0)
            return;
    terms->size[terms->count++] = (uint8_t)size;
}

static void add(Terms *terms, const uint8_t *start, const uint8_t *end, int stemmed)
{
    uint8_t *term = terms->text[terms->count];
    size_t size = copy_lower(term, 0, start, end);
    keep(terms, stemmed ? stem(term, size) : size);
}

/* A part is digits, letters, digits, in this order; each may be missing. */
static void add_part(Terms *terms, const uint8_t *start, const uint8_t *end)
{
    const uint8_t *letters = end;
    while (letters > start && is_digit(letters[-1]))
        letters--;
    int mixed = letters > start && (letters < end || is_digit(*start));
    add(terms, start, end, !mixed);
    if (mixed && letters - start > 1 && letters < end)
        add(terms, start, letters, 1);
    if (mixed && end - letters > 1)
        add(terms, letters, end, 0);
}

/* The whole: the parts joined. Returns how many parts there are. */
static size_t add_whole(Terms *terms, const uint8_t *at, const uint8_t *end)
{
    uint8_t *term = terms->text[0];
    size_t size = 0, parts = 0;
    for (const uint8_t *part; (part = next_part(&at, end)) != NULL; parts++)
        size = copy_lower(term, size, part, at);
    if (parts > 1)
        keep(terms, stem(term, size));
    return parts;
}

void ascii_terms(Terms *terms, const uint8_t *run, size_t size)
{
    const uint8_t *at = run, *end = run + (size < 4 * LONGEST ? size : 4 * LONGEST), *part;
    terms->count = 0;
    size_t parts = add_whole(terms, run, end);
    for (int left = MOST_PARTS; left && (part = next_part(&at, end)) != NULL; left--)
        if (parts == 1 || at - part > 1)
            add_part(terms, part, at);
}

PyObject *fast_ascii_terms(PyObject *module, PyObject *arg)
{
    Py_buffer run;
    Terms terms;
    (void)module;
    if (PyObject_GetBuffer(arg, &run, PyBUF_SIMPLE) < 0)
        return NULL;
    int fits = is_ascii(run.buf, (size_t)run.len);
    if (fits)
        ascii_terms(&terms, run.buf, (size_t)run.len);
    PyBuffer_Release(&run);
    if (!fits)
        return refuse("a run must be ASCII");
    PyObject *tuple = PyTuple_New(terms.count);
    for (unsigned i = 0; tuple != NULL && i < terms.count; i++) {
        PyObject *term = PyBytes_FromStringAndSize((const char *)terms.text[i], terms.size[i]);
        if (term == NULL)
            Py_CLEAR(tuple);
        else
            PyTuple_SET_ITEM(tuple, i, term);
    }
    return tuple;
}
