/* The TrigramInverter: a bitmap finds the distinct trigrams of a document, a log keeps them in three bytes each, and a
 * counting sort brings the log into the order of the index; a short log is sorted by comparing, since the bitmaps are
 * of all trigrams that there could be. */

#include "trigrams.h"

enum { WORDS = 1 << 18, FEW = 1 << 14 };

/* The last record of a document ends at `end`. */
typedef struct {
    uint32_t doc;
    size_t end;
} Mark;

typedef struct {
    PyObject_HEAD
    int busy, finished;
    int64_t docs;
    uint64_t *here, *anywhere; /* a bit a trigram: in the last document; in any before it, once there are many */
    Bytes log;
    size_t begin; /* of the last document in the log */
    Mark *marks;
    size_t marks_used, marks_capacity;
} TrigramInverter;

static uint32_t load_trigram(const uint8_t *at) { return (uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2]; }

static uint32_t population(uint64_t word)
{
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (uint32_t)(word * 0x0101010101010101u >> 56);
}

static void end_document(TrigramInverter *self)
{
    for (size_t at = self->begin; at < self->log.used; at += 3) {
        uint32_t word = load_trigram(self->log.data + at) >> 6;
        if (self->anywhere != NULL)
            self->anywhere[word] |= self->here[word];
        self->here[word] = 0;
    }
    self->begin = self->log.used;
}

static int is_long(const TrigramInverter *self) { return self->log.used > 3 * FEW; }

static int mark_anywhere(TrigramInverter *self)
{
    self->anywhere = calloc(WORDS, sizeof *self->anywhere);
    for (size_t at = 0; self->anywhere != NULL && at < self->log.used; at += 3) {
        uint32_t trigram = load_trigram(self->log.data + at);
        self->anywhere[trigram >> 6] |= (uint64_t)1 << (trigram & 63);
    }
    return self->anywhere == NULL ? -1 : 0;
}

/* There must be room in the log for as many trigrams as there are bytes. */
static void log_trigrams(TrigramInverter *self, const uint8_t *text, size_t size)
{
    uint32_t trigram = 0, in_a_row = 0;
    uint8_t *log = self->log.data + self->log.used;
    uint64_t *here = self->here;
    for (size_t i = 0; i < size; i++) {
        uint8_t byte = text[i];
        trigram = (trigram << 8 | byte) & 0xFFFFFF;
        in_a_row = byte == '\n' || byte == 0 ? 0 : in_a_row + 1;
        if (in_a_row < 3 || here[trigram >> 6] >> (trigram & 63) & 1)
            continue;
        here[trigram >> 6] |= (uint64_t)1 << (trigram & 63);
        log[0] = (uint8_t)(trigram >> 16);
        log[1] = (uint8_t)(trigram >> 8);
        log[2] = (uint8_t)trigram;
        log += 3;
    }
    self->log.used = (size_t)(log - self->log.data);
}

static int add_text(TrigramInverter *self, uint32_t doc, const Py_buffer *buf)
{
    size_t most = (size_t)buf->len < END_TRIGRAM ? (size_t)buf->len : END_TRIGRAM;
    if (self->here == NULL)
        self->here = calloc(WORDS, sizeof *self->here);
    if (self->here == NULL ||
        grow(&self->log.data, &self->log.capacity, self->log.used + 3 * most, 1) < 0 ||
        grow(&self->marks, &self->marks_capacity, self->marks_used + 1, sizeof(Mark)) < 0)
        return -1;
    if (self->docs != (int64_t)doc + 1) {
        end_document(self);
        if (self->anywhere == NULL && is_long(self) && mark_anywhere(self) < 0)
            return -1;
    }
    self->docs = (int64_t)doc + 1;
    log_trigrams(self, buf->buf, (size_t)buf->len);
    if (self->marks_used == 0 || self->marks[self->marks_used - 1].doc != doc)
        self->marks_used++;
    self->marks[self->marks_used - 1] = (Mark){doc, self->log.used};
    return 0;
}

