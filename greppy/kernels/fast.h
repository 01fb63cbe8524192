/* What the C files of greppy.kernels._fast share. Semantics are those of reference.py, which is written to be read;
 * comments here say only what is particular to C.
 *
 * Every buffer may hold any bytes, at any alignment: numbers are read and written through memcpy, each access is
 * bounds-checked, and a problem is reported as a message (NULL: none), so that loops can run without the GIL. */

#ifndef GREPPY_FAST_H
#define GREPPY_FAST_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { NAME, SIGNATURE, COMMENT, BODY, FIELDS };

#define DOCS ((int64_t)1 << 31)

struct Tables;

typedef struct {
    PyObject *array;    /* array.array, once it was needed: importing it costs milliseconds, for collections.abc */
    uint64_t secret[2]; /* keys of the hash tables, so that no file can be written to make them slow */
    struct Tables *tables; /* of the prefix codes, once they were needed */
} State;

/* A growing buffer of bytes. */
typedef struct {
    uint8_t *data;
    size_t used, capacity;
} Bytes;

static inline double load_f64(const uint8_t *base, int64_t index)
{
    double value;
    memcpy(&value, base + 8 * index, 8);
    return value;
}

static inline void store_f64(uint8_t *base, int64_t index, double value) { memcpy(base + 8 * index, &value, 8); }

static inline uint64_t load_u64(const uint8_t *base, int64_t index)
{
    uint64_t value;
    memcpy(&value, base + 8 * index, 8);
    return value;
}

static inline void store_u64(uint8_t *base, int64_t index, uint64_t value) { memcpy(base + 8 * index, &value, 8); }

static inline uint32_t load_u32(const uint8_t *base, int64_t index)
{
    uint32_t value;
    memcpy(&value, base + 4 * index, 4);
    return value;
}

/* Makes room for `needed` items of `size` bytes; -1 when there is none. Needs no GIL, sets no exception. */
int grow(void *items, size_t *capacity, size_t needed, size_t size);

/* The same with the GIL held; -1 with MemoryError set. */
int reserve(void *items, size_t *capacity, size_t needed, size_t size);

/* The tables of the prefix codes; NULL with MemoryError set. */
const struct Tables *tables_of(State *state);

/* The problem of exhausted memory. */
extern const char NO_ROOM[];

/* Raises what a problem tells, NO_ROOM as MemoryError; -1 where there is one, else 0. */
int refused(const char *problem);

/* bytes of two runs of u32, one behind the other. */
PyObject *numbers_of(const uint32_t *head, size_t heads, const uint32_t *tail, size_t tails);

/* Raises ValueError; always NULL. */
PyObject *refuse(const char *problem);

/* memoryview(the `size` bytes at `data`).cast(kind): what the hot path gets, since it needs no import. */
PyObject *new_view(const char *kind, const void *data, size_t size);

/* array.array(kind, the `size` bytes at `data`). */
PyObject *new_array(State *state, const char *kind, const void *data, size_t size);

/* Finds the first run of [*at, end) and moves *at behind it; returns its start, or NULL when there is none. */
const uint8_t *next_run(const uint8_t **at, const uint8_t *end);

/* The same for the parts of an identifier. */
const uint8_t *next_part(const uint8_t **at, const uint8_t *end);

/* The buffer of an argument that may be None, which a length of -1 stands for. */
int buffer_or_none(PyObject *arg, Py_buffer *buf);

/* Whether the numbers of a buffer are whole ones; else raises ValueError. */
int whole_numbers(const Py_buffer *buf, Py_ssize_t size);

extern PyType_Spec inverter_spec, trigram_inverter_spec;

PyObject *fast_runs(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_split_identifier(PyObject *module, PyObject *run);
PyObject *fast_ascii_terms(PyObject *module, PyObject *run);
PyObject *fast_fold_word(PyObject *module, PyObject *run);
PyObject *fast_pack_strings(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_take_strings(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_find_string(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_pack_lists(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_merge_terms(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_take_list(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_code_chunks(PyObject *module, PyObject *args);
PyObject *fast_line_starts(PyObject *module, PyObject *buf);
PyObject *fast_thin_python(PyObject *module, PyObject *text);
PyObject *fast_encode_postings(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_decode_postings(PyObject *module, PyObject *buf);
PyObject *fast_count_postings(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_accumulate(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_top_k(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_blob_scores(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_impacts(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_string_at(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_strings_ending(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_score_lists(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_find_lists(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_beginning_lists(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_joined_lists(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_path_shares(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_name_worths(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_named_wholly(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_file_classes(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_best_blobs(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_best_files(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_excerpts(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_merge_trigrams(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_trigram_list(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_trigram_candidates(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_intersect(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_union(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_members(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_matching_lines(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_print_text(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_path_starts(PyObject *module, PyObject *table);
PyObject *fast_plain_snippet(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_staged_files(PyObject *module, PyObject *args, PyObject *keywords);
#ifndef _WIN32
PyObject *fast_changed_stats(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_stats_now(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_strange_names(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_read_matching(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *fast_print_files(PyObject *module, PyObject *args, PyObject *keywords);
#endif

#endif
