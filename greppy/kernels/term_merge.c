/* Several dictionaries and their posting lists made into one: all are gone through at once, term by term. */

#include "postings.h"
#include "strings.h"

#define GONE UINT32_MAX

enum { BUFFERS = 5 };

/* One of the dictionaries; `coder` holds the term it stands at, which is the `ordinal`th, and `bits` what follows it. */
typedef struct {
    Py_buffer held[BUFFERS]; /* index and blocks of the terms, index and blocks of the lists, new numbers */
    uint32_t count, blocks, ordinal, docs;
    BitReader bits, lists;
    First first;
    Coder coder;
} Part;

typedef struct {
    const Tables *tables;
    Part *parts;
    Py_ssize_t opened;
    uint32_t docs, before, count; /* the last document of the list in hand, and how many it has */
    BitWriter list;
    ListWriter state;
    StringWriter strings;
    StoredWriter lists;
} Merge;

static const char OUT_OF_ORDER[] = "terms must ascend";

/* The bits of a block: `place` is that of its start in an index. */
static const char *open_block(const Py_buffer *index, const Py_buffer *blocks, int64_t place, BitReader *bits)
{
    uint32_t start = load_u32(index->buf, place), end = load_u32(index->buf, place + 1);
    if (start > end || end > blocks->len)
        return "an index is out of order";
    *bits = (BitReader){(const uint8_t *)blocks->buf + start, end - start, 0};
    return NULL;
}

/* Reads the term at `ordinal`, where there is one. */
static const char *read_term(Part *part)
{
    const char *problem = NULL;
    if (part->ordinal == part->count)
        return NULL;
    if (part->ordinal % STRING_BLOCK == 0) {
        uint32_t block = part->ordinal / STRING_BLOCK;
        problem = open_block(&part->held[0], &part->held[1], 1 + (int64_t)block, &part->bits);
        if (problem == NULL)
            problem = open_block(&part->held[2], &part->held[3], 2 + (int64_t)block, &part->lists);
        part->first = no_first();
    }
    return problem == NULL ? take_string(&part->bits, &part->coder) : problem;
}

static int compare(const Coder *one, const Coder *other)
{
    int order = memcmp(one->text, other->text, one->size < other->size ? one->size : other->size);
    return order ? order : one->size < other->size ? -1 : one->size > other->size;
}

static const char *advance(Part *part)
{
    Coder before = part->coder;
    part->ordinal++;
    const char *problem = read_term(part);
    if (problem == NULL && part->ordinal < part->count && compare(&before, &part->coder) >= 0)
        problem = OUT_OF_ORDER;
    return problem;
}

static const char *open_part(Part *part, const Merge *m)
{
    const char *problem = open_string_index(&part->held[0], &part->count, &part->blocks);
    if (problem != NULL)
        return problem;
    if (part->held[2].len != 4 * ((Py_ssize_t)part->blocks + 3) || load_u32(part->held[2].buf, 1) != part->count)
        return "there are not as many posting lists as terms";
    part->docs = load_u32(part->held[2].buf, 0);
    if (part->docs > DOCS || part->held[4].len != 4 * (Py_ssize_t)part->docs)
        return "one new number for each document is needed";
    for (uint32_t doc = 0; doc < part->docs; doc++) {
        uint32_t number = load_u32(part->held[4].buf, doc);
        if (number >= m->docs && number != GONE)
            return "a new number is beyond the documents";
    }
    part->coder = term_coder(m->tables);
    return read_term(part);
}

static const char *add_posting(Merge *m, uint32_t doc, uint8_t code)
{
    if (m->count && doc <= m->before)
        return "new numbers must ascend";
    if (room_for(&m->list, 1) < 0)
        return NO_ROOM;
    put_posting(&m->list, &m->state, doc, code);
    m->before = doc;
    m->count++;
    return NULL;
}

