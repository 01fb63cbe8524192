/* BM25F by document, the best of many scores, and the scores of blobs from those of their chunks. */

#include "scores.h"

typedef struct {
    Py_buffer list, live, codes, lengths, norms, scores, masks;
    double k1, weight;
    Py_ssize_t bit;
    const Tables *tables;
} Accumulation;

static const char *check_accumulation(const Accumulation *a)
{
    if (a->codes.len % 8 || a->norms.len % 8 || a->scores.len % 8 || a->masks.len % 8)
        return "buffer does not hold a whole number of items";
    if (a->codes.len != 8 * 768 || a->norms.len != 8 * 512)
        return "three code tables and two norm tables of 256 numbers each are needed";
    if (!(a->k1 > 0.0))
        return "k1 must be positive";
    return a->bit < 0 || a->bit > 63 ? "bit must be 0 to 63" : NULL;
}

static int64_t reach(const Accumulation *a)
{
    int64_t docs = a->scores.len / 8;
    docs = a->masks.len / 8 < docs ? a->masks.len / 8 : docs;
    docs = a->lengths.len / 2 < docs ? a->lengths.len / 2 : docs;
    return a->live.len >= 0 && a->live.len < docs ? a->live.len : docs;
}

static const char *run_accumulation(const Accumulation *a)
{
    const Weighing weighing = {a->codes.buf, a->lengths.buf, a->norms.buf};
    const uint8_t *live = a->live.buf;
    uint8_t *scores = a->scores.buf, *masks = a->masks.buf;
    const int64_t docs = reach(a);
    Reader reader;
    const char *problem = open_list(&reader, a->tables, a->list.buf, (size_t)a->list.len);
    while (problem == NULL && reader.left) {
        problem = next_posting(&reader);
        if (problem != NULL)
            break;
        int64_t doc = (int64_t)reader.doc;
        if (doc >= docs)
            return "posting list has a document beyond the buffers";
        if (live != NULL && !live[doc])
            continue;
        double x = weigh(&weighing, doc, reader.code);
        if (a->k1 + x == 0.0)
            return "k1 + x must not be zero";
        store_f64(scores, doc, load_f64(scores, doc) + a->weight * x / (a->k1 + x));
        store_u64(masks, doc, load_u64(masks, doc) | (uint64_t)1 << a->bit);
    }
    return problem;
}

PyObject *fast_accumulate(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"buf",    "live", "code_tables", "lengths", "norm_tables", "k1",
                            "weight", "bit",  "scores",      "masks",   NULL};
    Accumulation a;
    PyObject *live;
    a.tables = tables_of(PyModule_GetState(module));
    if (a.tables == NULL)
        return NULL;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "y*Oy*y*y*ddnw*w*", names, &a.list, &live, &a.codes, &a.lengths,
                                     &a.norms, &a.k1, &a.weight, &a.bit, &a.scores, &a.masks))
        return NULL;
    const char *problem = NULL;
    int failed = buffer_or_none(live, &a.live) < 0;
    if (!failed) {
        Py_BEGIN_ALLOW_THREADS
        problem = check_accumulation(&a);
        if (problem == NULL)
            problem = run_accumulation(&a);
        Py_END_ALLOW_THREADS
        PyBuffer_Release(&a.live);
    }
    Py_buffer *held[] = {&a.list, &a.codes, &a.lengths, &a.norms, &a.scores, &a.masks};
    for (size_t i = 0; i < sizeof held / sizeof held[0]; i++)
        PyBuffer_Release(held[i]);
    if (problem != NULL)
        return refuse(problem);
    return failed ? NULL : Py_NewRef(Py_None);
}

typedef struct {
    double value;
    Py_ssize_t index;
} Entry;

static int worse(Entry one, Entry other)
{
    return one.value < other.value || (one.value == other.value && one.index > other.index);
}

/* Restores the heap, whose root is its worst entry, after a change of entry `at`. */
static void sink(Entry *heap, Py_ssize_t size, Py_ssize_t at)
{
    Entry entry = heap[at];
    for (Py_ssize_t child; (child = 2 * at + 1) < size; at = child) {
        child += child + 1 < size && worse(heap[child + 1], heap[child]);
        if (!worse(heap[child], entry))
            break;
        heap[at] = heap[child];
    }
    heap[at] = entry;
}

