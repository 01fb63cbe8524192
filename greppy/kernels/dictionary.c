/* Sorted terms, front-coded in blocks. */

#include "fast.h"

enum { TERM_BLOCK = 16, LONGEST_ENTRY = 255 };

typedef struct {
    Bytes data;
    uint32_t *blocks;
    size_t used, capacity;
    const uint8_t *before; /* the term before, of the same block */
    size_t size;
    uint64_t start;
} Packing;

static size_t shared_bytes(const uint8_t *one, const uint8_t *other, size_t most)
{
    size_t at = 0;
    while (at < most && one[at] == other[at])
        at++;
    return at;
}

static int begin_block(Packing *p)
{
    if (p->data.used > UINT32_MAX || p->start > UINT32_MAX) {
        refuse("a dictionary and its lists have at most 4 GiB");
        return -1;
    }
    if (reserve(&p->blocks, &p->capacity, p->used + 2, sizeof *p->blocks) < 0)
        return -1;
    p->blocks[p->used++] = (uint32_t)p->data.used;
    p->blocks[p->used++] = (uint32_t)p->start;
    p->size = 0;
    return 0;
}

static int put_term(Packing *p, const uint8_t *term, size_t size, uint64_t length)
{
    Bytes *out = &p->data;
    if (reserve(&out->data, &out->capacity, out->used + LONGEST_ENTRY + 12, 1) < 0)
        return -1;
    size_t shared = shared_bytes(p->before, term, p->size < size ? p->size : size);
    out->data[out->used++] = (uint8_t)shared;
    out->data[out->used++] = (uint8_t)(size - shared);
    memcpy(out->data + out->used, term + shared, size - shared);
    out->used += size - shared;
    for (; length >= 0x80; length >>= 7)
        out->data[out->used++] = (uint8_t)(length | 0x80);
    out->data[out->used++] = (uint8_t)length;
    p->before = term;
    p->size = size;
    return 0;
}

static int pack_one(Packing *p, Py_ssize_t ordinal, PyObject *term, PyObject *end)
{
    if (!PyBytes_Check(term)) {
        PyErr_SetString(PyExc_TypeError, "terms must be bytes");
        return -1;
    }
    if (PyBytes_GET_SIZE(term) > LONGEST_ENTRY) {
        refuse("a term has at most 255 bytes");
        return -1;
    }
    Py_ssize_t stop = PyNumber_AsSsize_t(end, NULL);
    if (stop == -1 && PyErr_Occurred())
        return -1;
    if (stop < 0 || (uint64_t)stop < p->start) {
        refuse("the ends of lists must not descend");
        return -1;
    }
    if (ordinal % TERM_BLOCK == 0 && begin_block(p) < 0)
        return -1;
    uint64_t length = (uint64_t)stop - p->start;
    p->start = (uint64_t)stop;
    return put_term(p, (const uint8_t *)PyBytes_AS_STRING(term), (size_t)PyBytes_GET_SIZE(term), length);
}

static PyObject *packed(PyObject *terms, PyObject *ends)
{
    Packing p = {.before = (const uint8_t *)""};
    PyObject *result = NULL;
    int failed = 0;
    if (PyTuple_GET_SIZE(terms) != PyTuple_GET_SIZE(ends))
        return refuse("as many ends as terms are needed");
    for (Py_ssize_t i = 0; !failed && i < PyTuple_GET_SIZE(terms); i++)
        failed = pack_one(&p, i, PyTuple_GET_ITEM(terms, i), PyTuple_GET_ITEM(ends, i)) < 0;
    if (!failed) {
        const char *blocks = p.used ? (const char *)p.blocks : "", *data = p.data.used ? (const char *)p.data.data : "";
        result = Py_BuildValue("y#y#", blocks, (Py_ssize_t)(p.used * sizeof *p.blocks), data, (Py_ssize_t)p.data.used);
    }
    free(p.data.data);
    free(p.blocks);
    return result;
}

PyObject *fast_pack_terms(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"terms", "ends", NULL};
    PyObject *terms, *ends, *result = NULL;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO", names, &terms, &ends))
        return NULL;
    PyObject *strings = PySequence_Tuple(terms), *numbers = strings == NULL ? NULL : PySequence_Tuple(ends);
    if (numbers != NULL)
        result = packed(strings, numbers);
    Py_XDECREF(strings);
    Py_XDECREF(numbers);
    return result;
}
