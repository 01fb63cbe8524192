/* Texts that stand in one line, one behind the other: what a pattern such as `one.*other` asks for. */

#ifndef GREPPY_CHAINS_H
#define GREPPY_CHAINS_H

#include "several.h"

/* A line is decided as soon as one of the chains stands in it. `keys` has one text of each chain: where none of them
 * stands no chain does, and with `certain` one does where they stand. A letter of `foreign` may match too where the
 * `ordinary` one of the same place does. */
typedef struct {
    Needles keys, foreign, ordinary, *chains;
    Several several; /* of the keys */
    size_t count;
    int word, certain;
} Chains;

enum { ABSENT, PRESENT, UNKNOWN };

/* Takes (chains, foreign, fold, word); -1 with an exception set. To be freed in any case. */
int take_chains(Chains *chains, PyObject *tuple);
void free_chains(Chains *chains);

/* Whether a chain stands in the line [line, end), in which the key of one stands. Needs no GIL. */
int judge_line(const Chains *chains, const uint8_t *line, const uint8_t *end);

/* Whether a match in the text may need a foreign letter; -1 when memory is exhausted. Needs no GIL. */
int foreign_match(const Chains *chains, const uint8_t *text, const uint8_t *end);

#endif
