/* Several trigram indexes made into one: all are gone through at once, trigram by trigram. */

#include "trigrams.h"

#define GONE UINT32_MAX

/* One of the indexes; `trigram` is the one it stands at, END_TRIGRAM behind the last. */
typedef struct {
    Py_buffer blocks_buffer, lists, new_numbers;
    Blocks blocks;
    BlockReader reader;
    uint32_t next_block, trigram, *docs;
} Part;

typedef struct {
    Part *parts;
    Py_ssize_t opened;
    uint32_t docs, *found;
    size_t used, capacity;
    IndexWriter writer;
} Merge;

static const char NO_MEMORY[] = "no memory";
static const char OUT_OF_ORDER[] = "trigram blocks are out of order";

static const char *open_next_block(Part *part)
{
    uint32_t start, end;
    const char *problem = block_place(&part->blocks, part->next_block, &start, &end);
    if (problem != NULL)
        return problem;
    if (end > part->lists.len)
        return "trigram list is truncated";
    const uint8_t *lists = part->lists.buf;
    open_block(&part->reader, &part->blocks, part->next_block++, lists + start, end - start);
    return part->next_block > 1 && part->reader.trigram <= part->trigram ? OUT_OF_ORDER : NULL;
}

static const char *advance(Part *part)
{
    const char *problem = NULL;
    if (part->reader.left == 0 && part->next_block == part->blocks.count) {
        part->trigram = END_TRIGRAM;
        return NULL;
    }
    if (part->reader.left == 0)
        problem = open_next_block(part);
    if (problem == NULL)
        problem = next_trigram(&part->reader);
    part->trigram = part->reader.trigram;
    return problem;
}

static const char *open_part(Part *part, uint32_t docs)
{
    const char *problem = open_blocks(&part->blocks, &part->blocks_buffer);
    if (problem != NULL)
        return problem;
    if (part->new_numbers.len != 4 * (Py_ssize_t)part->blocks.docs)
        return "one new number for each document is needed";
    for (uint32_t doc = 0; doc < part->blocks.docs; doc++) {
        uint32_t number = load_u32(part->new_numbers.buf, doc);
        if (number >= docs && number != GONE)
            return "a new number is beyond the documents";
    }
    part->docs = malloc(4 * (size_t)part->blocks.docs + 1);
    return part->docs == NULL ? NO_MEMORY : advance(part);
}

/* Appends the new numbers of the part's list. */
static const char *collect(Merge *m, Part *part)
{
    uint32_t count = part->reader.count;
    const char *problem = take_list(&part->reader, part->docs);
    if (problem != NULL)
        return problem;
    if (grow(&m->found, &m->capacity, m->used + count, sizeof *m->found) < 0)
        return NO_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = load_u32(part->new_numbers.buf, part->docs[i]);
        if (number != GONE)
            m->found[m->used++] = number;
    }
    return advance(part);
}

static int compare(const void *one, const void *other)
{
    uint32_t a, b;
    memcpy(&a, one, sizeof a);
    memcpy(&b, other, sizeof b);
    return a < b ? -1 : a > b;
}

static void sort_found(Merge *m)
{
    size_t kept = 0, at = 1;
    while (at < m->used && m->found[at - 1] < m->found[at])
        at++;
    if (at >= m->used)
        return;
    qsort(m->found, m->used, sizeof *m->found, compare);
    for (at = 0; at < m->used; at++)
        if (at == 0 || m->found[at] != m->found[at - 1])
            m->found[kept++] = m->found[at];
    m->used = kept;
}

static const char *merge_one(Merge *m, uint32_t trigram)
{
    m->used = 0;
    for (Py_ssize_t i = 0; i < m->opened; i++) {
        const char *problem = m->parts[i].trigram == trigram ? collect(m, &m->parts[i]) : NULL;
        if (problem != NULL)
            return problem;
    }
    sort_found(m);
    int failed = m->used && put_trigram(&m->writer, trigram, m->found, (uint32_t)m->used) < 0;
    return failed ? NO_MEMORY : NULL;
}

static const char *merge_all(Merge *m)
{
    const char *problem = NULL;
    for (Py_ssize_t i = 0; problem == NULL && i < m->opened; i++)
        problem = open_part(&m->parts[i], m->docs);
    while (problem == NULL) {
        uint32_t least = END_TRIGRAM;
        for (Py_ssize_t i = 0; i < m->opened; i++)
            least = m->parts[i].trigram < least ? m->parts[i].trigram : least;
        if (least == END_TRIGRAM)
            break;
        problem = merge_one(m, least);
    }
    return problem;
}

static int take_parts(Merge *m, PyObject *parts)
{
    Py_ssize_t count = PyTuple_GET_SIZE(parts);
    m->parts = calloc((size_t)count + 1, sizeof *m->parts);
    if (m->parts == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (; m->opened < count; m->opened++) {
        Part *part = &m->parts[m->opened];
        PyObject *item = PySequence_Tuple(PyTuple_GET_ITEM(parts, m->opened));
        int taken = item != NULL && PyArg_ParseTuple(item, "y*y*y*;a part is BLOCKS, LISTS and new numbers",
                                                     &part->blocks_buffer, &part->lists, &part->new_numbers);
        Py_XDECREF(item);
        if (!taken)
            return -1;
    }
    return 0;
}

static void free_parts(Merge *m)
{
    for (Py_ssize_t i = 0; i < m->opened; i++) {
        PyBuffer_Release(&m->parts[i].blocks_buffer);
        PyBuffer_Release(&m->parts[i].lists);
        PyBuffer_Release(&m->parts[i].new_numbers);
        free(m->parts[i].docs);
    }
    free(m->parts);
    free(m->found);
}

static PyObject *merged(PyObject *parts, Py_ssize_t docs)
{
    Merge m = {.docs = (uint32_t)docs, .writer = {.docs = (uint32_t)docs}};
    const char *problem = NULL;
    PyObject *result = NULL;
    if (take_parts(&m, parts) == 0) {
        Py_BEGIN_ALLOW_THREADS
        problem = merge_all(&m);
        Py_END_ALLOW_THREADS
        if (problem == NULL)
            result = finish_index(&m.writer);
        else if (problem == NO_MEMORY)
            PyErr_NoMemory();
        else
            refuse(problem);
    }
    free_parts(&m);
    free_index(&m.writer);
    return result;
}

PyObject *fast_merge_trigrams(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"parts", "docs", NULL};
    PyObject *sequence;
    Py_ssize_t docs;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "On", names, &sequence, &docs))
        return NULL;
    if (docs < 0 || docs > MOST_DOCS)
        return refuse("documents must be numbered from 0 to 2**24 - 1");
    PyObject *parts = PySequence_Tuple(sequence);
    PyObject *result = parts == NULL ? NULL : merged(parts, docs);
    Py_XDECREF(parts);
    return result;
}