static int enter(TrigramInverter *self)
{
    const char *problem = self->finished ? "this inverter is finished" : self->busy ? "this inverter is in use" : NULL;
    if (problem != NULL) {
        PyErr_SetString(PyExc_RuntimeError, problem);
        return -1;
    }
    self->busy = 1;
    return 0;
}

static PyObject *trigram_inverter_add(TrigramInverter *self, PyObject *args)
{
    Py_buffer buf;
    PyObject *number;
    int failed = 1;
    if (!PyArg_ParseTuple(args, "Oy*:add", &number, &buf))
        return NULL;
    Py_ssize_t doc = PyNumber_AsSsize_t(number, NULL);
    if (!PyErr_Occurred() && enter(self) == 0) {
        int fits = doc >= 0 && doc < MOST_DOCS && doc >= self->docs - 1;
        Py_BEGIN_ALLOW_THREADS
        failed = !fits || add_text(self, (uint32_t)doc, &buf) < 0;
        Py_END_ALLOW_THREADS
        self->busy = 0;
        if (!fits)
            refuse("documents must come in non-decreasing order, from 0 to 2**24 - 1");
        else if (failed)
            PyErr_NoMemory();
    }
    PyBuffer_Release(&buf);
    return failed ? NULL : Py_NewRef(Py_None);
}

/* Where the trigrams of each word of the bitmap begin among all distinct ones. */
static uint32_t *ranks_of(const uint64_t *anywhere, uint32_t *trigrams)
{
    uint32_t *ranks = malloc(WORDS * sizeof *ranks), sum = 0;
    for (size_t word = 0; ranks != NULL && word < WORDS; word++) {
        ranks[word] = sum;
        sum += population(anywhere[word]);
    }
    *trigrams = sum;
    return ranks;
}

static uint32_t rank_of(const TrigramInverter *self, const uint32_t *ranks, size_t at)
{
    uint32_t trigram = load_trigram(self->log.data + at);
    return ranks[trigram >> 6] + population(self->anywhere[trigram >> 6] & (((uint64_t)1 << (trigram & 63)) - 1));
}

/* Fills `docs` with the documents of the log by the rank of their trigrams; the list of rank r then ends at ends[r]. */
static void sort_log(const TrigramInverter *self, const uint32_t *ranks, uint32_t trigrams, uint32_t *docs,
                     size_t *ends)
{
    for (size_t at = 0; at < self->log.used; at += 3)
        ends[rank_of(self, ranks, at) + 1]++;
    for (uint32_t rank = 0; rank < trigrams; rank++)
        ends[rank + 1] += ends[rank];
    size_t at = 0;
    for (size_t mark = 0; mark < self->marks_used; mark++)
        for (; at < self->marks[mark].end; at += 3)
            docs[ends[rank_of(self, ranks, at)]++] = self->marks[mark].doc;
}

static int put_all(const TrigramInverter *self, IndexWriter *writer, const uint32_t *docs, const size_t *ends)
{
    size_t begin = 0, rank = 0;
    for (uint32_t word = 0; word < WORDS; word++)
        for (uint64_t left = self->anywhere[word]; left; left &= left - 1) {
            uint32_t trigram = word << 6 | population((left & -left) - 1), count = (uint32_t)(ends[rank] - begin);
            if (put_trigram(writer, trigram, docs + begin, count) < 0)
                return -1;
            begin = ends[rank++];
        }
    return 0;
}

static int write_many(TrigramInverter *self, IndexWriter *writer)
{
    uint32_t trigrams;
    if (self->anywhere == NULL && mark_anywhere(self) < 0)
        return -1;
    uint32_t *ranks = ranks_of(self->anywhere, &trigrams);
    size_t *ends = calloc((size_t)trigrams + 1, sizeof *ends);
    uint32_t *docs = malloc(self->log.used / 3 * sizeof *docs + 1);
    int failed = ranks == NULL || ends == NULL || docs == NULL;
    if (!failed) {
        sort_log(self, ranks, trigrams, docs, ends);
        failed = put_all(self, writer, docs, ends) < 0;
    }
    free(ranks);
    free(ends);
    free(docs);
    return failed ? -1 : 0;
}

