/* Posting lists made ready for scoring, which is the same for every query; and all terms of a query over one shard. */

#include "scores.h"

enum { IMPACT = 12 };

/* Impacts of `count` documents: x of each, f64, then the documents, u32. Only live ones. */
static const char *read_impacts(Reader *reader, const Weighing *weighing, const Py_buffer *live, int64_t docs,
                                double *x, uint32_t *found, size_t *used)
{
    const uint8_t *alive = live->buf;
    while (reader->left) {
        const char *problem = next_posting(reader);
        if (problem != NULL)
            return problem;
        if ((int64_t)reader->doc >= docs)
            return "posting list has a document beyond the buffers";
        if (live->len >= 0 && !alive[reader->doc])
            continue;
        x[*used] = weigh(weighing, (int64_t)reader->doc, reader->code);
        found[(*used)++] = (uint32_t)reader->doc;
    }
    return NULL;
}

static PyObject *impacts_of(Reader *reader, const Weighing *weighing, const Py_buffer *live, int64_t docs)
{
    size_t used = 0;
    double *x = malloc(8 * (size_t)reader->count + 8);
    uint32_t *found = malloc(4 * (size_t)reader->count + 4);
    PyObject *result = NULL;
    const char *problem = NO_ROOM;
    if (x != NULL && found != NULL) {
        Py_BEGIN_ALLOW_THREADS
        problem = read_impacts(reader, weighing, live, docs, x, found, &used);
        Py_END_ALLOW_THREADS
    }
    if (refused(problem) == 0 && (result = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(IMPACT * used))) != NULL) {
        memcpy(PyBytes_AS_STRING(result), x, 8 * used);
        memcpy(PyBytes_AS_STRING(result) + 8 * used, found, 4 * used);
    }
    free(x);
    free(found);
    return result;
}

PyObject *fast_impacts(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"buf", "live", "code_tables", "lengths", "norm_tables", NULL};
    Py_buffer buf, live, codes, lengths, norms;
    PyObject *mask, *result = NULL;
    Reader reader;
    const Tables *tables = tables_of(PyModule_GetState(module));
    if (tables == NULL || !PyArg_ParseTupleAndKeywords(args, keywords, "y*Oy*y*y*", names, &buf, &mask, &codes,
                                                       &lengths, &norms))
        return NULL;
    if (buffer_or_none(mask, &live) == 0) {
        const Weighing weighing = {codes.buf, lengths.buf, norms.buf};
        int64_t docs = live.len >= 0 && live.len < lengths.len / 2 ? live.len : lengths.len / 2;
        const char *problem = open_list(&reader, tables, buf.buf, (size_t)buf.len);
        if (codes.len != 8 * 768 || norms.len != 8 * 512)
            problem = "three code tables and two norm tables of 256 numbers each are needed";
        result = problem != NULL ? refuse(problem) : impacts_of(&reader, &weighing, &live, docs);
        PyBuffer_Release(&live);
    }
    Py_buffer *held[] = {&buf, &codes, &lengths, &norms};
    for (size_t i = 0; i < sizeof held / sizeof held[0]; i++)
        PyBuffer_Release(held[i]);
    return result;
}

enum { CHUNKS, MASKS, BLOBS, BLOB_MASKS, TOUCHED, COLUMNS };

enum { MOST_LISTS = 64, BLOCK = 1024 };

/* One shard's scoring. `touched` has a bit for each chunk that scores, in words of 64. */
typedef struct {
    Py_buffer column[COLUMNS], first, allowed, kinds, rates;
    double k1, best;
    Top top;
    Py_ssize_t chunks, blobs, scored;
    PyObject *lists, *weights;
} Scoring;

static inline int lowest_bit(uint64_t word)
{
#if defined(__GNUC__)
    return __builtin_ctzll(word);
#else
    int at = 0;
    while (!(word >> at & 1))
        at++;
    return at;
#endif
}

/* One term's impacts, as far as they are not added yet. */
typedef struct {
    Py_buffer held;
    const uint8_t *x, *docs;
    Py_ssize_t at, count;
    double weight;
    uint64_t found;
} Impacts;

/* What is gathered of the blob that the last chunk belongs to; `end` is one past its last chunk. */
typedef struct {
    Py_ssize_t blob, end, scored;
    uint64_t mask;
    double best;
    Top top;
} Gathered;

/* Undoes what an earlier scoring left of chunks from `begin` to `end`, which begin and end with a word. */
static void clear_chunks(Scoring *s, Py_ssize_t begin, Py_ssize_t end)
{
    uint8_t *scores = s->column[CHUNKS].buf, *masks = s->column[MASKS].buf, *words = s->column[TOUCHED].buf;
    for (Py_ssize_t word = begin / 64; 64 * word < end; word++) {
        for (uint64_t rest = load_u64(words, word); rest; rest &= rest - 1) {
            Py_ssize_t chunk = 64 * word + lowest_bit(rest);
            store_f64(scores, chunk, 0.0);
            store_u64(masks, chunk, 0);
        }
        store_u64(words, word, 0);
    }
}

/* Adds one term's scores of the chunks before `end`. Local copies, since a store through a pointer to bytes may change
 * anything, as far as the compiler knows. */
