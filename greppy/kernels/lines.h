/* Going through a text from one place of a needle to the next, counting lines. Needs no GIL. */

#ifndef GREPPY_LINES_H
#define GREPPY_LINES_H

#include "needles.h"

/* Line feeds in [at, end). */
size_t count_feeds(const uint8_t *at, const uint8_t *end);

/* The first place from `at` on of any needle, or `end`. `next` keeps the latest place of each, NULL before the first
 * search. */
const uint8_t *next_match(const Needles *needles, const uint8_t **next, const uint8_t *at, const uint8_t *end);

/* Adds bytes to a buffer; -1 when memory is exhausted. */
int append(Bytes *out, const void *data, size_t size);

/* Where the line of `at` begins, which is not before `least`, and where its line feed or the text ends. */
const uint8_t *line_begin(const uint8_t *least, const uint8_t *at);
const uint8_t *line_end(const uint8_t *at, const uint8_t *end);

#endif
