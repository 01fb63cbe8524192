/* Literal strings that are looked for in text, with or without regard to the case of ASCII letters. */

#ifndef GREPPY_NEEDLES_H
#define GREPPY_NEEDLES_H

#include "fast.h"

/* `text` is lower-case where case does not count. A place of the text can be the needle's only where the two probes,
 * the bytes of it that are rarest in source code, fit: byte | mask == value. */
typedef struct {
    uint8_t *text;
    size_t size, probes[2];
    uint8_t masks[2], values[2];
} Needle;

typedef struct {
    Needle *items;
    size_t count;
    int fold;
} Needles;

/* Takes a tuple of bytes; -1 with an exception set. To be freed in any case. */
int take_needles(Needles *needles, PyObject *tuple, int fold);
void free_needles(Needles *needles);

/* Whether a needle stands at a place that has room for it. */
int stands_at(const Needle *needle, int fold, const uint8_t *at);

/* How rare a byte is in source code: the greater, the rarer. */
size_t byte_rarity(uint8_t byte);

/* The first place in [at, end) where the needle stands, or NULL. Needs no GIL. */
const uint8_t *find_needle(const Needle *needle, int fold, const uint8_t *at, const uint8_t *end);

#endif
