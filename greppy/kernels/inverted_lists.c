/* The end of an Inverter: terms are sorted, a counting sort brings the records into their order, lists are written. */

#include "inverter.h"
#include "postings.h"

typedef struct {
    uint64_t prefix; /* the first eight bytes, to be compared as one number */
    const uint8_t *text;
    uint32_t size, id;
} Ranked;

typedef struct {
    uint32_t doc;
    uint8_t code;
} Posting;

static int compare(const void *one, const void *other)
{
    const Ranked *a = one, *b = other;
    if (a->prefix != b->prefix)
        return a->prefix < b->prefix ? -1 : 1;
    int order = memcmp(a->text, b->text, a->size < b->size ? a->size : b->size);
    return order ? order : a->size < b->size ? -1 : a->size > b->size;
}

static uint64_t prefix_of(const uint8_t *text, size_t size)
{
    uint64_t prefix = 0;
    for (size_t i = 0; i < 8; i++)
        prefix = prefix << 8 | (i < size ? text[i] : 0);
    return prefix;
}

/* The terms in the order of their bytes. */
static Ranked *ranked_terms(const Inverter *self)
{
    const Strings *terms = &self->terms;
    Ranked *ranked = malloc(((size_t)terms->used + 1) * sizeof *ranked);
    for (uint32_t id = 0; ranked != NULL && id < terms->used; id++) {
        const uint8_t *text = terms->text.data + terms->keys[id].at;
        uint32_t size = terms->keys[id].size;
        ranked[id] = (Ranked){prefix_of(text, size), text, size, id};
    }
    if (ranked != NULL)
        qsort(ranked, terms->used, sizeof *ranked, compare);
    return ranked;
}

static uint8_t code_of(const uint8_t tf[FIELDS])
{
    static const uint8_t LEVELS[16] = {0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64};
    unsigned comment = tf[COMMENT] >= 4 ? 3 : tf[COMMENT] >= 2 ? 2 : tf[COMMENT], body = 0;
    while (body < 15 && LEVELS[body + 1] <= tf[BODY])
        body++;
    return (uint8_t)((tf[NAME] > 0) << 7 | (tf[SIGNATURE] > 0) << 6 | comment << 4 | body);
}

/* The postings by the rank of their terms, and by document within a term. */
static Posting *ranked_postings(const Inverter *self, const Ranked *ranked)
{
    Posting *postings = malloc((self->records_used + 1) * sizeof *postings);
    uint32_t *next = malloc(((size_t)self->terms.used + 1) * sizeof *next), sum = 0;
    if (postings == NULL || next == NULL) {
        free(postings);
        free(next);
        return NULL;
    }
    for (uint32_t rank = 0; rank < self->terms.used; rank++) {
        next[ranked[rank].id] = sum;
        sum += self->of_term[ranked[rank].id].df;
    }
    for (size_t i = 0; i < self->records_used; i++) {
        const Record *record = &self->records[i];
        postings[next[record->term]++] = (Posting){record->doc, code_of(record->tf)};
    }
    free(next);
    return postings;
}

static int put_list(BitWriter *out, const Tables *tables, const Posting *postings, uint32_t count, uint32_t docs)
{
    ListWriter list = begin_postings(tables, docs);
    if (room_for(out, (size_t)count + 1) < 0) {
        PyErr_NoMemory();
        return -1;
    }
    put_list_head(out, docs, count);
    for (uint32_t i = 0; i < count; i++)
        put_posting(out, &list, postings[i].doc, postings[i].code);
    align(out);
    return 0;
}

