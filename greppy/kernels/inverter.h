/* What an Inverter holds between `add` and `finish`. */

#ifndef GREPPY_INVERTER_H
#define GREPPY_INVERTER_H

#include "intern.h"

typedef struct {
    uint32_t first, count; /* into Inverter.expansions */
} Expansion;

enum { RECENT = 1 << 13, LONGEST_RECENT = 23 };

/* A run met lately with its terms, in half a line of the processor's cache: source code repeats its words, and a look
 * into the table of all runs misses that cache three times. */
typedef struct {
    Expansion terms;
    uint8_t size, text[LONGEST_RECENT];
} Recent;

typedef struct {
    uint32_t df, last; /* documents so far; the record of the last one */
} Term;

typedef struct {
    uint32_t term, doc;
    uint8_t tf[FIELDS]; /* saturating: the highest level begins far below 255 */
} Record;

typedef struct {
    uint64_t body, comment;
    uint32_t doc;
} Length;

typedef struct {
    PyObject_HEAD
    PyObject *expand;
    State *state;
    int busy, finished;
    int64_t docs;
    uint64_t totals[FIELDS];
    Strings runs, terms;
    Recent *recent; /* RECENT of them, each at its hash */
    Expansion *of_run;
    uint32_t *expansions;
    Term *of_term;
    Record *records;
    Length *lengths;
    size_t run_capacity, expansions_used, expansions_capacity, term_capacity;
    size_t records_used, records_capacity, first_record; /* the first one of the latest document */
    size_t lengths_used, lengths_capacity;
} Inverter;

/* What `finish` returns. */
PyObject *inverted_lists(const Inverter *self);

#endif
