/* The tables of the prefix codes, made of the lengths in tables.h when they are needed first. */

#include "prefix.h"
#include "tables.h"

enum { ESCAPE = 63 };

static unsigned reversed(unsigned code, unsigned width)
{
    unsigned result = 0;
    for (unsigned i = 0; i < width; i++)
        result |= (code >> i & 1) << (width - 1 - i);
    return result;
}

/* Enters one code: of a value, or of the escape before any other. */
static void enter(Tables *t, unsigned table, unsigned code, unsigned width, unsigned value, unsigned flag)
{
    for (unsigned word = code; word <= CODE_MASK; word += 1u << width)
        t->take[table][word] = (uint16_t)(value << 5 | flag | width);
    if (flag) {
        for (unsigned other = 0; other < 256; other++)
            if (t->width[table][other] == 0) {
                t->code[table][other] = code | other << width;
                t->width[table][other] = (uint8_t)(width + 8);
            }
        return;
    }
    t->code[table][value] = code;
    t->width[table][value] = (uint8_t)width;
}

/* `values`: what the symbols stand for; NULL for themselves. Escapes come last, when all other values have a code. */
static void build(Tables *t, unsigned table, const char *lengths, const uint8_t *values)
{
    unsigned code = 0, escape = 0, escape_width = 0;
    for (unsigned width = 1; width <= WIDEST_CODE; width++) {
        code <<= 1;
        for (unsigned symbol = 0; lengths[symbol]; symbol++) {
            unsigned digit = lengths[symbol] == 'a' ? 10 : (unsigned)(lengths[symbol] - '0');
            if (digit != width)
                continue;
            if (symbol == ESCAPE) {
                escape = reversed(code++, width);
                escape_width = width;
            } else {
                enter(t, table, reversed(code++, width), width, values == NULL ? symbol : values[symbol], 0);
            }
        }
    }
    if (escape_width)
        enter(t, table, escape, escape_width, 0, ESCAPED);
}

static uint8_t context_after_code(unsigned code)
{
    if (code >= 0x40)
        return code >= 0x80 ? 1 : 2;
    if (code >= 0x10)
        return code & 15 ? 4 : 3;
    return (uint8_t)(4 + (code < 5 ? code : 5));
}

static uint8_t context_after_byte(unsigned byte)
{
    if (byte >= '0' && byte <= '9')
        return 3;
    return byte && strchr("aeiouyAEIOUY", (int)byte) != NULL ? 4 : 5;
}

static void build_all(Tables *t)
{
    for (unsigned i = 0; i < 10; i++) {
        build(t, WIDTH_TABLES + i, WIDTHS[i], NULL);
        build(t, FIRST_TABLES + i, FIRSTS[i], NULL);
        build(t, CODE_TABLES + i, CODES[i], POSTING_CODES);
    }
    for (unsigned i = 0; i < 6; i++) {
        build(t, TERM_TABLES + i, TERMS[i], i < 2 ? NULL : TERM_BYTES);
        build(t, SYMBOL_TABLES + i, SYMBOLS[i], i < 2 ? NULL : SYMBOL_BYTES);
    }
    for (unsigned value = 0; value < 256; value++) {
        t->after_width[value] = (uint8_t)(value < 5 ? value + 1 : value < 11 ? 6 + (value - 5) / 2 : 9);
        t->after_code[value] = context_after_code(value);
        t->after_byte[value] = context_after_byte(value);
    }
}

const Tables *tables_of(State *state)
{
    if (state->tables == NULL) {
        Tables *tables = calloc(1, sizeof *tables);
        if (tables == NULL) {
            PyErr_NoMemory();
            return NULL;
        }
        build_all(tables);
        state->tables = tables;
    }
    return state->tables;
}
