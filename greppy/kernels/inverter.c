/* The Inverter: runs are looked up in a hash table that knows the terms each stands for, and every (term, document)
 * pair is one record of a log, which inverted_lists.c sorts at the end. */

#include "inverter.h"
#include "terms.h"

enum { LONGEST_CACHED_RUN = 256, LONGEST_TERM = 255, TOGETHER = 32 };

#if defined(__GNUC__)
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) ((void)(address))
#endif

/* The number of a term, new or known. */
static int intern_term(Inverter *self, const uint8_t *data, size_t size, uint32_t *id)
{
    if (make_room(&self->terms) < 0)
        return -1;
    uint32_t tag = hash_bytes(self->state->secret, data, size);
    Slot *slot = find(&self->terms, data, size, tag);
    if (slot->id == 0) {
        if (reserve(&self->of_term, &self->term_capacity, (size_t)self->terms.used + 1, sizeof(Term)) < 0 ||
            insert(&self->terms, slot, data, size, tag) < 0)
            return -1;
        self->of_term[slot->id - 1] = (Term){0, 0};
    }
    *id = slot->id - 1;
    return 0;
}

static int check_terms(PyObject *terms)
{
    int fits = PyTuple_Check(terms);
    for (Py_ssize_t i = 0; fits && i < PyTuple_GET_SIZE(terms); i++)
        fits = PyBytes_Check(PyTuple_GET_ITEM(terms, i));
    if (!fits) {
        PyErr_SetString(PyExc_TypeError, "expand must return a tuple of bytes");
        return -1;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(terms); i++) {
        Py_ssize_t size = PyBytes_GET_SIZE(PyTuple_GET_ITEM(terms, i));
        if (size < 1 || size > LONGEST_TERM) {
            refuse("a term must have 1 to 255 bytes");
            return -1;
        }
    }
    return 0;
}

/* Room for the numbers of `count` terms more, which `expansion` is to hold. */
static int begin_expansion(Inverter *self, size_t count, Expansion *expansion)
{
    size_t first = self->expansions_used;
    if (first + count > UINT32_MAX) {
        PyErr_NoMemory();
        return -1;
    }
    *expansion = (Expansion){(uint32_t)first, (uint32_t)count};
    self->expansions_used += count;
    return reserve(&self->expansions, &self->expansions_capacity, first + count, sizeof(uint32_t));
}

static int intern_terms(Inverter *self, PyObject *terms, Expansion *expansion)
{
    int failed = begin_expansion(self, (size_t)PyTuple_GET_SIZE(terms), expansion);
    for (uint32_t i = 0; !failed && i < expansion->count; i++) {
        PyObject *term = PyTuple_GET_ITEM(terms, i);
        failed = intern_term(self, (const uint8_t *)PyBytes_AS_STRING(term), (size_t)PyBytes_GET_SIZE(term),
                             &self->expansions[expansion->first + i]);
    }
    return failed;
}

static int expand_ascii(Inverter *self, const uint8_t *run, size_t size, Expansion *expansion)
{
    Terms terms;
    ascii_terms(&terms, run, size);
    int failed = begin_expansion(self, terms.count, expansion);
    for (uint32_t i = 0; !failed && i < terms.count; i++)
        failed = intern_term(self, terms.text[i], terms.size[i], &self->expansions[expansion->first + i]);
    return failed;
}

static int remember(Inverter *self, const uint8_t *run, size_t size, Expansion expansion)
{
    if (make_room(&self->runs) < 0 ||
        reserve(&self->of_run, &self->run_capacity, (size_t)self->runs.used + 1, sizeof(Expansion)) < 0)
        return -1;
    uint32_t tag = hash_bytes(self->state->secret, run, size);
    self->of_run[self->runs.used] = expansion;
    return insert(&self->runs, find(&self->runs, run, size, tag), run, size, tag);
}

/* The run is remembered by the copy that is handed out: the buffer itself may change during the call. */
static int ask(Inverter *self, const uint8_t *run, size_t size, Expansion *expansion)
{
    PyObject *copy = PyBytes_FromStringAndSize((const char *)run, (Py_ssize_t)size);
    PyObject *terms = copy == NULL ? NULL : PyObject_CallOneArg(self->expand, copy);
    int failed = terms == NULL || check_terms(terms) < 0 || intern_terms(self, terms, expansion) < 0;
    if (!failed && size <= LONGEST_CACHED_RUN)
        failed = remember(self, (const uint8_t *)PyBytes_AS_STRING(copy), size, *expansion);
    Py_XDECREF(copy);
    Py_XDECREF(terms);
    return failed ? -1 : 0;
}

/* A run of a span, with its hash and then its terms. */
typedef struct {
    const uint8_t *text;
    size_t size;
    uint32_t tag;
    Expansion terms;
} Run;