typedef struct {
    uint32_t trigram, doc;
} Record;

static int compare_records(const void *one, const void *other)
{
    const Record *a = one, *b = other;
    if (a->trigram != b->trigram)
        return a->trigram < b->trigram ? -1 : 1;
    return a->doc < b->doc ? -1 : a->doc > b->doc;
}

static int put_sorted(IndexWriter *writer, const Record *records, size_t count, uint32_t *docs)
{
    for (size_t first = 0, at = 0; at < count; at++) {
        docs[at - first] = records[at].doc;
        if (at + 1 < count && records[at + 1].trigram == records[first].trigram)
            continue;
        if (put_trigram(writer, records[first].trigram, docs, (uint32_t)(at + 1 - first)) < 0)
            return -1;
        first = at + 1;
    }
    return 0;
}

static int write_few(const TrigramInverter *self, IndexWriter *writer)
{
    size_t count = 0, most = self->log.used / 3;
    Record *records = malloc(most * sizeof *records + 1);
    uint32_t *docs = malloc(most * sizeof *docs + 1);
    int failed = records == NULL || docs == NULL;
    for (size_t mark = 0; !failed && mark < self->marks_used; mark++)
        for (; 3 * count < self->marks[mark].end; count++)
            records[count] = (Record){load_trigram(self->log.data + 3 * count), self->marks[mark].doc};
    if (!failed) {
        qsort(records, count, sizeof *records, compare_records);
        failed = put_sorted(writer, records, count, docs) < 0;
    }
    free(records);
    free(docs);
    return failed ? -1 : 0;
}

/* Needs no GIL. */
static int write_index(TrigramInverter *self, IndexWriter *writer)
{
    writer->docs = (uint32_t)self->docs;
    if (self->docs == 0)
        return 0;
    end_document(self);
    return is_long(self) ? write_many(self, writer) : write_few(self, writer);
}

static void empty(TrigramInverter *self)
{
    free(self->here);
    free(self->anywhere);
    free(self->log.data);
    free(self->marks);
    self->here = self->anywhere = NULL;
    self->log.data = NULL;
    self->marks = NULL;
    self->finished = 1;
}

static PyObject *trigram_inverter_finish(TrigramInverter *self, PyObject *unused)
{
    (void)unused;
    IndexWriter writer = {.docs = 0};
    int failed;
    if (enter(self) < 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    failed = write_index(self, &writer) < 0;
    Py_END_ALLOW_THREADS
    empty(self);
    self->busy = 0;
    PyObject *result = failed ? PyErr_NoMemory() : finish_index(&writer);
    free_index(&writer);
    return result;
}

static PyObject *trigram_inverter_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    if (PyTuple_GET_SIZE(args) || (keywords != NULL && PyDict_GET_SIZE(keywords))) {
        PyErr_SetString(PyExc_TypeError, "TrigramInverter takes no arguments");
        return NULL;
    }
    return type->tp_alloc(type, 0);
}

static void trigram_inverter_dealloc(TrigramInverter *self)
{
    PyTypeObject *type = Py_TYPE(self);
    empty(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMethodDef trigram_inverter_methods[] = {
    {"add", (PyCFunction)(void (*)(void))trigram_inverter_add, METH_VARARGS, NULL},
    {"finish", (PyCFunction)(void (*)(void))trigram_inverter_finish, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot trigram_inverter_slots[] = {
    {Py_tp_new, (void *)trigram_inverter_new},
    {Py_tp_dealloc, (void *)trigram_inverter_dealloc},
    {Py_tp_methods, trigram_inverter_methods},
    {0, NULL},
};

PyType_Spec trigram_inverter_spec = {
    .name = "greppy.kernels._fast.TrigramInverter",
    .basicsize = sizeof(TrigramInverter),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = trigram_inverter_slots,
};
