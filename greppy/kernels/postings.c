/* Posting lists: written, read, counted. */

#include "postings.h"

int put_varint(Bytes *out, uint32_t value)
{
    if (reserve(&out->data, &out->capacity, out->used + 5, 1) < 0)
        return -1;
    for (; value >= 0x80; value >>= 7)
        out->data[out->used++] = (uint8_t)(value | 0x80);
    out->data[out->used++] = (uint8_t)value;
    return 0;
}

int put_posting(Bytes *out, int64_t before, int64_t doc, uint8_t code)
{
    if (put_varint(out, (uint32_t)(doc - before - 1) << 1 | (code != PLAIN)) < 0)
        return -1;
    if (code == PLAIN)
        return 0;
    if (reserve(&out->data, &out->capacity, out->used + 1, 1) < 0)
        return -1;
    out->data[out->used++] = code;
    return 0;
}

static int put_all(Bytes *out, PyObject *docs, const Py_buffer *codes)
{
    int64_t before = -1;
    if (PyTuple_GET_SIZE(docs) != codes->len) {
        refuse("as many codes as documents are needed");
        return -1;
    }
    int failed = codes->len >= DOCS ? -1 : put_varint(out, (uint32_t)codes->len);
    for (Py_ssize_t i = 0; !failed && i < codes->len; i++) {
        Py_ssize_t doc = PyNumber_AsSsize_t(PyTuple_GET_ITEM(docs, i), NULL);
        if (doc == -1 && PyErr_Occurred())
            return -1;
        if (doc <= before || doc >= DOCS) {
            refuse("documents must ascend strictly, from 0 to 2**31 - 1");
            return -1;
        }
        failed = put_posting(out, before, doc, ((const uint8_t *)codes->buf)[i]);
        before = doc;
    }
    return failed;
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

static PyObject *decoded(const Py_buffer *buf)
{
    Reader reader;
    const char *problem = open_list(&reader, buf);
    if (problem != NULL)
        return refuse(problem);
    size_t count = (size_t)reader.left;
    uint32_t *docs = malloc((count + 1) * sizeof *docs);
    PyObject *codes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)count), *result = NULL;
    if (docs == NULL || codes == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    for (size_t i = 0; problem == NULL && i < count; i++) {
        problem = next_posting(&reader);
        docs[i] = (uint32_t)reader.doc;
        PyBytes_AS_STRING(codes)[i] = (char)reader.code;
    }
    if (problem == NULL)
        problem = close_list(&reader);
    if (problem != NULL)
        refuse(problem);
    else
        result = Py_BuildValue("NO", new_view("I", docs, count * sizeof *docs), codes);
done:
    free(docs);
    Py_XDECREF(codes);
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

static const char *count_live(Reader *reader, const Py_buffer *live, int64_t *count)
{
    const uint8_t *alive = live->buf;
    const char *problem = NULL;
    *count = 0;
    while (reader->left) {
        if ((problem = next_posting(reader)) != NULL)
            return problem;
        if (reader->doc >= live->len)
            return "posting list has a document beyond the live ones";
        *count += alive[reader->doc] != 0;
    }
    return close_list(reader);
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
    Reader reader;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "y*O", names, &buf, &mask))
        return NULL;
    if (buffer_or_none(mask, &live) < 0) {
        PyBuffer_Release(&buf);
        return NULL;
    }
    const char *problem = open_list(&reader, &buf);
    int64_t count = reader.left;
    Py_BEGIN_ALLOW_THREADS
    if (problem == NULL && live.len >= 0)
        problem = count_live(&reader, &live, &count);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&buf);
    PyBuffer_Release(&live);
    return problem != NULL ? refuse(problem) : PyLong_FromLongLong(count);
}
