/* Posting lists: written, read, counted. */

#include "postings.h"

/* The kinds of the frequent codes; 0 for all others. */
static const uint8_t KIND_OF[256] = {
    [0x01] = 1, [0x02] = 2, [0x40] = 3, [0x10] = 4, [0x03] = 5, [0x04] = 6, [0x80] = 7,
};

uint8_t *put_posting(uint8_t *at, int64_t before, int64_t doc, uint8_t code)
{
    unsigned kind = KIND_OF[code];
    uint64_t head = (uint64_t)(doc - before - 1) << KIND_BITS | kind;
    for (; head >= 0x80; head >>= 7)
        *at++ = (uint8_t)(head | 0x80);
    *at++ = (uint8_t)head;
    if (kind == 0)
        *at++ = code;
    return at;
}

static int put_all(Bytes *out, PyObject *docs, const Py_buffer *codes)
{
    int64_t before = -1;
    if (PyTuple_GET_SIZE(docs) != codes->len) {
        refuse("as many codes as documents are needed");
        return -1;
    }
    if (reserve(&out->data, &out->capacity, (size_t)codes->len * LONGEST_POSTING, 1) < 0)
        return -1;
    uint8_t *at = out->data;
    for (Py_ssize_t i = 0; i < codes->len; i++) {
        Py_ssize_t doc = PyNumber_AsSsize_t(PyTuple_GET_ITEM(docs, i), NULL);
        if (doc == -1 && PyErr_Occurred())
            return -1;
        if (doc <= before || doc >= DOCS) {
            refuse("documents must ascend strictly, from 0 to 2**31 - 1");
            return -1;
        }
        at = put_posting(at, before, doc, ((const uint8_t *)codes->buf)[i]);
        before = doc;
    }
    out->used = codes->len ? (size_t)(at - out->data) : 0;
    return 0;
}

PyObject *fast_encode_postings(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"docs", "codes", NULL};
    Py_buffer codes;
    PyObject *sequence, *result = NULL;
    Bytes out = {0};
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "Oy*", names, &sequence, &codes))
        return NULL;
    PyObject *docs = PySequence_Tuple(sequence);
    if (docs != NULL && put_all(&out, docs, &codes) == 0)
        result = PyBytes_FromStringAndSize((const char *)out.data, (Py_ssize_t)out.used);
    free(out.data);
    Py_XDECREF(docs);
    PyBuffer_Release(&codes);
    return result;
}

static const char *read_all(const Py_buffer *buf, uint32_t *docs, uint8_t *codes, size_t *count)
{
    Reader reader;
    open_list(&reader, buf);
    for (*count = 0; reader.at < reader.end; ++*count) {
        const char *problem = next_posting(&reader);
        if (problem != NULL)
            return problem;
        docs[*count] = (uint32_t)reader.doc;
        codes[*count] = reader.code;
    }
    return NULL;
}

/* No posting has less than one byte. */
static PyObject *decoded(const Py_buffer *buf)
{
    size_t most = (size_t)buf->len, count;
    uint32_t *docs = most > PTRDIFF_MAX / 4 - 1 ? NULL : malloc((most + 1) * sizeof *docs);
    uint8_t *codes = malloc(most + 1);
    PyObject *result = NULL;
    if (docs == NULL || codes == NULL) {
        PyErr_NoMemory();
    } else {
        const char *problem = read_all(buf, docs, codes, &count);
        if (problem != NULL)
            refuse(problem);
        else
            result = Py_BuildValue("Ny#", new_view("I", docs, count * sizeof *docs), codes, (Py_ssize_t)count);
    }
    free(docs);
    free(codes);
    return result;
}

PyObject *fast_decode_postings(PyObject *module, PyObject *arg)
{
    (void)module;
    Py_buffer buf;
    if (PyObject_GetBuffer(arg, &buf, PyBUF_SIMPLE) < 0)
        return NULL;
    PyObject *result = decoded(&buf);
    PyBuffer_Release(&buf);
    return result;
}

static const char *count(const Py_buffer *buf, const Py_buffer *live, int64_t *found)
{
    const uint8_t *alive = live->buf;
    Reader reader;
    open_list(&reader, buf);
    for (*found = 0; reader.at < reader.end;) {
        const char *problem = next_posting(&reader);
        if (problem != NULL)
            return problem;
        if (live->len >= 0 && reader.doc >= live->len)
            return "posting list has a document beyond the live ones";
        *found += live->len < 0 || alive[reader.doc] != 0;
    }
    return NULL;
}

int buffer_or_none(PyObject *arg, Py_buffer *buf)
{
    memset(buf, 0, sizeof *buf);
    buf->len = -1;
    return arg == Py_None ? 0 : PyObject_GetBuffer(arg, buf, PyBUF_SIMPLE);
}

PyObject *fast_count_postings(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"buf", "live", NULL};
    Py_buffer buf, live;
    PyObject *mask;
    int64_t found;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "y*O", names, &buf, &mask))
        return NULL;
    if (buffer_or_none(mask, &live) < 0) {
        PyBuffer_Release(&buf);
        return NULL;
    }
    const char *problem;
    Py_BEGIN_ALLOW_THREADS
    problem = count(&buf, &live, &found);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&buf);
    PyBuffer_Release(&live);
    return problem != NULL ? refuse(problem) : PyLong_FromLongLong(found);
}
