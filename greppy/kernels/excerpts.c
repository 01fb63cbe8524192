/* The lines of a part of a text that hold some terms, and the words that do. A run is taken apart only where one of its
 * parts begins like a term. */

#include "lines.h"
#include "terms.h"

enum { MOST_WANTED = 64, REMEMBERED = 128, MOST_MARKS = 8, BLOCK = 256 };

/* A run that was taken apart: the places of its terms among those that are looked for, in their order. `listed`: it is
 * among the words. */
typedef struct {
    const uint8_t *text;
    size_t size;
    int listed;
    unsigned count;
    uint8_t marks[MOST_MARKS];
} Met;

typedef struct {
    double weight;
    size_t number;
} Line;

typedef struct {
    const uint8_t *text[MOST_WANTED];
    size_t size[MOST_WANTED];
    double weight[MOST_WANTED];
    unsigned count;
    uint64_t found;       /* in the line, by term */
    double worth;         /* of the line */
    uint8_t ones[256];    /* whether a term of one or two letters begins so, of which the second may change */
    uint8_t threes[4096]; /* bits: the first two letters of a term and, of longer ones, the third; each & 31 */
    PyObject *terms_of;   /* of other runs than ASCII */
    PyObject *words;      /* list of those of the line */
    Line *lines;
    size_t used, capacity;
    int all_count; /* every weight is above 0, so that every line with a term counts */
    Met met[REMEMBERED];
} Excerpt;

static unsigned triple(unsigned one, unsigned two, unsigned three)
{
    return (one & 31) << 10 | (two & 31) << 5 | (three & 31);
}

/* Porter's algorithm may replace the last letter of what it leaves, so that this letter of a term counts for nothing. */
static void expect(Excerpt *e, const uint8_t *term, size_t size)
{
    if (size < 3)
        e->ones[term[0]] = 1;
    for (unsigned last = 0; size == 3 && last < 32; last++)
        e->threes[triple(term[0], term[1], last) >> 3] |= (uint8_t)(1 << (last & 7));
    if (size > 3)
        e->threes[triple(term[0], term[1], term[2]) >> 3] |= (uint8_t)(1 << (term[2] & 7));
}

static int take_terms(Excerpt *e, PyObject *terms, PyObject *weights)
{
    if (PyTuple_GET_SIZE(terms) > MOST_WANTED || PyTuple_GET_SIZE(terms) != PyTuple_GET_SIZE(weights)) {
        refuse("there are at most 64 terms, each with a weight");
        return -1;
    }
    for (; e->count < PyTuple_GET_SIZE(terms); e->count++) {
        PyObject *term = PyTuple_GET_ITEM(terms, e->count);
        e->weight[e->count] = PyFloat_AsDouble(PyTuple_GET_ITEM(weights, e->count));
        if (e->weight[e->count] == -1.0 && PyErr_Occurred())
            return -1;
        e->all_count &= e->weight[e->count] > 0.0;
        if (!PyBytes_Check(term) || PyBytes_GET_SIZE(term) == 0) {
            refuse("a term is bytes, and not empty");
            return -1;
        }
        e->text[e->count] = (const uint8_t *)PyBytes_AS_STRING(term);
        e->size[e->count] = (size_t)PyBytes_GET_SIZE(term);
        expect(e, e->text[e->count], e->size[e->count]);
    }
    return 0;
}

static int is_digit(uint8_t c) { return c >= '0' && c <= '9'; }
static int is_upper(uint8_t c) { return c >= 'A' && c <= 'Z'; }
static uint8_t lower(uint8_t c) { return is_upper(c) ? c | 0x20 : c; }

/* The letter of a run behind `at` and the underscores that part it from the next, in lower case; 0 at the end. */
static uint8_t next_letter(const uint8_t **at, const uint8_t *end)
{
    do
        ++*at;
    while (*at < end && **at == '_');
    return *at < end ? lower(**at) : 0;
}

/* Whether a term may begin at a place of a run, as a part or a whole does. */
static int begins_like_a_term(const Excerpt *e, const uint8_t *at, const uint8_t *end)
{
    uint8_t one = lower(*at);
    if (e->ones[one])
        return 1;
    uint8_t two = next_letter(&at, end), three = two ? next_letter(&at, end) : 0;
    return e->threes[triple(one, two, three) >> 3] >> (three & 7) & 1;
}