/* Appends the list that the part stands at, with its new numbers, and goes on to the next term. */
static const char *collect(Merge *m, Part *part)
{
    Reader reader;
    int64_t size;
    const char *problem = next_stored(&reader, &part->lists, &part->first, m->tables, part->docs, &size);
    uint64_t start = part->lists.at;
    while (problem == NULL && reader.left) {
        problem = next_posting(&reader);
        uint32_t number = problem == NULL ? load_u32(part->held[4].buf, (int64_t)reader.doc) : GONE;
        if (number != GONE)
            problem = add_posting(m, number, reader.code);
    }
    if (problem == NULL && size >= 0 && reader.bits.at - start != (uint64_t)size)
        problem = "posting list has a wrong size";
    part->lists.at = reader.bits.at;
    return problem == NULL ? advance(part) : problem;
}

static const Part *least(const Merge *m)
{
    const Part *found = NULL;
    for (const Part *part = m->parts; part < m->parts + m->opened; part++)
        if (part->ordinal < part->count && (found == NULL || compare(&part->coder, &found->coder) < 0))
            found = part;
    return found;
}

static const char *merge_one(Merge *m, const Coder *term)
{
    m->list.out.used = 0;
    m->list.pending = m->list.filled = m->count = 0;
    m->state = begin_postings(m->tables, m->docs);
    const char *problem = NULL;
    for (Part *part = m->parts; problem == NULL && part < m->parts + m->opened; part++)
        if (part->ordinal < part->count && compare(&part->coder, term) == 0)
            problem = collect(m, part);
    if (problem != NULL || m->count == 0)
        return problem;
    uint64_t size = 8 * (uint64_t)m->list.out.used + m->list.filled;
    align(&m->list);
    problem = append_string(&m->strings, term->text, term->size);
    return problem == NULL ? store_postings(&m->lists, m->count, m->list.out.data, m->list.out.used, size) : problem;
}

static const char *merge_all(Merge *m)
{
    const char *problem = NULL;
    for (Py_ssize_t i = 0; problem == NULL && i < m->opened; i++)
        problem = open_part(&m->parts[i], m);
    for (const Part *part; problem == NULL && (part = least(m)) != NULL;) {
        Coder term = part->coder;
        problem = merge_one(m, &term);
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
        Py_buffer *held = m->parts[m->opened].held;
        PyObject *item = PySequence_Tuple(PyTuple_GET_ITEM(parts, m->opened));
        int taken = item != NULL && PyArg_ParseTuple(item, "y*y*y*y*y*;a part is two sections of terms, two of lists and "
                                                     "new numbers", &held[0], &held[1], &held[2], &held[3], &held[4]);
        Py_XDECREF(item);
        if (!taken)
            return -1;
    }
    return 0;
}

static void free_merge(Merge *m)
{
    for (Py_ssize_t i = 0; i < m->opened; i++)
        for (int buffer = 0; buffer < BUFFERS; buffer++)
            PyBuffer_Release(&m->parts[i].held[buffer]);
    free(m->parts);
    free(m->list.out.data);
    free_strings_writer(&m->strings);
    free_lists_writer(&m->lists);
}

static PyObject *finished(Merge *m)
{
    PyObject *strings = finish_strings(&m->strings), *lists = strings == NULL ? NULL : finish_lists(&m->lists);
    PyObject *result = lists == NULL ? NULL : PySequence_Concat(strings, lists);
    Py_XDECREF(strings);
    Py_XDECREF(lists);
    return result;
}

PyObject *fast_merge_terms(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"parts", "universe", NULL};
    PyObject *sequence, *result = NULL;
    Py_ssize_t universe;
    const Tables *tables = tables_of(PyModule_GetState(module));
    if (tables == NULL || !PyArg_ParseTupleAndKeywords(args, keywords, "On", names, &sequence, &universe))
        return NULL;
    if (universe < 0 || universe > DOCS)
        return refuse("there are at most 2**31 documents");
    PyObject *parts = PySequence_Tuple(sequence);
    Merge m = {.tables = tables, .docs = (uint32_t)universe};
    m.strings.coder = term_coder(tables);
    m.lists = (StoredWriter){.tables = tables, .docs = (uint32_t)universe};
    if (parts != NULL && take_parts(&m, parts) == 0) {
        const char *problem;
        Py_BEGIN_ALLOW_THREADS
        problem = merge_all(&m);
        Py_END_ALLOW_THREADS
        result = refused(problem) < 0 ? NULL : finished(&m);
    }
    free_merge(&m);
    Py_XDECREF(parts);
    return result;
}
