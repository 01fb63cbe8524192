/* Prefix codes, in line because they are the innermost loop of every search. */

#ifndef GREPPY_PREFIX_H
#define GREPPY_PREFIX_H

#include "bits.h"

enum { WIDTH_TABLES = 0, FIRST_TABLES = 10, CODE_TABLES = 20, TERM_TABLES = 30, SYMBOL_TABLES = 36, ALL_TABLES = 42 };
enum { WIDEST_CODE = 10, WIDEST_ESCAPED = 18, CODE_MASK = (1 << WIDEST_CODE) - 1, ESCAPED = 16 };

/* `take` has for the next ten bits the value << 5, whether it is escaped, and the bits of its code; `code` and `width`
 * are by value, an escape's 8 bits with it. The contexts are those that follow a value. */
typedef struct Tables {
    uint16_t take[ALL_TABLES][1 << WIDEST_CODE];
    uint32_t code[ALL_TABLES][256];
    uint8_t width[ALL_TABLES][256];
    uint8_t after_width[256], after_code[256], after_byte[256];
} Tables;

static inline unsigned take_value(BitReader *bits, const uint16_t *table)
{
    uint64_t word = peek(bits);
    uint16_t entry = table[word & CODE_MASK];
    bits->at += entry & 15;
    if (!(entry & ESCAPED))
        return entry >> 5;
    bits->at += 8;
    return (unsigned)(word >> (entry & 15)) & 0xFF;
}

static inline void put_value(BitWriter *bits, const Tables *tables, unsigned table, unsigned value)
{
    put(bits, tables->code[table][value], tables->width[table][value]);
}

#endif