/* Fills the heap with the best entries, best first; returns how many there are. */
static Py_ssize_t select_best(const uint8_t *values, Py_ssize_t count, Entry *heap, Py_ssize_t k)
{
    Py_ssize_t size = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        Entry entry = {load_f64(values, i), i};
        if (!(entry.value > 0.0))
            continue;
        if (size < k) {
            heap[size++] = entry;
            for (Py_ssize_t at = size / 2; size == k && at-- > 0;)
                sink(heap, size, at);
        } else if (worse(heap[0], entry)) {
            heap[0] = entry;
            sink(heap, size, 0);
        }
    }
    for (Py_ssize_t at = size / 2; size < k && at-- > 0;)
        sink(heap, size, at);
    for (Py_ssize_t last = size; last-- > 1;) {
        Entry entry = heap[last];
        heap[last] = heap[0];
        heap[0] = entry;
        sink(heap, last, 0);
    }
    return size;
}

PyObject *fast_top_k(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"values", "k", NULL};
    Py_buffer values;
    Py_ssize_t k, found = 0;
    PyObject *result = NULL;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "y*n", names, &values, &k))
        return NULL;
    Py_ssize_t count = values.len / 8;
    k = k < 0 ? 0 : k > count ? count : k;
    Entry *heap = malloc(((size_t)k + 1) * sizeof *heap);
    if (heap == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    if (values.len % 8) {
        refuse("buffer does not hold a whole number of items");
        goto done;
    }
    Py_BEGIN_ALLOW_THREADS
    found = k ? select_best(values.buf, count, heap, k) : 0;
    Py_END_ALLOW_THREADS
    result = PyList_New(found);
    for (Py_ssize_t i = 0; result != NULL && i < found; i++) {
        PyObject *index = PyLong_FromSsize_t(heap[i].index);
        if (index == NULL)
            Py_CLEAR(result);
        else
            PyList_SET_ITEM(result, i, index);
    }
done:
    free(heap);
    PyBuffer_Release(&values);
    return result;
}

typedef struct {
    Py_buffer scores, masks, first, out, out_masks;
    Top top;           /* empty, with the factors */
    Py_ssize_t scored; /* chunks with a positive score */
} Gathering;

static const char *check_gathering(const Gathering *g)
{
    if (g->scores.len % 8 || g->masks.len % 8 || g->first.len % 4 || g->out.len % 8 || g->out_masks.len % 8)
        return "buffer does not hold a whole number of items";
    if (g->masks.len != g->scores.len || g->out_masks.len != g->out.len || g->first.len / 4 != g->out.len / 8 + 1)
        return "scores, masks and chunk starts do not fit together";
    return NULL;
}

static const char *gather(Gathering *g)
{
    const int64_t chunks = g->scores.len / 8, blobs = g->out.len / 8;
    for (int64_t blob = 0; blob < blobs; blob++) {
        int64_t begin = load_u32(g->first.buf, blob), end = load_u32(g->first.buf, blob + 1);
        if (begin > end || end > chunks)
            return "chunk starts must not descend, nor pass the last chunk";
        uint64_t mask = 0;
        Top top = g->top;
        for (int64_t chunk = begin; chunk < end; chunk++) {
            double score = load_f64(g->scores.buf, chunk);
            mask |= load_u64(g->masks.buf, chunk);
            g->scored += score > 0;
            add_to_top(&top, score);
        }
        store_f64(g->out.buf, blob, sum_of_top(&top));
        store_u64(g->out_masks.buf, blob, mask);
    }
    return NULL;
}

int read_follow(Top *top, PyObject *follow)
{
    top->follows = PyTuple_GET_SIZE(follow);
    if (top->follows > 3) {
        refuse("at most three following chunks count");
        return -1;
    }
    for (Py_ssize_t i = 0; i < top->follows; i++) {
        top->follow[i] = PyFloat_AsDouble(PyTuple_GET_ITEM(follow, i));
        if (top->follow[i] == -1.0 && PyErr_Occurred())
            return -1;
    }
    return 0;
}

PyObject *fast_blob_scores(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"scores", "masks", "first", "follow", "out", "out_masks", NULL};
    Gathering g = {.scored = 0};
    PyObject *follow;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "y*y*y*O!w*w*", names, &g.scores, &g.masks, &g.first,
                                     &PyTuple_Type, &follow, &g.out, &g.out_masks))
        return NULL;
    const char *problem = NULL;
    int failed = read_follow(&g.top, follow) < 0;
    if (!failed) {
        Py_BEGIN_ALLOW_THREADS
        problem = check_gathering(&g);
        if (problem == NULL)
            problem = gather(&g);
        Py_END_ALLOW_THREADS
    }
    Py_buffer *held[] = {&g.scores, &g.masks, &g.first, &g.out, &g.out_masks};
    for (size_t i = 0; i < sizeof held / sizeof held[0]; i++)
        PyBuffer_Release(held[i]);
    if (problem != NULL)
        return refuse(problem);
    return failed ? NULL : PyLong_FromSsize_t(g.scored);
}
