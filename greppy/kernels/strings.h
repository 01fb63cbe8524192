/* Tables of strings: what strings.c and term_merge.c share. */

#ifndef GREPPY_STRINGS_H
#define GREPPY_STRINGS_H

#include "prefix.h"

enum { STRING_BLOCK = 64, LONGEST_STRING = 255 };

/* One kind's tables, and the latest string that was read or written. */
typedef struct {
    const Tables *tables;
    unsigned first; /* table */
    size_t size;
    uint8_t text[LONGEST_STRING];
} Coder;

/* The coder of terms. */
Coder term_coder(const Tables *tables);

/* Reads the next string. */
const char *take_string(BitReader *bits, Coder *coder);

/* A table while it grows. */
typedef struct {
    BitWriter bits;
    Coder coder;
    uint32_t *index;
    size_t used, capacity;
    uint32_t count;
} StringWriter;

/* Appends a string of at most LONGEST_STRING bytes. A problem; NO_ROOM where memory is exhausted. Needs no GIL. */
const char *append_string(StringWriter *writer, const uint8_t *text, size_t size);

/* (index, blocks). */
PyObject *finish_strings(StringWriter *writer);

void free_strings_writer(StringWriter *writer);

/* How many strings an index tells, and how many blocks. */
const char *open_string_index(const Py_buffer *index, uint32_t *count, uint32_t *blocks);

#endif