static const char *add_impacts(Scoring *s, Impacts *list, Py_ssize_t end)
{
    const uint8_t *x = list->x, *docs = list->docs, *allowed = s->allowed.buf;
    uint8_t *scores = s->column[CHUNKS].buf, *masks = s->column[MASKS].buf, *words = s->column[TOUCHED].buf;
    const uint64_t found = list->found;
    const double k1 = s->k1, weight = list->weight;
    const Py_ssize_t count = list->count;
    Py_ssize_t i = list->at;
    for (; i < count; i++) {
        const uint32_t doc = load_u32(docs, i);
        const double value = load_f64(x, i);
        if (doc >= end)
            break;
        if (i && doc <= load_u32(docs, i - 1))
            return "the documents of impacts must ascend";
        if (allowed != NULL && !allowed[doc])
            continue;
        if (k1 + value == 0.0)
            return "k1 + x must not be zero";
        store_f64(scores, doc, load_f64(scores, doc) + weight * value / (k1 + value));
        store_u64(masks, doc, load_u64(masks, doc) | found);
        store_u64(words, doc / 64, load_u64(words, doc / 64) | (uint64_t)1 << doc % 64);
    }
    list->at = i;
    return NULL;
}

/* The blob's score, by the best of its chunks, and the terms in them. */
static void close_blob(Scoring *s, Gathered *g)
{
    if (g->blob < 0)
        return;
    double score = sum_of_top(&g->top);
    store_f64(s->column[BLOBS].buf, g->blob, score);
    store_u64(s->column[BLOB_MASKS].buf, g->blob, g->mask);
    g->best = score > g->best ? score : g->best;
}

static void open_blob_of(Scoring *s, Gathered *g, Py_ssize_t chunk)
{
    close_blob(s, g);
    do
        g->end = load_u32(s->first.buf, ++g->blob + 1);
    while (chunk >= g->end);
    g->top.size = 0;
    g->mask = 0;
}

/* Multiplies the scores of chunks from `begin` to `end` by what those of their kind are worth, and scores blobs by them.
 * Chunks that were not touched count as 0, like all that do not match. */
static void gather(Scoring *s, Gathered *g, Py_ssize_t begin, Py_ssize_t end)
{
    const uint8_t *kinds = s->kinds.buf, *rates = s->rates.buf, *masks = s->column[MASKS].buf;
    const uint8_t *words = s->column[TOUCHED].buf;
    uint8_t *scores = s->column[CHUNKS].buf;
    for (Py_ssize_t word = begin / 64; 64 * word < end; word++)
        for (uint64_t rest = load_u64(words, word); rest; rest &= rest - 1) {
            Py_ssize_t chunk = 64 * word + lowest_bit(rest);
            if (chunk >= g->end)
                open_blob_of(s, g, chunk);
            double score = load_f64(scores, chunk) * load_f64(rates, kinds[chunk]);
            store_f64(scores, chunk, score);
            g->mask |= load_u64(masks, chunk);
            g->scored += score > 0;
            add_to_top(&g->top, score);
        }
}

/* All lists, block by block: what is added to stays in the nearest cache until it is gathered. */
static const char *score_all(Scoring *s, Impacts *lists, Py_ssize_t used)
{
    Gathered g = {.blob = -1, .top = s->top};
    const char *problem = NULL;
    for (int column = BLOBS; column <= BLOB_MASKS; column++)
        memset(s->column[column].buf, 0, (size_t)s->column[column].len);
    for (Py_ssize_t begin = 0; begin < s->chunks; begin += BLOCK) {
        Py_ssize_t end = begin + BLOCK < s->chunks ? begin + BLOCK : s->chunks;
        clear_chunks(s, begin, end);
        for (Py_ssize_t i = 0; problem == NULL && i < used; i++)
            problem = add_impacts(s, &lists[i], end);
        gather(s, &g, begin, end);
    }
    close_blob(s, &g);
    for (Py_ssize_t i = 0; problem == NULL && i < used; i++)
        if (lists[i].at < lists[i].count)
            problem = "impacts have a document beyond the last one";
    s->scored = g.scored;
    s->best = g.best;
    return problem;
}

static const char *check_starts(const Scoring *s)
{
    const uint8_t *first = s->first.buf;
    int fit = load_u32(first, 0) == 0;
    for (Py_ssize_t blob = 0; blob < s->blobs; blob++)
        fit &= load_u32(first, blob) <= load_u32(first, blob + 1);
    return fit ? NULL : "chunk starts must not descend, nor pass the last chunk";
}

/* Takes hold of the lists that there are; their bits are their places. */
static int take_lists(Scoring *s, Impacts *lists, Py_ssize_t *used)
{
    for (Py_ssize_t bit = 0; bit < PyTuple_GET_SIZE(s->lists); bit++) {
        PyObject *given = PyTuple_GET_ITEM(s->lists, bit);
        Impacts *list = &lists[*used];
        if (given == Py_None)
            continue;
        list->weight = PyFloat_AsDouble(PyTuple_GET_ITEM(s->weights, bit));
        if ((list->weight == -1.0 && PyErr_Occurred()) || PyObject_GetBuffer(given, &list->held, PyBUF_SIMPLE) < 0)
            return -1;
        ++*used;
        if (list->held.len % IMPACT)
            return refused("impacts are of 12 bytes each");
        list->at = 0;
        list->count = list->held.len / IMPACT;
        list->x = list->held.buf;
        list->docs = list->x + 8 * list->count;
        list->found = (uint64_t)1 << bit;
    }
    return 0;
}