static int may_have_terms(const Excerpt *e, const uint8_t *run, const uint8_t *end)
{
    uint8_t before = '_';
    for (const uint8_t *at = run; at < end; before = *at++)
        if ((before == '_' || is_upper(*at) || is_digit(*at) || is_digit(before)) && begins_like_a_term(e, at, end))
            return 1;
    return 0;
}

static void mark(Excerpt *e, unsigned place)
{
    if (!(e->found >> place & 1))
        e->worth += e->weight[place];
    e->found |= (uint64_t)1 << place;
}

/* Marks a term of a run, and notes it; whether it is one of those that are looked for. */
static int mark_term(Excerpt *e, const uint8_t *term, size_t size, Met *met)
{
    int any = 0;
    for (unsigned i = 0; i < e->count; i++) {
        if (e->size[i] != size || memcmp(e->text[i], term, size))
            continue;
        mark(e, i);
        if (met->count < MOST_MARKS)
            met->marks[met->count] = (uint8_t)i;
        met->count++;
        any = 1;
    }
    return any;
}

static int mark_others(Excerpt *e, PyObject *run, int *any)
{
    Met ignored = {.count = 0};
    PyObject *terms = PyObject_CallOneArg(e->terms_of, run), *tuple = terms == NULL ? NULL : PySequence_Tuple(terms);
    Py_XDECREF(terms);
    for (Py_ssize_t i = 0; tuple != NULL && i < PyTuple_GET_SIZE(tuple); i++) {
        PyObject *term = PyTuple_GET_ITEM(tuple, i);
        if (PyBytes_Check(term))
            *any |= mark_term(e, (const uint8_t *)PyBytes_AS_STRING(term), (size_t)PyBytes_GET_SIZE(term), &ignored);
    }
    Py_XDECREF(tuple);
    return tuple == NULL ? -1 : 0;
}

static int add_word(Excerpt *e, const uint8_t *run, const uint8_t *end)
{
    PyObject *word = PyBytes_FromStringAndSize((const char *)run, end - run);
    int failed = word == NULL || PyList_Append(e->words, word) < 0;
    Py_XDECREF(word);
    return failed ? -1 : 0;
}

static Met *place_of(Excerpt *e, const uint8_t *run, size_t size)
{
    uint32_t hash = (uint32_t)size;
    for (size_t i = 0; i < size && i < 16; i++)
        hash = (hash ^ run[i]) * 16777619u;
    return &e->met[(hash ^ hash >> 15) % REMEMBERED];
}

static int weigh_ascii(Excerpt *e, const uint8_t *run, const uint8_t *end)
{
    size_t size = (size_t)(end - run);
    if (!may_have_terms(e, run, end))
        return 0;
    Met *met = place_of(e, run, size);
    if (met->size != size || memcmp(met->text, run, size)) {
        Terms terms;
        ascii_terms(&terms, run, size);
        *met = (Met){.text = run, .size = size};
        for (unsigned i = 0; i < terms.count; i++)
            mark_term(e, terms.text[i], terms.size[i], met);
    } else {
        for (unsigned i = 0; i < met->count; i++)
            mark(e, met->marks[i]);
    }
    int failed = met->count && !met->listed && add_word(e, run, end) < 0;
    met->listed = e->all_count && met->count;
    if (met->count > MOST_MARKS)
        met->size = 0; /* there was no room for all of its terms */
    return failed ? -1 : 0;
}

static int weigh_run(Excerpt *e, const uint8_t *run, const uint8_t *end)
{
    int any = 0;
    if (is_ascii(run, (size_t)(end - run)))
        return weigh_ascii(e, run, end);
    PyObject *word = PyBytes_FromStringAndSize((const char *)run, end - run);
    int failed = word == NULL || mark_others(e, word, &any) < 0;
    if (!failed && any)
        failed = PyList_Append(e->words, word) < 0;
    Py_XDECREF(word);
    return failed ? -1 : 0;
}

