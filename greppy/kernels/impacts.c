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

/* The first chunk from `chunk` on that was touched, or the number of chunks. */
static Py_ssize_t next_touched(const Scoring *s, Py_ssize_t chunk)
{
    const uint8_t *words = s->column[TOUCHED].buf;
    Py_ssize_t word = chunk / 64, count = s->column[TOUCHED].len / 8;
    if (word >= count)
        return s->chunks;
    uint64_t rest = load_u64(words, word) & ~(uint64_t)0 << chunk % 64;
    while (!rest) {
        if (++word == count)
            return s->chunks;
        rest = load_u64(words, word);
    }
    return 64 * word + lowest_bit(rest);
}

/* Undoes what an earlier scoring left in the columns. */
static void clear_columns(Scoring *s)
{
    for (Py_ssize_t chunk = 0; (chunk = next_touched(s, chunk)) < s->chunks; chunk++) {
        store_f64(s->column[CHUNKS].buf, chunk, 0.0);
        store_u64(s->column[MASKS].buf, chunk, 0);
    }
    for (int column = BLOBS; column < COLUMNS; column++)
        memset(s->column[column].buf, 0, (size_t)s->column[column].len);
}

/* Adds one term's scores; its bit is its place. */
static const char *add_impacts(Scoring *s, const Py_buffer *list, double weight, Py_ssize_t bit)
{
    const uint8_t *x = list->buf, *docs = x + 8 * (list->len / IMPACT), *allowed = s->allowed.buf;
    uint8_t *scores = s->column[CHUNKS].buf, *masks = s->column[MASKS].buf, *words = s->column[TOUCHED].buf;
    if (list->len % IMPACT)
        return "impacts are of 12 bytes each";
    for (Py_ssize_t i = 0; i < list->len / IMPACT; i++) {
        uint32_t doc = load_u32(docs, i);
        double value = load_f64(x, i);
        if (doc >= s->chunks)
            return "impacts have a document beyond the last one";
        if (allowed != NULL && !allowed[doc])
            continue;
        if (s->k1 + value == 0.0)
            return "k1 + x must not be zero";
        store_f64(scores, doc, load_f64(scores, doc) + weight * value / (s->k1 + value));
        store_u64(masks, doc, load_u64(masks, doc) | (uint64_t)1 << bit);
        store_u64(words, doc / 64, load_u64(words, doc / 64) | (uint64_t)1 << doc % 64);
    }
    return NULL;
}

static int add_lists(Scoring *s)
{
    for (Py_ssize_t bit = 0; bit < PyTuple_GET_SIZE(s->lists); bit++) {
        PyObject *list = PyTuple_GET_ITEM(s->lists, bit);
        Py_buffer impacts;
        if (list == Py_None)
            continue;
        double weight = PyFloat_AsDouble(PyTuple_GET_ITEM(s->weights, bit));
        if ((weight == -1.0 && PyErr_Occurred()) || PyObject_GetBuffer(list, &impacts, PyBUF_SIMPLE) < 0)
            return -1;
        const char *problem;
        Py_BEGIN_ALLOW_THREADS
        problem = add_impacts(s, &impacts, weight, bit);
        Py_END_ALLOW_THREADS
        PyBuffer_Release(&impacts);
        if (refused(problem) < 0)
            return -1;
    }
    return 0;
}

/* A chunk's score times what chunks of its kind are worth. */
static double rated(Scoring *s, Py_ssize_t chunk)
{
    uint8_t kind = ((const uint8_t *)s->kinds.buf)[chunk];
    double score = load_f64(s->column[CHUNKS].buf, chunk) * load_f64(s->rates.buf, kind);
    store_f64(s->column[CHUNKS].buf, chunk, score);
    return score;
}

/* Scores the blobs by their chunks. Those that were not touched count as 0, like all that do not match. */
static const char *gather(Scoring *s)
{
    Py_ssize_t chunk = next_touched(s, 0);
    for (Py_ssize_t blob = 0; blob < s->blobs; blob++) {
        Py_ssize_t begin = load_u32(s->first.buf, blob), end = load_u32(s->first.buf, blob + 1);
        if (begin > end || end > s->chunks)
            return "chunk starts must not descend, nor pass the last chunk";
        uint64_t mask = 0;
        Top top = s->top;
        for (chunk = chunk < begin ? next_touched(s, begin) : chunk; chunk < end; chunk = next_touched(s, chunk + 1)) {
            double score = rated(s, chunk);
            mask |= load_u64(s->column[MASKS].buf, chunk);
            s->scored += score > 0;
            add_to_top(&top, score);
        }
        if (!mask)
            continue;
        double score = sum_of_top(&top);
        store_f64(s->column[BLOBS].buf, blob, score);
        store_u64(s->column[BLOB_MASKS].buf, blob, mask);
        s->best = score > s->best ? score : s->best;
    }
    return NULL;
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
    if (!failed) {
        clear_columns(s);
        failed = add_lists(s) < 0 || refused(gather(s)) < 0;
    }
    if (!failed)
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
    if (PyTuple_GET_SIZE(s->lists) > 64)
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
