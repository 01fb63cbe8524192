/* Bits, in line because they are the innermost loop of every exact search; the codes are those of reference/bits.py.
 * The order of bits is that of little-endian words, as the rest of the index is little-endian. */

#ifndef GREPPY_BITS_H
#define GREPPY_BITS_H

#include "fast.h"

enum { WIDEST_GAMMA = 31 };

/* Beyond the end there are zeros; whether they were read is asked for by `overrun`. */
typedef struct {
    const uint8_t *data;
    uint64_t size, at; /* bytes; bits */
} BitReader;

static inline int overrun(const BitReader *bits) { return bits->at > 8 * bits->size; }

/* At least 57 bits from here on. */
static inline uint64_t peek(const BitReader *bits)
{
    uint64_t byte = bits->at >> 3, word = 0;
    if (bits->size >= 8 && byte <= bits->size - 8)
        memcpy(&word, bits->data + byte, 8);
    else if (byte < bits->size)
        memcpy(&word, bits->data + byte, (size_t)(bits->size - byte));
    return word >> (bits->at & 7);
}

static inline unsigned log_2(uint32_t value)
{
#if defined(__GNUC__)
    return 31u - (unsigned)__builtin_clz(value);
#else
    unsigned width = 0;
    while (value >>= 1)
        width++;
    return width;
#endif
}

static inline uint32_t take_short(BitReader *bits, uint32_t choices)
{
    unsigned width = log_2(choices);
    uint64_t word = peek(bits), low = ((uint64_t)2 << width) - choices;
    uint64_t value = word & (((uint64_t)1 << width) - 1);
    bits->at += width;
    if (value >= low) {
        value = low + 2 * (value - low) + (word >> width & 1);
        bits->at++;
    }
    return (uint32_t)value;
}

static inline const char *take_gamma(BitReader *bits, uint32_t *value)
{
    uint64_t word = peek(bits);
    unsigned width = 0;
    while (width <= WIDEST_GAMMA && !(word >> width & 1))
        width++;
    bits->at += width;
    if (bits->at >= 8 * bits->size)
        return "trigram list is truncated";
    if (width > WIDEST_GAMMA)
        return "trigram list has a number of more than 32 bits";
    bits->at++;
    *value = (uint32_t)((uint64_t)1 << width | (peek(bits) & (((uint64_t)1 << width) - 1)));
    bits->at += width;
    return NULL;
}

/* Appends to `out`, in which there must be room: `room_for` gives it. */
typedef struct {
    Bytes out;
    uint64_t pending;
    unsigned filled;
} BitWriter;

static inline int room_for(BitWriter *bits, size_t codes)
{
    return grow(&bits->out.data, &bits->out.capacity, bits->out.used + 8 * codes + 16, 1);
}

static inline void put(BitWriter *bits, uint64_t value, unsigned width)
{
    bits->pending |= value << bits->filled;
    for (bits->filled += width; bits->filled >= 8; bits->filled -= 8) {
        bits->out.data[bits->out.used++] = (uint8_t)bits->pending;
        bits->pending >>= 8;
    }
}

static inline void put_gamma(BitWriter *bits, uint32_t value)
{
    unsigned width = log_2(value);
    put(bits, (uint64_t)1 << width, width + 1);
    put(bits, value - ((uint64_t)1 << width), width);
}

static inline void put_short(BitWriter *bits, uint32_t value, uint32_t choices)
{
    unsigned width = log_2(choices);
    uint64_t low = ((uint64_t)2 << width) - choices;
    if (value < low) {
        put(bits, value, width);
        return;
    }
    put(bits, low + (value - low) / 2, width);
    put(bits, (value - low) % 2, 1);
}

/* Fills the last byte up. */
static inline void align(BitWriter *bits)
{
    if (bits->filled)
        put(bits, 0, 8 - bits->filled);
}

#endif