/* Weighs one line; what it is worth, and its words, count only where that is above 0. */
static int weigh_line(Excerpt *e, const uint8_t *at, const uint8_t *end, size_t number, PyObject *words)
{
    const uint8_t *run;
    e->found = 0;
    e->worth = 0.0;
    while (at < end && (run = next_run(&at, end)) != NULL)
        if (weigh_run(e, run, at) < 0)
            return -1;
    int failed = 0;
    if (e->worth > 0.0) {
        failed = reserve(&e->lines, &e->capacity, e->used + 1, sizeof(Line)) < 0;
        if (!failed)
            e->lines[e->used++] = (Line){e->worth, number};
        for (Py_ssize_t i = 0; !failed && i < PyList_GET_SIZE(e->words); i++)
            failed = PyDict_SetItem(words, PyList_GET_ITEM(e->words, i), Py_None) < 0;
    }
    if (PyList_GET_SIZE(e->words) && PyList_SetSlice(e->words, 0, PyList_GET_SIZE(e->words), NULL) < 0)
        return -1;
    return failed ? -1 : 0;
}

static int better(const void *one, const void *other)
{
    const Line *a = one, *b = other;
    if (a->weight != b->weight)
        return a->weight < b->weight ? 1 : -1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Where line `count` (from 0) behind `at` begins; NULL where there are not so many. */
static const uint8_t *skip_lines(const uint8_t *at, const uint8_t *end, size_t count)
{
    while (end - at > BLOCK) {
        size_t feeds = count_feeds(at, at + BLOCK);
        if (feeds >= count)
            break;
        count -= feeds;
        at += BLOCK;
    }
    while (count--) {
        at = memchr(at, '\n', (size_t)(end - at));
        if (at++ == NULL)
            return NULL;
    }
    return at;
}

static PyObject *numbers_of_lines(const Excerpt *e)
{
    PyObject *list = PyList_New((Py_ssize_t)e->used);
    for (size_t i = 0; list != NULL && i < e->used; i++) {
        PyObject *number = PyLong_FromSize_t(e->lines[i].number);
        if (number == NULL)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, (Py_ssize_t)i, number);
    }
    return list;
}

static PyObject *excerpt(Excerpt *e, const Py_buffer *text, size_t first, size_t last, size_t most, size_t longest)
{
    const uint8_t *base = text->buf, *end = base + text->len, *begin = skip_lines(base, end, first - 1), *at = begin;
    PyObject *words = PyDict_New(), *lines = NULL;
    if (words == NULL)
        return NULL;
    const uint8_t *stop = begin == NULL ? end : begin;
    for (size_t number = first; at != NULL && number <= last; number++) {
        stop = line_end(at, end);
        size_t size = (size_t)(stop - at) < longest ? (size_t)(stop - at) : longest;
        if (number - first >= most) {
            const uint8_t *rest = skip_lines(at, end, last - number);
            stop = rest == NULL ? end : line_end(rest, end);
            break;
        }
        if (weigh_line(e, at, at + size, number, words) < 0)
            goto failed;
        at = stop < end ? stop + 1 : NULL;
    }
    if (e->used)
        qsort(e->lines, e->used, sizeof(Line), better);
    if ((lines = numbers_of_lines(e)) == NULL)
        goto failed;
    size_t from = begin == NULL ? (size_t)text->len : (size_t)(begin - base);
    PyObject *list = PySequence_List(words);
    Py_DECREF(words);
    return Py_BuildValue("nnNN", (Py_ssize_t)from, (Py_ssize_t)(stop - base), lines, list);
failed:
    Py_DECREF(words);
    return NULL;
}

PyObject *fast_excerpt(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"text", "first", "last", "terms", "weights", "most", "longest", "terms_of", NULL};
    Py_buffer text;
    Py_ssize_t first, last, most, longest;
    PyObject *terms, *weights, *result = NULL;
    Excerpt e;
    memset(&e, 0, sizeof e);
    e.all_count = 1;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "y*nnO!O!nnO", names, &text, &first, &last, &PyTuple_Type, &terms,
                                     &PyTuple_Type, &weights, &most, &longest, &e.terms_of))
        return NULL;
    e.words = PyList_New(0);
    if (first < 1 || most < 0 || longest < 0)
        refuse("lines count from 1");
    else if (e.words != NULL && take_terms(&e, terms, weights) == 0)
        result = excerpt(&e, &text, (size_t)first, last < 0 ? 0 : (size_t)last, (size_t)most, (size_t)longest);
    free(e.lines);
    Py_XDECREF(e.words);
    PyBuffer_Release(&text);
    return result;
}