static int find_or_expand(Inverter *self, const uint8_t *run, size_t size, uint32_t tag, Expansion *expansion)
{
    if (size <= LONGEST_CACHED_RUN && self->runs.slots != NULL) {
        Slot *slot = find(&self->runs, run, size, tag);
        if (slot->id) {
            *expansion = self->of_run[slot->id - 1];
            return 0;
        }
    }
    int failed;
    if (!is_ascii(run, size))
        failed = ask(self, run, size, expansion);
    else if ((failed = expand_ascii(self, run, size, expansion)) == 0 && size <= LONGEST_CACHED_RUN)
        failed = remember(self, run, size, *expansion);
    if (!failed && size > LONGEST_CACHED_RUN)
        self->expansions_used = expansion->first;
    return failed;
}

static int expand(Inverter *self, Run *run)
{
    if (run->size > LONGEST_RECENT)
        return find_or_expand(self, run->text, run->size, run->tag, &run->terms);
    Recent *recent = &self->recent[run->tag % RECENT];
    if (recent->size == run->size && same_bytes(recent->text, run->text, run->size)) {
        run->terms = recent->terms;
        return 0;
    }
    Recent met = {.size = (uint8_t)run->size}; /* before Python is asked, which may change the buffer */
    memcpy(met.text, run->text, run->size);
    if (find_or_expand(self, run->text, run->size, run->tag, &run->terms) < 0)
        return -1;
    met.terms = run->terms;
    *recent = met;
    return 0;
}

static int tally(Inverter *self, uint32_t id, int field)
{
    Term *term = &self->of_term[id];
    if (term->df == 0 || term->last < self->first_record) {
        if (self->records_used == UINT32_MAX) {
            PyErr_NoMemory();
            return -1;
        }
        if (reserve(&self->records, &self->records_capacity, self->records_used + 1, sizeof(Record)) < 0)
            return -1;
        term->last = (uint32_t)self->records_used++;
        term->df++;
        self->records[term->last] = (Record){id, (uint32_t)(self->docs - 1), {0}};
    }
    uint8_t *tf = &self->records[term->last].tf[field];
    *tf += *tf < UINT8_MAX;
    return 0;
}

static int measure(Inverter *self, int field, uint64_t found)
{
    self->totals[field] += found;
    if (found == 0 || field < COMMENT)
        return 0;
    uint32_t doc = (uint32_t)(self->docs - 1);
    if (self->lengths_used == 0 || self->lengths[self->lengths_used - 1].doc != doc) {
        if (reserve(&self->lengths, &self->lengths_capacity, self->lengths_used + 1, sizeof(Length)) < 0)
            return -1;
        self->lengths[self->lengths_used++] = (Length){0, 0, doc};
    }
    Length *length = &self->lengths[self->lengths_used - 1];
    *(field == BODY ? &length->body : &length->comment) += found;
    return 0;
}

/* The next runs, at most `most` of them. A run that is too long to be remembered is the last one, since its terms lie
 * where those of the next one will. */
static size_t next_runs(const Inverter *self, Run *runs, size_t most, const uint8_t **at, const uint8_t *end)
{
    size_t count = 0;
    const uint8_t *text;
    while (count < most && (text = next_run(at, end)) != NULL) {
        size_t size = (size_t)(*at - text);
        uint32_t tag = hash_bytes(self->state->secret, text, size);
        runs[count++] = (Run){text, size, tag, {0, 0}};
        if (size > LONGEST_CACHED_RUN)
            break;
        PREFETCH(&self->recent[tag % RECENT]);
        if (self->runs.slots != NULL)
            PREFETCH(&self->runs.slots[tag & self->runs.mask]);
    }
    return count;
}

/* Three passes over a few runs at a time, each of which asks for the memory that the next one needs: one after the
 * other, the runs would spend most of their time waiting for it. Gives how many runs were counted: less than `count`
 * only after an error. */
static size_t count_runs(Inverter *self, int field, Run *runs, size_t count)
{
    size_t known = 0;
    for (; known < count && expand(self, &runs[known]) == 0; known++)
        for (uint32_t at = 0; at < runs[known].terms.count; at++)
            PREFETCH(&self->of_term[self->expansions[runs[known].terms.first + at]]);
    for (size_t i = 0; i < known; i++)
        for (uint32_t at = 0; at < runs[i].terms.count; at++)
            if (tally(self, self->expansions[runs[i].terms.first + at], field) < 0)
                return i;
    return known;
}