static int score_lists(Scoring *s)
{
    Impacts lists[MOST_LISTS];
    Py_ssize_t used = 0;
    const char *problem = check_starts(s);
    int failed = refused(problem) < 0 || take_lists(s, lists, &used) < 0;
    if (!failed) {
        Py_BEGIN_ALLOW_THREADS
        problem = score_all(s, lists, used);
        Py_END_ALLOW_THREADS
        failed = refused(problem) < 0;
    }
    while (used--)
        PyBuffer_Release(&lists[used].held);
    return failed ? -1 : 0;
}

static Py_ssize_t items_of(const Scoring *s, int column)
{
    return column == TOUCHED ? (s->chunks + 63) / 64 : column < BLOBS ? s->chunks : s->blobs;
}

/* Zeros that Python can write to. */
static PyObject *new_column(const Scoring *s, int column)
{
    size_t size = 8 * (size_t)items_of(s, column);
    PyObject *bytes = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (bytes == NULL)
        return NULL;
    memset(PyByteArray_AS_STRING(bytes), 0, size);
    PyObject *view = PyMemoryView_FromObject(bytes);
    PyObject *numbers = view == NULL ? NULL
                                     : PyObject_CallMethod(view, "cast", "s",
                                                           column == CHUNKS || column == BLOBS ? "d" : "Q");
    Py_DECREF(bytes);
    Py_XDECREF(view);
    return numbers;
}

static PyObject *new_columns(const Scoring *s)
{
    PyObject *columns = PyTuple_New(COLUMNS);
    for (int column = 0; columns != NULL && column < COLUMNS; column++) {
        PyObject *numbers = new_column(s, column);
        if (numbers == NULL)
            Py_CLEAR(columns);
        else
            PyTuple_SET_ITEM(columns, column, numbers);
    }
    return columns;
}

static PyObject *scored(Scoring *s, PyObject *columns)
{
    PyObject *result = NULL;
    int held = 0, failed = 0;
    for (; held < COLUMNS && !failed; held += !failed)
        failed = PyObject_GetBuffer(PyTuple_GET_ITEM(columns, held), &s->column[held], PyBUF_WRITABLE) < 0;
    for (int column = 0; !failed && column < COLUMNS; column++)
        if (s->column[column].len != 8 * items_of(s, column))
            failed = refused("scores, masks and chunk starts do not fit together");
    if (!failed && score_lists(s) == 0)
        result = Py_BuildValue("Ond", columns, s->scored, s->best);
    while (held--)
        PyBuffer_Release(&s->column[held]);
    return result;
}

static const char *check_scoring(Scoring *s)
{
    s->blobs = s->first.len / 4 - 1;
    if (s->first.len % 4 || s->blobs < 0 || PyTuple_GET_SIZE(s->lists) != PyTuple_GET_SIZE(s->weights))
        return "scores, masks and chunk starts do not fit together";
    s->chunks = load_u32(s->first.buf, s->blobs);
    if (PyTuple_GET_SIZE(s->lists) > MOST_LISTS)
        return "a mask has 64 bits";
    if ((s->allowed.len >= 0 && s->allowed.len < s->chunks) || s->kinds.len < s->chunks || s->rates.len != 8 * 256)
        return "scores, masks and chunk starts do not fit together";
    return s->k1 > 0.0 ? NULL : "k1 must be positive";
}

PyObject *fast_score_lists(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"lists", "weights", "allowed", "k1", "first", "follow", "kinds", "rates", "columns", NULL};
    Scoring s = {.best = 0.0};
    PyObject *allowed, *follow, *columns, *result = NULL;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!O!Ody*O!y*y*O", names, &PyTuple_Type, &s.lists,
                                     &PyTuple_Type, &s.weights, &allowed, &s.k1, &s.first, &PyTuple_Type, &follow,
                                     &s.kinds, &s.rates, &columns))
        return NULL;
    if (buffer_or_none(allowed, &s.allowed) == 0) {
        int failed = refused(check_scoring(&s)) < 0 || read_follow(&s.top, follow) < 0;
        if (!failed && columns != Py_None && !(PyTuple_Check(columns) && PyTuple_GET_SIZE(columns) == COLUMNS))
            failed = refused("columns are what an earlier call gave") < 0;
        PyObject *into = failed ? NULL : columns == Py_None ? new_columns(&s) : Py_NewRef(columns);
        if (into != NULL)
            result = scored(&s, into);
        Py_XDECREF(into);
        PyBuffer_Release(&s.allowed);
    }
    PyBuffer_Release(&s.first);
    PyBuffer_Release(&s.kinds);
    PyBuffer_Release(&s.rates);
    return result;
}
