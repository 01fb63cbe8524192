/* The layout of a trigram index, read and written. Whatever the bits are, decoded lists ascend within their range: only
 * the sizes must be checked. */

#include "trigrams.h"

static const char CUT_OFF[] = "trigram list is truncated";

const char *open_blocks(Blocks *blocks, const Py_buffer *buf)
{
    static const char PROBLEM[] = "trigram blocks have a wrong length";
    if (buf->len % 8 || buf->len < 16)
        return PROBLEM;
    blocks->numbers = buf->buf;
    blocks->docs = load_u32(blocks->numbers, 0);
    blocks->trigrams = load_u32(blocks->numbers, 1);
    uint64_t count = (uint64_t)buf->len / 8 - 2;
    if (blocks->docs > MOST_DOCS || count != ((uint64_t)blocks->trigrams + TRIGRAM_BLOCK - 1) / TRIGRAM_BLOCK)
        return PROBLEM;
    blocks->count = (uint32_t)count;
    return NULL;
}

const char *block_place(const Blocks *blocks, uint32_t block, uint32_t *start, uint32_t *end)
{
    *start = load_u32(blocks->numbers, 3 + 2 * (int64_t)block);
    *end = load_u32(blocks->numbers, 5 + 2 * (int64_t)block);
    return *start > *end ? "trigram blocks are out of order" : NULL;
}

