/* Looking for many literal strings at once, in one pass over the text. */

#ifndef GREPPY_SEVERAL_H
#define GREPPY_SEVERAL_H

#include "needles.h"

enum { WINDOW = 3, GROUPS = 8, MOST_AT_ONCE = 64 };

/* Of each needle a window of bytes, the rarest in source code, is looked for, `offsets` behind its beginning. The
 * needles are in groups; `low` and `high` say for each byte of a window, by the lower and the upper half of what stands
 * there, in which groups it fits. */
typedef struct {
    int usable;
    size_t offsets[MOST_AT_ONCE];
    uint8_t low[WINDOW][16], high[WINDOW][16];
} Several;

/* `usable` where this processor can do it, and it pays. */
void prepare_several(Several *several, const Needles *needles);

/* A place of a needle in [at, end), in the first line that has one; NULL for none. Needs no GIL. */
const uint8_t *find_several(const Several *several, const Needles *needles, const uint8_t *at, const uint8_t *end);

#endif
