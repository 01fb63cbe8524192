/* What files score at most, for all that may be among the best: a pass over arrays in place of one over objects. */

#include "fast.h"

typedef struct {
    double value;
    uint32_t file;
} Candidate;

/* The columns of one shard: numbers a blob. */
typedef struct {
    Py_buffer texts, masks, best;
} Columns;

typedef struct {
    Py_buffer named, shares, worths, places, blobs, order, classes, factors, allowed;
    double cover[64], extra;
    Py_ssize_t bits, shards;
    int by_name;
    Columns *columns;
    Candidate *found;
    size_t used;
    uint8_t *seen; /* a byte a file */
} Choice;

static const char *check_choice(const Choice *c)
{
    Py_ssize_t files = c->places.len / 4;
    if (c->named.len % 4 || c->places.len % 4 || c->blobs.len != c->places.len || c->order.len % 4 ||
        c->classes.len != 2 * files || c->factors.len % 8)
        return "columns of files do not fit together";
    if (c->shares.len != 8 * files || c->worths.len != 8 * files || (c->allowed.len >= 0 && c->allowed.len != files))
        return "columns of files do not fit together";
    for (Py_ssize_t shard = 0; shard < c->shards; shard++)
        if (c->columns[shard].texts.len % 8 || c->columns[shard].texts.len != c->columns[shard].masks.len ||
            c->columns[shard].best.len % 4)
            return "columns of blobs do not fit together";
    return NULL;
}

static double covered(const Choice *c, uint64_t mask)
{
    double share = 0.0;
    for (Py_ssize_t bit = 0; bit < c->bits; bit++)
        if (mask >> bit & 1)
            share += c->cover[bit];
    return share;
}

/* Adds a file, unless it is there already, is filtered out, or has nothing that was asked for. */
static const char *consider(Choice *c, uint32_t file)
{
    if (file >= c->places.len / 4)
        return "there is no such file";
    if (c->seen[file] || (c->allowed.len >= 0 && !((const uint8_t *)c->allowed.buf)[file]))
        return NULL;
    c->seen[file] = 1;
    uint32_t place = load_u32(c->places.buf, file), blob = load_u32(c->blobs.buf, file);
    uint16_t kind;
    memcpy(&kind, (const uint8_t *)c->classes.buf + 2 * (size_t)file, 2);
    if (place >= c->shards || blob >= c->columns[place].texts.len / 8 || kind >= c->factors.len / 8)
        return "a file lies outside of its columns";
    double text = load_f64(c->columns[place].texts.buf, blob);
    if (!(text > 0.0) && !(c->by_name && load_f64(c->shares.buf, file) >= 1.0))
        return NULL;
    uint64_t mask = load_u64(c->columns[place].masks.buf, blob);
    double value = text + covered(c, mask) + load_f64(c->worths.buf, file) + c->extra;
    value *= load_f64(c->factors.buf, kind);
    if (value > 0.0)
        c->found[c->used++] = (Candidate){value, file};
    return NULL;
}

/* The first of the files, in the order of (shard, blob), that is not before a blob. */
static const char *first_of(const Choice *c, uint32_t place, uint32_t blob, Py_ssize_t *at)
{
    Py_ssize_t low = 0, high = c->order.len / 4;
    while (low < high) {
        Py_ssize_t middle = (low + high) / 2;
        uint32_t file = load_u32(c->order.buf, middle);
        if (file >= c->places.len / 4)
            return "there is no such file";
        uint32_t its = load_u32(c->places.buf, file);
        if (its < place || (its == place && load_u32(c->blobs.buf, file) < blob))
            low = middle + 1;
        else
            high = middle;
    }
    *at = low;
    return NULL;
}

static const char *consider_blob(Choice *c, uint32_t place, uint32_t blob)
{
    Py_ssize_t at = 0;
    const char *problem = first_of(c, place, blob, &at);
    for (; problem == NULL && at < c->order.len / 4; at++) {
        uint32_t file = load_u32(c->order.buf, at);
        if (file >= c->places.len / 4)
            return "there is no such file";
        if (load_u32(c->places.buf, file) != place || load_u32(c->blobs.buf, file) != blob)
            break;
        problem = consider(c, file);
    }
    return problem;
}