int64_t block_of(const Blocks *blocks, uint32_t trigram)
{
    int64_t low = 0, high = blocks->count;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (load_u32(blocks->numbers, 2 + 2 * middle) <= trigram)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

void open_block(BlockReader *reader, const Blocks *blocks, uint32_t block, const uint8_t *data, size_t size)
{
    uint32_t left = blocks->trigrams - TRIGRAM_BLOCK * block;
    *reader = (BlockReader){
        .bits = {data, size, 0},
        .trigram = load_u32(blocks->numbers, 2 + 2 * (int64_t)block),
        .left = left < TRIGRAM_BLOCK ? left : TRIGRAM_BLOCK,
        .docs = blocks->docs,
    };
}

const char *next_trigram(BlockReader *reader)
{
    uint32_t gap = 0, size = 0;
    const char *problem = reader->started ? take_gamma(&reader->bits, &gap) : NULL;
    if (problem == NULL)
        problem = take_gamma(&reader->bits, &reader->count);
    if (problem == NULL && reader->count >= LONG_LIST)
        problem = take_gamma(&reader->bits, &size);
    if (problem != NULL)
        return problem;
    if (overrun(&reader->bits))
        return CUT_OFF;
    uint64_t trigram = (uint64_t)reader->trigram + gap;
    if (trigram >= END_TRIGRAM || reader->count > reader->docs)
        return "trigram list has a number beyond its range";
    reader->trigram = (uint32_t)trigram;
    reader->size = size;
    reader->started = 1;
    reader->left--;
    return NULL;
}

static void take_ascending(BitReader *bits, uint32_t *docs, uint32_t count, uint32_t low, uint32_t high)
{
    while (count) {
        uint32_t spare = high - low + 1 - count, middle = count / 2;
        if (spare == 0) {
            for (uint32_t i = 0; i < count; i++)
                docs[i] = low + i;
            return;
        }
        docs[middle] = low + middle + take_short(bits, spare + 1);
        if (middle)
            take_ascending(bits, docs, middle, low, docs[middle] - 1);
        low = docs[middle] + 1;
        docs += middle + 1;
        count -= middle + 1;
    }
}

const char *take_list(BlockReader *reader, uint32_t *docs)
{
    uint64_t start = reader->bits.at;
    if (reader->count)
        take_ascending(&reader->bits, docs, reader->count, 0, reader->docs - 1);
    if (overrun(&reader->bits))
        return CUT_OFF;
    int wrong = reader->count >= LONG_LIST && reader->bits.at - start != reader->size - 1;
    return wrong ? "trigram list has a wrong size" : NULL;
}

const char *skip_list(BlockReader *reader)
{
    uint32_t scratch[LONG_LIST];
    if (reader->count < LONG_LIST)
        return take_list(reader, scratch);
    reader->bits.at += reader->size - 1;
    return overrun(&reader->bits) ? CUT_OFF : NULL;
}

static void put_ascending(BitWriter *bits, const uint32_t *docs, uint32_t count, uint32_t low, uint32_t high)
{
    while (count) {
        uint32_t spare = high - low + 1 - count, middle = count / 2, doc = docs[middle];
        if (spare == 0)
            return;
        put_short(bits, doc - low - middle, spare + 1);
        if (middle)
            put_ascending(bits, docs, middle, low, doc - 1);
        low = doc + 1;
        docs += middle + 1;
        count -= middle + 1;
    }
}

static uint32_t measure_ascending(const uint32_t *docs, uint32_t count, uint32_t low, uint32_t high)
{
    uint32_t bits = 0;
    while (count) {
        uint32_t spare = high - low + 1 - count, middle = count / 2, doc = docs[middle];
        if (spare == 0)
            break;
        unsigned width = log_2(spare + 1);
        bits += width + (doc - low - middle >= ((uint64_t)2 << width) - (spare + 1));
        if (middle)
            bits += measure_ascending(docs, middle, low, doc - 1);
        low = doc + 1;
        docs += middle + 1;
        count -= middle + 1;
    }
    return bits;
}

static int begin_block(IndexWriter *writer, uint32_t trigram)
{
    align(&writer->bits);
    if (writer->bits.out.used > UINT32_MAX ||
        grow(&writer->blocks, &writer->capacity, writer->used + 2, sizeof *writer->blocks) < 0)
        return -1;
    writer->blocks[writer->used++] = trigram;
    writer->blocks[writer->used++] = (uint32_t)writer->bits.out.used;
    return 0;
}

int put_trigram(IndexWriter *writer, uint32_t trigram, const uint32_t *docs, uint32_t count)
{
    BitWriter *bits = &writer->bits;
    if (room_for(bits, (size_t)count + 4) < 0)
        return -1;
    if (writer->trigrams++ % TRIGRAM_BLOCK)
        put_gamma(bits, trigram - writer->before);
    else if (begin_block(writer, trigram) < 0)
        return -1;
    writer->before = trigram;
    if (8 * (uint64_t)count > 7 * (uint64_t)writer->docs)
        count = writer->docs;
    put_gamma(bits, count);
    if (count >= LONG_LIST)
        put_gamma(bits, count == writer->docs ? 1 : measure_ascending(docs, count, 0, writer->docs - 1) + 1);
    if (count < writer->docs)
        put_ascending(bits, docs, count, 0, writer->docs - 1);
    return 0;
}

static PyObject *blocks_of(const IndexWriter *writer)
{
    size_t size = 4 * (writer->used + 4);
    PyObject *blocks = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (blocks == NULL)
        return NULL;
    uint32_t head[2] = {writer->docs, writer->trigrams}, tail[2] = {END_TRIGRAM, (uint32_t)writer->bits.out.used};
    char *at = PyBytes_AS_STRING(blocks);
    memcpy(at, head, 8);
    if (writer->used)
        memcpy(at + 8, writer->blocks, 4 * writer->used);
    memcpy(at + size - 8, tail, 8);
    return blocks;
}

PyObject *finish_index(IndexWriter *writer)
{
    if (room_for(&writer->bits, 1) < 0)
        return PyErr_NoMemory();
    align(&writer->bits);
    const Bytes *lists = &writer->bits.out;
    if (lists->used > UINT32_MAX)
        return refuse("a trigram index has at most 4 GiB");
    return Py_BuildValue("Ny#", blocks_of(writer), lists->data, (Py_ssize_t)lists->used);
}

void free_index(IndexWriter *writer)
{
    free(writer->bits.out.data);
    free(writer->blocks);
}
