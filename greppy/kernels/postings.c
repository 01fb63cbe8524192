/* Posting lists in memory: written, read, counted. */

#include "postings.h"

static int put_all(BitWriter *bits, const Tables *tables, PyObject *docs, const Py_buffer *codes, Py_ssize_t universe)
{
    int64_t before = -1;
    ListWriter list = begin_postings(tables, (uint32_t)universe);
    if (PyTuple_GET_SIZE(docs) != codes->len) {
        refuse("as many codes as documents are needed");
        return -1;
    }
    if (room_for(bits, (size_t)codes->len + 1) < 0) {
        PyErr_NoMemory();
        return -1;
    }
    put_list_head(bits, (uint32_t)universe, (uint32_t)codes->len);
    for (Py_ssize_t i = 0; i < codes->len; i++) {
        Py_ssize_t doc = PyNumber_AsSsize_t(PyTuple_GET_ITEM(docs, i), NULL);
        if (doc == -1 && PyErr_Occurred())
            return -1;
        if (doc <= before || doc >= universe) {
            refuse("documents must ascend strictly, each below their number");
            return -1;
        }
        put_posting(bits, &list, (uint32_t)doc, ((const uint8_t *)codes->buf)[i]);
        before = doc;
    }
    align(bits);
    return 0;
}

PyObject *fast_encode_postings(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"docs", "codes", "universe", NULL};
    Py_buffer codes;
    Py_ssize_t universe;
    PyObject *sequence, *result = NULL;
    BitWriter bits = {.filled = 0};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "Oy*n", names, &sequence, &codes, &universe))
        return NULL;
    const Tables *tables = tables_of(PyModule_GetState(module));
    PyObject *docs = tables == NULL ? NULL : PySequence_Tuple(sequence);
    if (universe < 0 || universe > DOCS)
        result = docs == NULL ? NULL : refuse("there are at most 2**31 documents");
    else if (docs != NULL && put_all(&bits, tables, docs, &codes, universe) == 0)
        result = PyBytes_FromStringAndSize((const char *)bits.out.data, (Py_ssize_t)bits.out.used);
    free(bits.out.data);
    Py_XDECREF(docs);
    PyBuffer_Release(&codes);
    return result;
}

static const char *read_all(Reader *reader, uint32_t *docs, uint8_t *codes)
{
    const char *problem = NULL;
    for (size_t i = 0; problem == NULL && reader->left; i++) {
        problem = next_posting(reader);
        docs[i] = (uint32_t)reader->doc;
        codes[i] = reader->code;
    }
    return problem;
}

static PyObject *decoded(Reader *reader)
{
    size_t count = reader->count;
    uint32_t *docs = malloc((count + 1) * sizeof *docs);
    uint8_t *codes = malloc(count + 1);
    PyObject *result = NULL;
    if (docs == NULL || codes == NULL) {
        PyErr_NoMemory();
    } else {
        const char *problem = read_all(reader, docs, codes);
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
    Py_buffer buf;
    Reader reader;
    PyObject *result = NULL;
    const Tables *tables = tables_of(PyModule_GetState(module));
    if (tables == NULL || PyObject_GetBuffer(arg, &buf, PyBUF_SIMPLE) < 0)
        return NULL;
    const char *problem = open_list(&reader, tables, buf.buf, (size_t)buf.len);
    result = problem == NULL ? decoded(&reader) : refuse(problem);
    PyBuffer_Release(&buf);
    return result;
}

static const char *count(Reader *reader, const Py_buffer *live, int64_t *found)
{
    const uint8_t *alive = live->buf;
    *found = live->len < 0 ? reader->count : 0;
    while (live->len >= 0 && reader->left) {
        const char *problem = next_posting(reader);
        if (problem != NULL)
            return problem;
        if (reader->doc >= (uint64_t)live->len)
            return "posting list has a document beyond the live ones";
        *found += alive[reader->doc] != 0;
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
    Reader reader;
    int64_t found = 0;
    const Tables *tables = tables_of(PyModule_GetState(module));
    if (tables == NULL || !PyArg_ParseTupleAndKeywords(args, keywords, "y*O", names, &buf, &mask))
        return NULL;
    if (buffer_or_none(mask, &live) < 0) {
        PyBuffer_Release(&buf);
        return NULL;
    }
    const char *problem;
    Py_BEGIN_ALLOW_THREADS
    problem = open_list(&reader, tables, buf.buf, (size_t)buf.len);
    if (problem == NULL)
        problem = count(&reader, &live, &found);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&buf);
    PyBuffer_Release(&live);
    return problem != NULL ? refuse(problem) : PyLong_FromLongLong(found);
}
