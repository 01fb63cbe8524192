/* Posting lists as they lie on disk: blocks of them, written and read. */

#include "postings.h"

enum { LIST_BLOCK = 64 };

static void copy_bits(BitWriter *out, const uint8_t *data, size_t size, uint64_t at, uint64_t count)
{
    BitReader bits = {data, size, at};
    for (; count >= 32; count -= 32, bits.at += 32)
        put(out, peek(&bits) & UINT32_MAX, 32);
    put(out, peek(&bits) & (((uint64_t)1 << count) - 1), (unsigned)count);
}

static int begin_block(StoredWriter *writer)
{
    align(&writer->bits);
    if (writer->bits.out.used > UINT32_MAX ||
        grow(&writer->index, &writer->capacity, writer->used + 1, sizeof *writer->index) < 0)
        return -1;
    writer->index[writer->used++] = (uint32_t)writer->bits.out.used;
    writer->before = no_first();
    return 0;
}

/* Its distance from the one before, with the sign as the lowest bit, plus 1: the width, and the bits below it. */
static void put_first(BitWriter *bits, First *before, const Tables *tables, uint32_t doc)
{
    uint32_t number = doc >= before->doc ? 2 * (doc - before->doc) + 1 : 2 * (before->doc - doc);
    unsigned width = log_2(number);
    put_value(bits, tables, before->table, width);
    put(bits, number - ((uint32_t)1 << width), width);
    *before = (First){doc, FIRST_TABLES + tables->after_width[width]};
}

static const char *take_first(BitReader *bits, First *before, const Tables *tables, uint32_t docs)
{
    uint64_t word = peek(bits);
    uint16_t entry = tables->take[before->table][word & CODE_MASK];
    unsigned length = entry & 15, width = entry >> 5;
    uint64_t highest = (uint64_t)1 << width, number = highest | (word >> length & (highest - 1));
    int64_t doc = number & 1 ? before->doc + (int64_t)(number / 2) : before->doc - (int64_t)(number / 2);
    bits->at += length + width;
    if (overrun(bits))
        return TRUNCATED;
    if (doc < 0 || doc >= docs)
        return "posting list has a document beyond the last one";
    *before = (First){(uint32_t)doc, FIRST_TABLES + tables->after_width[width]};
    return NULL;
}

const char *store_postings(StoredWriter *writer, uint32_t count, const uint8_t *data, size_t bytes, uint64_t size)
{
    BitWriter *bits = &writer->bits;
    BitReader list = {data, bytes, 0};
    uint32_t first = take_short(&list, writer->docs);
    if (size >= UINT32_MAX)
        return "a list has at most 512 MiB";
    if (room_for(bits, (size_t)(size / 64) + 4) < 0 || (writer->lists % LIST_BLOCK == 0 && begin_block(writer) < 0))
        return NO_ROOM;
    writer->lists++;
    put_gamma(bits, count);
    if (count >= LONG_POSTINGS)
        put_gamma(bits, (uint32_t)(size - list.at) + 1);
    put_first(bits, &writer->before, writer->tables, first);
    copy_bits(bits, data, bytes, list.at, size - list.at);
    return NULL;
}

static const char *store_list(StoredWriter *writer, Reader *reader)
{
    const char *problem = NULL;
    if (reader->docs != writer->docs || reader->count == 0)
        return "a list must have postings, and as many documents as the others";
    while (problem == NULL && reader->left)
        problem = next_posting(reader);
    const BitReader *bits = &reader->bits;
    return problem != NULL ? problem : store_postings(writer, reader->count, bits->data, bits->size, bits->at);
}

PyObject *finish_lists(StoredWriter *writer)
{
    if (room_for(&writer->bits, 1) < 0 || grow(&writer->index, &writer->capacity, writer->used + 1, 4) < 0)
        return PyErr_NoMemory();
    align(&writer->bits);
    const Bytes *out = &writer->bits.out;
    if (out->used > UINT32_MAX)
        return refuse("posting lists have at most 4 GiB");
    uint32_t head[2] = {writer->docs, writer->lists};
    writer->index[writer->used] = (uint32_t)out->used;
    return Py_BuildValue("Ny#", numbers_of(head, 2, writer->index, writer->used + 1), out->data, (Py_ssize_t)out->used);
}

void free_lists_writer(StoredWriter *writer)
{
    free(writer->bits.out.data);
    free(writer->index);
}