/* Writes all lists and the end of each. */
static int put_lists(const Inverter *self, const Ranked *ranked, BitWriter *out, uint64_t *ends)
{
    const Tables *tables = tables_of(self->state);
    if (tables == NULL)
        return -1;
    Posting *postings = ranked_postings(self, ranked);
    if (postings == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    size_t at = 0;
    int failed = 0;
    for (uint32_t rank = 0; !failed && rank < self->terms.used; rank++) {
        uint32_t count = self->of_term[ranked[rank].id].df;
        failed = put_list(out, tables, postings + at, count, (uint32_t)self->docs);
        ends[rank] = out->out.used;
        at += count;
    }
    free(postings);
    return failed;
}

static PyObject *term_list(const Inverter *self, const Ranked *ranked)
{
    PyObject *list = PyList_New(self->terms.used);
    for (uint32_t rank = 0; list != NULL && rank < self->terms.used; rank++) {
        PyObject *term = PyBytes_FromStringAndSize((const char *)ranked[rank].text, ranked[rank].size);
        if (term == NULL)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, rank, term);
    }
    return list;
}

/* floor(8 * log2(length)) + 1 in integers: the powers 2 ** (i / 8) are kept to 63 bits, and only the first is exact. */
static uint8_t length_code(uint64_t length)
{
    static const uint64_t POWERS[8] = {
        0x8000000000000000u, 0x8B95C1E3EA8BD6E6u, 0x9837F0518DB8A96Fu, 0xA5FED6A9B15138EAu,
        0xB504F333F9DE6484u, 0xC5672A115506DADDu, 0xD744FCCAD69D6AF4u, 0xEAC0C6E7DD24392Eu,
    };
    if (length == 0)
        return 0;
    unsigned octave = 0, eighth = 7;
    while (length >> octave > 1)
        octave++;
    while (eighth && length <= POWERS[eighth] >> (63 - octave))
        eighth--;
    unsigned code = 8 * octave + eighth + 1;
    return (uint8_t)(code > 255 ? 255 : code);
}

static PyObject *length_codes(const Inverter *self)
{
    PyObject *codes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(2 * self->docs));
    if (codes == NULL)
        return NULL;
    char *bytes = PyBytes_AS_STRING(codes);
    memset(bytes, 0, (size_t)(2 * self->docs));
    for (size_t i = 0; i < self->lengths_used; i++) {
        const Length *length = &self->lengths[i];
        bytes[2 * (size_t)length->doc] = (char)length_code(length->body);
        bytes[2 * (size_t)length->doc + 1] = (char)length_code(length->comment);
    }
    return codes;
}

static PyObject *totals(const Inverter *self)
{
    uint64_t numbers[1 + FIELDS] = {(uint64_t)self->docs};
    memcpy(numbers + 1, self->totals, sizeof self->totals);
    return new_array(self->state, "Q", numbers, sizeof numbers);
}

/* Puts an item that was just made, or failed to be made, into the tuple. */
static int put_item(PyObject *tuple, Py_ssize_t at, PyObject *item)
{
    PyTuple_SET_ITEM(tuple, at, item);
    return item == NULL ? -1 : 0;
}

static PyObject *results(const Inverter *self, const Ranked *ranked, const Bytes *lists, const uint64_t *ends)
{
    PyObject *tuple = PyTuple_New(5);
    const char *data = lists->used ? (const char *)lists->data : "";
    if (tuple != NULL &&
        (put_item(tuple, 0, term_list(self, ranked)) < 0 ||
         put_item(tuple, 1, PyBytes_FromStringAndSize(data, (Py_ssize_t)lists->used)) < 0 ||
         put_item(tuple, 2, new_array(self->state, "Q", ends, self->terms.used * sizeof *ends)) < 0 ||
         put_item(tuple, 3, length_codes(self)) < 0 || put_item(tuple, 4, totals(self)) < 0))
        Py_CLEAR(tuple);
    return tuple;
}

PyObject *inverted_lists(const Inverter *self)
{
    BitWriter lists = {.filled = 0};
    Ranked *ranked = ranked_terms(self);
    uint64_t *ends = malloc(((size_t)self->terms.used + 1) * sizeof *ends);
    PyObject *result = NULL;
    if (ranked == NULL || ends == NULL)
        PyErr_NoMemory();
    else if (put_lists(self, ranked, &lists, ends) == 0)
        result = results(self, ranked, &lists.out, ends);
    free(ranked);
    free(ends);
    free(lists.out.data);
    return result;
}
