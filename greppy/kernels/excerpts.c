/* The lines of parts of texts that hold some terms, and the words that do. A run is taken apart only where one of its
 * parts begins like a term. */

#include "lines.h"
#include "terms.h"

enum { MOST_WANTED = 64, REMEMBERED = 128, MOST_MARKS = 8, BLOCK = 256 };

/* A run that was taken apart: the places of its terms among those that are looked for, in their order. `listed`: the last
 * place (from 1) among whose words it is. */
typedef struct {
    const uint8_t *text;
    size_t size;
    size_t listed;
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
    size_t place;         /* the number of the place, from 1 */
    PyObject *words;      /* list of those of the line */
    Line *lines;
    size_t used, capacity, most, longest; /* lines; how many are looked at, and how much of each */
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
    int failed = met->count && met->listed != e->place && add_word(e, run, end) < 0;
    met->listed = e->all_count && met->count ? e->place : 0;
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

/* The distinct words as text. */
static PyObject *texts_of(PyObject *words)
{
    PyObject *list = PySequence_List(words);
    for (Py_ssize_t i = 0; list != NULL && i < PyList_GET_SIZE(list); i++) {
        PyObject *word = PyList_GET_ITEM(list, i);
        PyObject *text = PyUnicode_DecodeUTF8(PyBytes_AS_STRING(word), PyBytes_GET_SIZE(word), "replace");
        if (text == NULL || PyList_SetItem(list, i, text) < 0)
            Py_CLEAR(list);
    }
    return list;
}

/* Weighs the lines of a place; where its text begins and stops. */
static int weigh_lines(Excerpt *e, PyObject *text, size_t first, size_t last, PyObject *words, const char *span[2])
{
    const uint8_t *base = (const uint8_t *)PyBytes_AS_STRING(text), *end = base + PyBytes_GET_SIZE(text);
    const uint8_t *begin = skip_lines(base, end, first - 1), *at = begin, *stop = begin == NULL ? end : begin;
    for (size_t number = first; at != NULL && number <= last; number++) {
        stop = line_end(at, end);
        size_t size = (size_t)(stop - at) < e->longest ? (size_t)(stop - at) : e->longest;
        if (number - first >= e->most) {
            const uint8_t *rest = skip_lines(at, end, last - number);
            stop = rest == NULL ? end : line_end(rest, end);
            break;
        }
        if (weigh_line(e, at, at + size, number, words) < 0)
            return -1;
        at = stop < end ? stop + 1 : NULL;
    }
    span[0] = (const char *)(begin == NULL ? end : begin);
    span[1] = (const char *)stop;
    return 0;
}

static PyObject *excerpt(Excerpt *e, PyObject *text, size_t first, size_t last)
{
    const char *span[2];
    PyObject *words = PyDict_New(), *result = NULL;
    e->used = 0;
    e->place++;
    if (words != NULL && weigh_lines(e, text, first, last, words, span) == 0) {
        if (e->used)
            qsort(e->lines, e->used, sizeof(Line), better);
        PyObject *content = PyUnicode_DecodeUTF8(span[0], span[1] - span[0], "replace");
        PyObject *lines = numbers_of_lines(e), *texts = texts_of(words);
        if (content != NULL && lines != NULL && texts != NULL)
            result = PyTuple_Pack(3, content, lines, texts);
        Py_XDECREF(content);
        Py_XDECREF(lines);
        Py_XDECREF(texts);
    }
    Py_XDECREF(words);
    return result;
}

/* Texts stay where they are as long as the tuple of places does, so that a run of one can be met again in another. */
static PyObject *excerpts(Excerpt *e, PyObject *places)
{
    PyObject *list = PyList_New(PyTuple_GET_SIZE(places));
    for (Py_ssize_t i = 0; list != NULL && i < PyTuple_GET_SIZE(places); i++) {
        PyObject *place = PyTuple_GET_ITEM(places, i), *text, *one = NULL;
        Py_ssize_t first, last;
        if (!PyTuple_Check(place))
            refuse("a place is a text, its first and its last line");
        else if (PyArg_ParseTuple(place, "Snn", &text, &first, &last) && first < 1)
            refuse("lines count from 1");
        else if (!PyErr_Occurred())
            one = excerpt(e, text, (size_t)first, last < 0 ? 0 : (size_t)last);
        if (one == NULL)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, i, one);
    }
    return list;
}

PyObject *fast_excerpts(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"places", "terms", "weights", "most", "longest", "terms_of", NULL};
    Py_ssize_t most, longest;
    PyObject *given, *terms, *weights, *places, *result = NULL;
    Excerpt e;
    memset(&e, 0, sizeof e);
    e.all_count = 1;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO!O!nnO", names, &given, &PyTuple_Type, &terms, &PyTuple_Type,
                                     &weights, &most, &longest, &e.terms_of))
        return NULL;
    if (most < 0 || longest < 0)
        return refuse("lines count from 1");
    e.most = (size_t)most;
    e.longest = (size_t)longest;
    e.words = PyList_New(0);
    places = PySequence_Tuple(given);
    if (e.words != NULL && places != NULL && take_terms(&e, terms, weights) == 0)
        result = excerpts(&e, places);
    free(e.lines);
    Py_XDECREF(places);
    Py_XDECREF(e.words);
    return result;
}