static int store_next(StoredWriter *writer, const Tables *tables, const Py_buffer *lists, size_t *start, PyObject *end)
{
    Reader reader;
    Py_ssize_t stop = PyNumber_AsSsize_t(end, NULL);
    if (stop == -1 && PyErr_Occurred())
        return -1;
    const char *problem = NULL;
    if (stop < 0 || (size_t)stop < *start || stop > lists->len)
        problem = "the ends of lists must not descend, nor pass the last list";
    if (problem == NULL)
        problem = open_list(&reader, tables, (const uint8_t *)lists->buf + *start, (size_t)stop - *start);
    if (problem == NULL)
        problem = store_list(writer, &reader);
    *start = (size_t)stop;
    return refused(problem);
}

PyObject *fast_pack_lists(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"lists", "ends", "universe", NULL};
    Py_buffer lists;
    Py_ssize_t universe;
    PyObject *sequence;
    const Tables *tables = tables_of(PyModule_GetState(module));
    if (tables == NULL || !PyArg_ParseTupleAndKeywords(args, keywords, "y*On", names, &lists, &sequence, &universe))
        return NULL;
    PyObject *ends = PySequence_Tuple(sequence), *result = NULL;
    StoredWriter writer = {.tables = tables, .docs = universe < 0 || universe > DOCS ? UINT32_MAX : (uint32_t)universe};
    int failed = ends == NULL;
    size_t start = 0;
    for (Py_ssize_t i = 0; !failed && i < PyTuple_GET_SIZE(ends); i++)
        failed = store_next(&writer, tables, &lists, &start, PyTuple_GET_ITEM(ends, i)) < 0;
    if (!failed)
        result = finish_lists(&writer);
    free_lists_writer(&writer);
    Py_XDECREF(ends);
    PyBuffer_Release(&lists);
    return result;
}

const char *next_stored(Reader *reader, BitReader *bits, First *before, const Tables *tables, uint32_t docs,
                        int64_t *size)
{
    uint32_t long_size = 0;
    *reader = (Reader){.tables = tables, .docs = docs, .given = 1};
    const char *problem = take_gamma(bits, &reader->count);
    if (problem == NULL && reader->count >= LONG_POSTINGS)
        problem = take_gamma(bits, &long_size);
    if (problem != NULL)
        return problem;
    if (overrun(bits))
        return TRUNCATED;
    if (reader->count > docs)
        return TOO_MANY;
    problem = take_first(bits, before, tables, docs);
    if (problem != NULL)
        return problem;
    reader->doc = before->doc;
    *size = (int64_t)long_size - 1;
    reader->bits = *bits;
    begin_list(reader);
    return NULL;
}

const char *skip_stored(const Reader *reader, BitReader *bits, int64_t size)
{
    const char *problem = NULL;
    Reader ahead = *reader;
    if (size < 0) {
        while (problem == NULL && ahead.left)
            problem = next_posting(&ahead);
        bits->at = ahead.bits.at;
    } else {
        bits->at += (uint64_t)size;
    }
    return problem == NULL && overrun(bits) ? TRUNCATED : problem;
}

const char *take_stored(BitWriter *out, const Tables *tables, const uint8_t *block, size_t size, uint32_t place,
                        uint32_t docs)
{
    BitReader bits = {block, size, 0};
    Reader reader;
    First first = no_first();
    uint64_t start = 0;
    int64_t bits_of_list;
    const char *problem = NULL;
    for (uint32_t i = 0; problem == NULL && i <= place; i++) {
        problem = next_stored(&reader, &bits, &first, tables, docs, &bits_of_list);
        start = bits.at;
        if (problem == NULL)
            problem = skip_stored(&reader, &bits, bits_of_list);
    }
    if (problem != NULL)
        return problem;
    if (room_for(out, (size_t)((bits.at - start) / 64) + 4) < 0)
        return NO_ROOM;
    put_list_head(out, docs, reader.count);
    put_short(out, first.doc, docs);
    copy_bits(out, block, size, start, bits.at - start);
    align(out);
    return NULL;
}

PyObject *fast_take_list(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"block", "place", "universe", NULL};
    Py_buffer block;
    Py_ssize_t place, universe;
    PyObject *result = NULL;
    BitWriter out = {.filled = 0};
    const Tables *tables = tables_of(PyModule_GetState(module));
    if (tables == NULL || !PyArg_ParseTupleAndKeywords(args, keywords, "y*nn", names, &block, &place, &universe))
        return NULL;
    const char *problem = "a place is from 0 to 63, of at most 2**31 documents";
    if (place >= 0 && place < LIST_BLOCK && universe >= 0 && universe <= DOCS)
        problem = take_stored(&out, tables, block.buf, (size_t)block.len, (uint32_t)place, (uint32_t)universe);
    if (refused(problem) == 0)
        result = PyBytes_FromStringAndSize((const char *)out.out.data, (Py_ssize_t)out.out.used);
    free(out.out.data);
    PyBuffer_Release(&block);
    return result;
}
