/* What scores.c and impacts.c share. */

#ifndef GREPPY_SCORES_H
#define GREPPY_SCORES_H

#include "postings.h"

/* The tables by which a posting's code and a document's lengths become x. */
typedef struct {
    const uint8_t *codes, *lengths, *norms;
} Weighing;

/* x of BM25F: what the fields of a posting are worth together. */
static inline double weigh(const Weighing *w, int64_t doc, uint8_t code)
{
    double body = load_f64(w->norms, w->lengths[2 * doc]), comment = load_f64(w->norms, 256 + w->lengths[2 * doc + 1]);
    return load_f64(w->codes, code) + load_f64(w->codes, 256 + code) * comment + load_f64(w->codes, 512 + code) * body;
}

/* What the best chunks of a blob are worth together: the best, and up to three more by their factors. */
typedef struct {
    double best[4], follow[3];
    Py_ssize_t size, follows;
} Top;

static inline void add_to_top(Top *top, double score)
{
    Py_ssize_t at = top->size;
    if (top->size <= top->follows)
        top->size++;
    else if (!(score > top->best[--at]))
        return;
    for (; at > 0 && score > top->best[at - 1]; at--)
        top->best[at] = top->best[at - 1];
    top->best[at] = score;
}

static inline double sum_of_top(const Top *top)
{
    double total = top->size ? top->best[0] : 0.0;
    for (Py_ssize_t i = 1; i < top->size; i++)
        total += top->follow[i - 1] * top->best[i];
    return total;
}

/* Reads the factors of those that follow; -1 with an exception set. */
int read_follow(Top *top, PyObject *follow);

#endif