static int compare(const void *one, const void *other)
{
    const Candidate *a = one, *b = other;
    if (a->value != b->value)
        return a->value < b->value ? 1 : -1;
    return a->file < b->file ? -1 : a->file > b->file;
}

static const char *choose(Choice *c)
{
    const char *problem = check_choice(c);
    if (problem != NULL)
        return problem;
    size_t files = (size_t)c->places.len / 4;
    c->seen = calloc(files + 1, 1);
    c->found = malloc((files + 1) * sizeof *c->found);
    if (c->seen == NULL || c->found == NULL)
        return NO_ROOM;
    for (Py_ssize_t i = 0; problem == NULL && i < c->named.len / 4; i++)
        problem = consider(c, load_u32(c->named.buf, i));
    for (Py_ssize_t place = 0; place < c->shards; place++)
        for (Py_ssize_t i = 0; problem == NULL && i < c->columns[place].best.len / 4; i++)
            problem = consider_blob(c, (uint32_t)place, load_u32(c->columns[place].best.buf, i));
    if (problem == NULL)
        qsort(c->found, c->used, sizeof *c->found, compare);
    return problem;
}

static PyObject *chosen(Choice *c)
{
    uint32_t *files = malloc(4 * c->used + 4);
    double *values = malloc(8 * c->used + 8);
    PyObject *result = NULL;
    if (files == NULL || values == NULL) {
        PyErr_NoMemory();
    } else {
        for (size_t i = 0; i < c->used; i++) {
            files[i] = c->found[i].file;
            values[i] = c->found[i].value;
        }
        result = Py_BuildValue("NN", new_view("I", files, 4 * c->used), new_view("d", values, 8 * c->used));
    }
    free(files);
    free(values);
    return result;
}

static int take_columns(Choice *c, PyObject *columns)
{
    c->columns = calloc((size_t)PyTuple_GET_SIZE(columns) + 1, sizeof *c->columns);
    if (c->columns == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(columns); i++) {
        Columns *one = &c->columns[i];
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(columns, i), "y*y*y*", &one->texts, &one->masks, &one->best))
            return -1;
        c->shards = i + 1;
    }
    return 0;
}

static int take_cover(Choice *c, PyObject *cover)
{
    c->bits = PyTuple_GET_SIZE(cover);
    if (c->bits > 64) {
        refuse("a mask has 64 bits");
        return -1;
    }
    for (Py_ssize_t i = 0; i < c->bits; i++) {
        c->cover[i] = PyFloat_AsDouble(PyTuple_GET_ITEM(cover, i));
        if (c->cover[i] == -1.0 && PyErr_Occurred())
            return -1;
    }
    return 0;
}

PyObject *fast_best_files(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"columns", "named",  "shares",  "worths", "cover",   "extra",   "places",
                            "blobs",   "order",  "classes", "factors", "allowed", "by_name", NULL};
    Choice c = {.used = 0};
    PyObject *columns, *cover, *allowed, *result = NULL;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!y*y*y*O!dy*y*y*y*y*Op", names, &PyTuple_Type, &columns,
                                     &c.named, &c.shares, &c.worths, &PyTuple_Type, &cover, &c.extra, &c.places,
                                     &c.blobs, &c.order, &c.classes, &c.factors, &allowed, &c.by_name))
        return NULL;
    if (buffer_or_none(allowed, &c.allowed) == 0) {
        if (take_cover(&c, cover) == 0 && take_columns(&c, columns) == 0) {
            const char *problem;
            Py_BEGIN_ALLOW_THREADS
            problem = choose(&c);
            Py_END_ALLOW_THREADS
            if (refused(problem) == 0)
                result = chosen(&c);
        }
        for (Py_ssize_t i = 0; i < c.shards; i++) {
            PyBuffer_Release(&c.columns[i].texts);
            PyBuffer_Release(&c.columns[i].masks);
            PyBuffer_Release(&c.columns[i].best);
        }
        PyBuffer_Release(&c.allowed);
    }
    free(c.columns);
    free(c.seen);
    free(c.found);
    Py_buffer *held[] = {&c.named, &c.shares, &c.worths, &c.places, &c.blobs, &c.order, &c.classes, &c.factors};
    for (size_t i = 0; i < sizeof held / sizeof held[0]; i++)
        PyBuffer_Release(held[i]);
    return result;
}
