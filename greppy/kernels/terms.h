/* The terms of ASCII runs, and the stems of words: what terms.c, stem.c and inverter.c share. */

#ifndef GREPPY_TERMS_H
#define GREPPY_TERMS_H

#include "fast.h"

enum { LONGEST = 64, MOST_PARTS = 16, MOST_TERMS = 1 + 3 * MOST_PARTS };

typedef struct {
    unsigned count;
    uint8_t size[MOST_TERMS];
    uint8_t text[MOST_TERMS][LONGEST];
} Terms;

/* Fills `terms` with those of a run that is_ascii. Needs no GIL. */
void ascii_terms(Terms *terms, const uint8_t *run, size_t size);

int is_ascii(const uint8_t *text, size_t size);

/* Stems a lower-case ASCII word in place; returns how many bytes are left of it. */
size_t stem(uint8_t *word, size_t size);

#endif
