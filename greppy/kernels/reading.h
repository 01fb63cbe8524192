/* Reading many files below one root in several threads. Not for Windows. */

#ifndef GREPPY_READING_H
#define GREPPY_READING_H

#include "fast.h"

/* What came of a file: an errno, or what is kept of it (NULL: nothing), which is its own text where `whole`. */
typedef struct {
    uint8_t *data;
    size_t size;
    int error, whole;
} Outcome;

/* Which files, and what is kept of them: `keep` is called in any thread, without the GIL, and gives 0 or an errno. */
typedef struct {
    const char *root;
    Py_buffer table, starts, wanted;
    Py_ssize_t limit;
    int (*keep)(const void *how, const char *path, const Bytes *text, Outcome *outcome);
    const void *how;
} Reading;

/* How many files are wanted. */
size_t files_of(const Reading *reading);

/* Whether the path table, its starts and the ordinals fit together; else an exception is set. */
int can_read(const Reading *reading);

/* An outcome for each file, to be freed by `free_outcomes`; NULL with MemoryError set. */
Outcome *read_outcomes(const Reading *reading);
void free_outcomes(Outcome *outcomes, size_t count);

void close_reading(Reading *reading);

/* Keeps the whole text of a file. */
int keep_text(const Bytes *text, Outcome *outcome);

#endif