static int count_span(Inverter *self, int field, const uint8_t *at, const uint8_t *end)
{
    Run runs[TOGETHER];
    uint64_t found = 0;
    size_t count, counted;
    if (self->recent == NULL && (self->recent = calloc(RECENT, sizeof(Recent))) == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    do {
        count = next_runs(self, runs, TOGETHER, &at, end);
        counted = count_runs(self, field, runs, count);
        found += counted;
    } while (count && counted == count);
    return measure(self, field, found) < 0 || counted < count ? -1 : 0;
}

static int add_span(Inverter *self, const Py_buffer *buf, PyObject *item)
{
    PyObject *span = PySequence_Tuple(item);
    if (span == NULL)
        return -1;
    int failed = -1;
    if (PyTuple_GET_SIZE(span) != 3) {
        refuse("a span has a field, a start and an end");
        goto done;
    }
    Py_ssize_t field = PyNumber_AsSsize_t(PyTuple_GET_ITEM(span, 0), NULL);
    Py_ssize_t start = PyNumber_AsSsize_t(PyTuple_GET_ITEM(span, 1), NULL);
    Py_ssize_t end = PyNumber_AsSsize_t(PyTuple_GET_ITEM(span, 2), NULL);
    if (PyErr_Occurred())
        goto done;
    if (field < 0 || field >= FIELDS) {
        refuse("field must be 0 to 3");
        goto done;
    }
    start = start < 0 ? 0 : start;
    end = end > buf->len ? buf->len : end;
    const uint8_t *text = buf->buf;
    failed = start < end ? count_span(self, (int)field, text + start, text + end) : 0;
done:
    Py_DECREF(span);
    return failed;
}

static int add_spans(Inverter *self, Py_ssize_t doc, const Py_buffer *buf, PyObject *spans)
{
    if (doc < 0 || doc >= DOCS || doc < self->docs - 1) {
        refuse("documents must come in non-decreasing order, from 0 to 2**31 - 1");
        return -1;
    }
    if (doc >= self->docs)
        self->first_record = self->records_used;
    self->docs = (int64_t)doc + 1;
    int failed = 0;
    for (Py_ssize_t i = 0; !failed && i < PyTuple_GET_SIZE(spans); i++)
        failed = add_span(self, buf, PyTuple_GET_ITEM(spans, i));
    return failed;
}

static int enter(Inverter *self)
{
    const char *problem = self->finished ? "this inverter is finished" : self->busy ? "this inverter is in use" : NULL;
    if (problem != NULL) {
        PyErr_SetString(PyExc_RuntimeError, problem);
        return -1;
    }
    self->busy = 1;
    return 0;
}

static PyObject *inverter_add(Inverter *self, PyObject *args)
{
    Py_buffer buf;
    PyObject *number, *sequence;
    if (!PyArg_ParseTuple(args, "Oy*O:add", &number, &buf, &sequence))
        return NULL;
    PyObject *spans = PySequence_Tuple(sequence), *result = NULL;
    Py_ssize_t doc = spans == NULL ? -1 : PyNumber_AsSsize_t(number, NULL);
    if (spans != NULL && !PyErr_Occurred() && enter(self) == 0) {
        result = add_spans(self, doc, &buf, spans) < 0 ? NULL : Py_NewRef(Py_None);
        self->busy = 0;
    }
    Py_XDECREF(spans);
    PyBuffer_Release(&buf);
    return result;
}

static void empty(Inverter *self)
{
    free_strings(&self->runs);
    free_strings(&self->terms);
    free(self->recent);
    free(self->of_run);
    free(self->expansions);
    free(self->of_term);
    free(self->records);
    free(self->lengths);
    self->recent = NULL;
    self->of_run = NULL;
    self->expansions = NULL;
    self->of_term = NULL;
    self->records = NULL;
    self->lengths = NULL;
    self->finished = 1;
}

static PyObject *inverter_finish(Inverter *self, PyObject *unused)
{
    (void)unused;
    if (enter(self) < 0)
        return NULL;
    PyObject *result = inverted_lists(self);
    empty(self);
    self->busy = 0;
    return result;
}

static PyObject *inverter_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *expand;
    if (keywords != NULL && PyDict_GET_SIZE(keywords)) {
        PyErr_SetString(PyExc_TypeError, "Inverter takes no keywords");
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "O:Inverter", &expand))
        return NULL;
    Inverter *self = (Inverter *)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->expand = Py_NewRef(expand);
        self->state = PyType_GetModuleState(type);
    }
    return (PyObject *)self;
}

static int inverter_traverse(Inverter *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self->expand);
    return 0;
}

static int inverter_clear(Inverter *self)
{
    Py_CLEAR(self->expand);
    return 0;
}

static void inverter_dealloc(Inverter *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    inverter_clear(self);
    empty(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMethodDef inverter_methods[] = {
    {"add", (PyCFunction)(void (*)(void))inverter_add, METH_VARARGS, NULL},
    {"finish", (PyCFunction)(void (*)(void))inverter_finish, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot inverter_slots[] = {
    {Py_tp_new, (void *)inverter_new},           {Py_tp_dealloc, (void *)inverter_dealloc},
    {Py_tp_traverse, (void *)inverter_traverse}, {Py_tp_clear, (void *)inverter_clear},
    {Py_tp_methods, inverter_methods},           {0, NULL},
};

PyType_Spec inverter_spec = {
    .name = "greppy.kernels._fast.Inverter",
    .basicsize = sizeof(Inverter),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = inverter_slots,
};
