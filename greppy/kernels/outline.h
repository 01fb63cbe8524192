/* What the captures of a query become on their way to chunks: definitions (pairing.c), ranges of lines (cutting.c,
 * loose.c), chunks with their spans (spans.c). The twin in Python is greppy.analysis.{pairing,cutting,loose,spans};
 * what the numbers mean is said there.
 *
 * Offsets and lines are int32_t, with -1 for unknown: texts of 1 GiB are refused. Offsets of captures may lie beyond
 * the text, so every piece of it is clipped. */

#ifndef GREPPY_OUTLINE_H
#define GREPPY_OUTLINE_H

#include "fast.h"

/* Roles of captures, in the order in which those that begin together are paired; the last four are no part of a
 * definition. As greppy.analysis.roles has them. */
typedef enum {
    AS_OUTER, AS_MAJOR, AS_MINOR, AS_TAIL, AS_KEYWORD, AS_RECEIVER, AS_NAME, AS_BODY,
    AS_COMMENT, AS_DOCSTRING, AS_ATTRIBUTE, AS_IMPORT, ROLES
} Role;

/* Traits of kinds. */
enum { IS_TYPE = 1, IS_FUNCTION = 2, IS_MINOR = 4, IS_SCOPE = 8 };

enum { LONG_FUNCTION = 60, MOST_BYTES = 4096 };

typedef struct {
    int32_t start, end;
} Range;

typedef struct {
    Range *items;
    size_t used, capacity;
} Ranges;

/* A text and where its lines begin, with one more start for its end. */
typedef struct {
    const uint8_t *text;
    int32_t size, count;
    int32_t *starts;
} Page;

/* What the names of captures and kinds mean. All is borrowed from the arguments of the call. */
typedef struct {
    PyObject *kinds, *captures, *calls, *name_of;
    const uint8_t *traits;
    int none, call, code, function, imports, method; /* ordinals of kinds */
} Roles;

typedef struct {
    int32_t start, end, head, body, name_start, name_end;
    int32_t parent, receivers; /* the definition around it; its first receiver */
    int kind;
    PyObject *symbol; /* NULL: "" */
} Definition;

typedef struct {
    Range range;
    int32_t next;
} Receiver;

/* `found` are the ordinals of the definitions that count, in order. */
typedef struct {
    Definition *definitions;
    size_t definitions_used, definitions_capacity;
    int32_t *found;
    size_t found_used, found_capacity;
    Receiver *receivers;
    size_t receivers_used, receivers_capacity;
    Ranges comments, docstrings, attributes, imports;
} Outline;

/* Lines that become one chunk, from 0, inclusive. */
typedef struct {
    int32_t first, last;
    int kind;
    PyObject *symbol; /* borrowed; NULL: "" */
} Cut;

typedef struct {
    Cut *items;
    size_t used, capacity;
} Cuts;

/* All functions that may fail return -1 with an exception set. */
int open_page(Page *page, const Py_buffer *text);
int push_range(Ranges *ranges, int32_t start, int32_t end);
int push_cut(Cuts *cuts, Cut cut);
int compare_ranges(const void *one, const void *other);
int has_trait(const Roles *roles, int kind, int trait);

/* The first of starts[low..high) that is larger than `offset`, as Python's bisect_right. */
int32_t right_of(const int32_t *starts, int32_t offset, int32_t low, int32_t high);
int32_t line_of(const Page *page, int32_t offset);
Range lines_of(const Page *page, int32_t start, int32_t end);

/* Whether text[start:end] is empty or white space; whether a line is. */
int is_empty(const Page *page, int32_t start, int32_t end);
int is_blank_line(const Page *page, int32_t line);
int is_space(uint8_t byte);

int pair_captures(Outline *outline, const Page *page, const Roles *roles, PyObject *captures);
void free_outline(Outline *outline);

int cut_outline(Cuts *cuts, const Outline *outline, const Page *page, const Roles *roles);

/* Cuts the lines first..last into windows of code, with this kind and symbol. */
int cut_windows(Cuts *cuts, const Page *page, Cut whole);

/* What lies between definitions: the constants among `minors`, and runs of imports, both by line. */
typedef struct {
    const Page *page;
    const Roles *roles;
    Cuts minors, pieces;
    Ranges runs;
} Loose;

int open_loose(Loose *loose, const Ranges *imports);
int cut_loose(Loose *loose, Cuts *cuts, Cut whole);
void free_loose(Loose *loose);

#endif
