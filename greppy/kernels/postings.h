/* Reading posting lists, in line because it is the innermost loop of every search; writing them. */

#ifndef GREPPY_POSTINGS_H
#define GREPPY_POSTINGS_H

#include "prefix.h"

enum { LIST_HEAD = 8, LONG_POSTINGS = 32, LEAST_POSTING = 2 };

/* Goes through the postings of one list, while some are `left`; `doc` and `code` are those of the latest. */
typedef struct {
    BitReader bits;
    const Tables *tables;
    const uint16_t *widths, *codes; /* the tables for the next posting; `widths` is NULL before the first one */
    uint32_t docs, count, left;
    uint64_t doc;
    uint8_t code;
    int given; /* the first document is in `doc` before it is read */
} Reader;

static const char TRUNCATED[] = "posting list is truncated";
static const char TOO_MANY[] = "posting list has more documents than there are";

static inline void begin_list(Reader *reader)
{
    reader->left = reader->count;
    reader->widths = NULL;
    reader->codes = reader->tables->take[CODE_TABLES];
}

static inline const char *open_list(Reader *reader, const Tables *tables, const uint8_t *data, size_t size)
{
    if (size < LIST_HEAD)
        return TRUNCATED;
    *reader = (Reader){.bits = {data + LIST_HEAD, size - LIST_HEAD, 0}, .tables = tables};
    reader->docs = load_u32(data, 0);
    reader->count = load_u32(data, 1);
    begin_list(reader);
    if (reader->docs > DOCS || reader->count > reader->docs)
        return TOO_MANY;
    return reader->count > 8 * (uint64_t)size / LEAST_POSTING ? TRUNCATED : NULL;
}

static inline const char *next_posting(Reader *reader)
{
    BitReader *bits = &reader->bits;
    const Tables *tables = reader->tables;
    if (reader->widths != NULL) {
        uint64_t word = peek(bits);
        uint16_t entry = reader->widths[word & CODE_MASK];
        unsigned length = entry & 15, width = entry >> 5;
        uint64_t highest = (uint64_t)1 << width;
        bits->at += length + width;
        reader->doc += highest | (word >> length & (highest - 1));
        reader->widths = tables->take[WIDTH_TABLES + tables->after_width[width]];
    } else {
        if (!reader->given)
            reader->doc = take_short(bits, reader->docs);
        reader->widths = tables->take[WIDTH_TABLES];
    }
    reader->code = (uint8_t)take_value(bits, reader->codes);
    reader->codes = tables->take[CODE_TABLES + tables->after_code[reader->code]];
    reader->left--;
    if (overrun(bits))
        return TRUNCATED;
    return reader->doc < reader->docs ? NULL : "posting list has a document beyond the last one";
}

/* The place in a list that is written. */
typedef struct {
    const Tables *tables;
    uint32_t docs, before;
    unsigned widths, codes; /* the next tables */
    int begun;
} ListWriter;

static inline ListWriter begin_postings(const Tables *tables, uint32_t docs)
{
    return (ListWriter){.tables = tables, .docs = docs, .widths = WIDTH_TABLES, .codes = CODE_TABLES};
}

/* Writes one posting, at most 58 bits, for which there must be room; before < doc < docs must hold. */
static inline void put_posting(BitWriter *bits, ListWriter *list, uint32_t doc, uint8_t code)
{
    const Tables *tables = list->tables;
    if (list->begun) {
        uint32_t distance = doc - list->before;
        unsigned width = log_2(distance);
        put_value(bits, tables, list->widths, width);
        put(bits, distance - ((uint32_t)1 << width), width);
        list->widths = WIDTH_TABLES + tables->after_width[width];
    } else {
        put_short(bits, doc, list->docs);
        list->begun = 1;
    }
    put_value(bits, tables, list->codes, code);
    list->codes = CODE_TABLES + tables->after_code[code];
    list->before = doc;
}

/* Appends the head of a list in memory; `bits` must stand at a byte. */
static inline void put_list_head(BitWriter *bits, uint32_t docs, uint32_t count)
{
    put(bits, docs, 32);
    put(bits, count, 32);
}

/* What the first document of a list is told by: that of the list before in its block. */
typedef struct {
    uint32_t doc;
    unsigned table;
} First;

/* Stored lists, written one after the other. */
typedef struct {
    const Tables *tables;
    BitWriter bits;
    First before;
    uint32_t *index;
    size_t used, capacity;
    uint32_t docs, lists;
} StoredWriter;

/* Appends `count` postings of a list in memory, the first `size` bits of the data. A problem; needs no GIL. */
const char *store_postings(StoredWriter *writer, uint32_t count, const uint8_t *data, size_t bytes, uint64_t size);

/* (index, blocks). */
PyObject *finish_lists(StoredWriter *writer);

void free_lists_writer(StoredWriter *writer);

/* Before the first list of a block. */
static inline First no_first(void) { return (First){.table = FIRST_TABLES}; }

/* Opens the next list of a block, at `bits`, for reading; -1 for the size of a short one. */
const char *next_stored(Reader *reader, BitReader *bits, First *before, const Tables *tables, uint32_t docs,
                        int64_t *size);

/* Writes the list at a place of a block as one in memory. A problem; NO_ROOM. */
const char *take_stored(BitWriter *out, const Tables *tables, const uint8_t *block, size_t size, uint32_t place,
                        uint32_t docs);

/* Moves `bits` behind the list that was opened. */
const char *skip_stored(const Reader *reader, BitReader *bits, int64_t size);

#endif
