/* The two parts of a trigram index, read and written: what trigrams.c, trigram_merge.c and candidates.c share. */

#ifndef GREPPY_TRIGRAMS_H
#define GREPPY_TRIGRAMS_H

#include "bits.h"

#define MOST_DOCS ((int64_t)1 << 24)
#define END_TRIGRAM ((uint32_t)1 << 24)

enum { TRIGRAM_BLOCK = 64, LONG_LIST = 32 };

/* BLOCKS, opened. */
typedef struct {
    const uint8_t *numbers;
    uint32_t docs, trigrams, count;
} Blocks;

const char *open_blocks(Blocks *blocks, const Py_buffer *buf);
const char *block_place(const Blocks *blocks, uint32_t block, uint32_t *start, uint32_t *end);
int64_t block_of(const Blocks *blocks, uint32_t trigram);

/* Goes through one block: `next_trigram` while something is left, then `take_list` or `skip_list`. */
typedef struct {
    BitReader bits;
    uint32_t trigram, count, size, left, docs;
    int started;
} BlockReader;

void open_block(BlockReader *reader, const Blocks *blocks, uint32_t block, const uint8_t *data, size_t size);
const char *next_trigram(BlockReader *reader);
const char *take_list(BlockReader *reader, uint32_t *docs);
const char *skip_list(BlockReader *reader);

/* An index while it grows, trigram by trigram. */
typedef struct {
    BitWriter bits;
    uint32_t *blocks;
    size_t used, capacity;
    uint32_t docs, trigrams, before;
} IndexWriter;

/* -1 when memory is exhausted, or LISTS would pass 4 GiB. Needs no GIL. */
int put_trigram(IndexWriter *writer, uint32_t trigram, const uint32_t *docs, uint32_t count);

/* (BLOCKS, LISTS). */
PyObject *finish_index(IndexWriter *writer);

void free_index(IndexWriter *writer);

#endif
