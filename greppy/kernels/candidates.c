/* Look-ups in a trigram index, formulas of trigrams, and the algebra of lists. Sets of documents are bitmaps while a
 * formula is evaluated: a list is decoded once, and 12 KB hold the set of a hundred thousand documents. */

#include "trigrams.h"

/* One search in one index. */
typedef struct {
    Blocks blocks;
    PyObject *fetch;
    uint32_t *docs; /* room for one list */
    size_t words;   /* of a bitmap */
} Search;

static void fill(const Search *s, uint64_t *set)
{
    memset(set, 0xFF, s->blocks.docs / 64 * 8);
    if (s->blocks.docs % 64)
        set[s->blocks.docs / 64] = ((uint64_t)1 << s->blocks.docs % 64) - 1;
}

static int is_empty(const Search *s, const uint64_t *set)
{
    for (size_t i = 0; i < s->words; i++)
        if (set[i])
            return 0;
    return 1;
}

/* Adds the list of a trigram of one block to the set. */
static const char *add_from_block(const Search *s, BlockReader *reader, uint32_t trigram, uint64_t *set)
{
    const char *problem = NULL;
    while (problem == NULL && reader->left) {
        problem = next_trigram(reader);
        if (problem != NULL || reader->trigram > trigram)
            break;
        if (reader->trigram < trigram) {
            problem = skip_list(reader);
            continue;
        }
        problem = take_list(reader, s->docs);
        for (uint32_t i = 0; problem == NULL && i < reader->count; i++)
            set[s->docs[i] >> 6] |= (uint64_t)1 << (s->docs[i] & 63);
        break;
    }
    return problem;
}

static int add_list(const Search *s, uint32_t trigram, uint64_t *set)
{
    int64_t block = block_of(&s->blocks, trigram);
    uint32_t start, end;
    Py_buffer data;
    BlockReader reader;
    if (block < 0)
        return 0;
    const char *problem = block_place(&s->blocks, (uint32_t)block, &start, &end);
    if (problem != NULL)
        goto refused;
    PyObject *piece = PyObject_CallFunction(s->fetch, "II", start, end);
    int got = piece != NULL && PyObject_GetBuffer(piece, &data, PyBUF_SIMPLE) == 0;
    Py_XDECREF(piece);
    if (!got)
        return -1;
    problem = data.len == (Py_ssize_t)(end - start) ? NULL : "trigram list is truncated";
    if (problem == NULL) {
        open_block(&reader, &s->blocks, (uint32_t)block, data.buf, end - start);
        problem = add_from_block(s, &reader, trigram, set);
    }
    PyBuffer_Release(&data);
    if (problem == NULL)
        return 0;
refused:
    refuse(problem);
    return -1;
}

static int add_trigram(const Search *s, PyObject *trigram, uint64_t *set)
{
    if (PyBytes_GET_SIZE(trigram) != 3) {
        refuse("a trigram has three bytes");
        return -1;
    }
    const uint8_t *text = (const uint8_t *)PyBytes_AS_STRING(trigram);
    if (memchr(text, '\n', 3) || memchr(text, 0, 3)) {
        fill(s, set);
        return 0;
    }
    return add_list(s, (uint32_t)text[0] << 16 | (uint32_t)text[1] << 8 | text[2], set);
}

/* 'a' for "and", 'o' for "or", 0 for anything else. */
static char operator_of(PyObject *formula)
{
    PyObject *word = PyTuple_Check(formula) && PyTuple_GET_SIZE(formula) ? PyTuple_GET_ITEM(formula, 0) : NULL;
    if (word == NULL || !PyUnicode_Check(word))
        return 0;
    if (PyUnicode_CompareWithASCIIString(word, "and") == 0)
        return 'a';
    return PyUnicode_CompareWithASCIIString(word, "or") == 0 ? 'o' : 0;
}

static int add_formula(const Search *s, PyObject *formula, uint64_t *set);

/* Adds to the set what all of the parts have. */
static int add_common(const Search *s, PyObject *formula, uint64_t *set)
{
    uint64_t *common = calloc(2 * s->words + 1, sizeof *common), *one = common + s->words;
    int failed = common == NULL;
    if (failed)
        PyErr_NoMemory();
    else
        fill(s, common);
    for (Py_ssize_t i = 1; !failed && i < PyTuple_GET_SIZE(formula) && !is_empty(s, common); i++) {
        memset(one, 0, s->words * sizeof *one);
        failed = add_formula(s, PyTuple_GET_ITEM(formula, i), one) < 0;
        for (size_t word = 0; !failed && word < s->words; word++)
            common[word] &= one[word];
    }
    for (size_t word = 0; !failed && word < s->words; word++)
        set[word] |= common[word];
    free(common);
    return failed ? -1 : 0;
}

static int add_formula(const Search *s, PyObject *formula, uint64_t *set)
{
    if (PyBytes_Check(formula))
        return add_trigram(s, formula, set);
    char kind = operator_of(formula);
    if (!kind) {
        refuse("a formula is a trigram, or a tuple that begins with 'and' or 'or'");
        return -1;
    }
    if (Py_EnterRecursiveCall(" in a formula"))
        return -1;
    int failed = 0;
    if (kind == 'a')
        failed = add_common(s, formula, set) < 0;
    else
        for (Py_ssize_t i = 1; !failed && i < PyTuple_GET_SIZE(formula); i++)
            failed = add_formula(s, PyTuple_GET_ITEM(formula, i), set) < 0;
    Py_LeaveRecursiveCall();
    return failed ? -1 : 0;
}

/* The numbers of a set, in `docs`, which has room for all. */
static PyObject *members_of(const Search *s, const uint64_t *set)
{
    size_t used = 0;
    for (uint32_t doc = 0; doc < s->blocks.docs; doc++) {
        if (set[doc >> 6] == 0)
            doc |= 63;
        else if (set[doc >> 6] >> (doc & 63) & 1)
            s->docs[used++] = doc;
    }
    return new_view("I", s->docs, used * sizeof *s->docs);
}

static PyObject *candidates(Search *s, PyObject *formula)
{
    s->words = s->blocks.docs / 64 + 1;
    s->docs = malloc((size_t)s->blocks.docs * sizeof *s->docs + 1);
    uint64_t *set = calloc(s->words, sizeof *set);
    PyObject *result = NULL;
    if (s->docs == NULL || set == NULL)
        PyErr_NoMemory();
    else if (add_formula(s, formula, set) == 0)
        result = members_of(s, set);
    free(s->docs);
    free(set);
    return result;
}

static PyObject *search(PyObject *args, PyObject *keywords, char **names, int single)
{
    Py_buffer blocks;
    Search s;
    PyObject *formula, *result = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "y*OO", names, &blocks, &s.fetch, &formula))
        return NULL;
    const char *problem = open_blocks(&s.blocks, &blocks);
    if (problem != NULL)
        refuse(problem);
    else if (single && !PyBytes_Check(formula))
        PyErr_SetString(PyExc_TypeError, "a trigram is three bytes");
    else
        result = candidates(&s, formula);
    PyBuffer_Release(&blocks);
    return result;
}

PyObject *fast_trigram_list(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"blocks", "fetch", "trigram", NULL};
    (void)module;
    return search(args, keywords, names, 1);
}

PyObject *fast_trigram_candidates(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"blocks", "fetch", "formula", NULL};
    (void)module;
    return search(args, keywords, names, 0);
}
