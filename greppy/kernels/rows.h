/* The lines of a text that match, as `git grep` prints them. */

#ifndef GREPPY_ROWS_H
#define GREPPY_ROWS_H

#include "chains.h"

enum { LINES, COUNTS, NAMES };
enum { AS_GIT, AS_TEXT, LEAVE_OUT };

/* What is printed of each file, and how. */
typedef struct {
    int mode, binaries, paths, numbers, null;
    const char *separator, *end; /* of one byte each */
} Style;

/* Takes (mode, binaries, paths, numbers, null); -1 with an exception set. */
int take_style(Style *style, PyObject *tuple);

/* Appends what is to be printed of a text under a name. PRESENT or ABSENT whether it is anything; UNKNOWN where that
 * cannot be decided here, and nothing was appended; -1 when memory is exhausted. Needs no GIL. */
int print_rows(const Chains *chains, const Style *style, const char *name, size_t name_size, const uint8_t *text,
               size_t size, Bytes *out);

#endif
