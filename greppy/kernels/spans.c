/* Ranges of lines and marks of fields → chunks with their spans; and the way there from the captures of a query. The
 * twin is greppy.analysis.spans. */

#include "outline.h"

typedef struct {
    int32_t start, end, field;
} Mark;

typedef struct {
    Mark *items;
    size_t used, capacity;
} Marks;

/* A walk over the pieces of one field each that cover the text; where marks overlap, what begins first wins. */
typedef struct {
    const Marks *marks;
    size_t next;
    int32_t end; /* of the piece */
    int field;
} Tiles;

static int push_mark(Marks *marks, int32_t start, int32_t end, int32_t field)
{
    if (end <= start)
        return 0;
    if (reserve(&marks->items, &marks->capacity, marks->used + 1, sizeof(Mark)) < 0)
        return -1;
    marks->items[marks->used++] = (Mark){start, end, field};
    return 0;
}

static int compare_marks(const void *one, const void *other)
{
    const Mark *a = one, *b = other;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    return a->field - b->field;
}

static int mark_outline(Marks *marks, const Outline *outline)
{
    int failed = 0;
    for (size_t i = 0; !failed && i < outline->comments.used; i++)
        failed = push_mark(marks, outline->comments.items[i].start, outline->comments.items[i].end, COMMENT);
    for (size_t i = 0; !failed && i < outline->docstrings.used; i++)
        failed = push_mark(marks, outline->docstrings.items[i].start, outline->docstrings.items[i].end, COMMENT);
    for (size_t i = 0; !failed && i < outline->found_used; i++) {
        const Definition *one = &outline->definitions[outline->found[i]];
        failed = push_mark(marks, one->name_start, one->name_end, NAME) < 0 ||
                 push_mark(marks, one->head, one->name_start, SIGNATURE) < 0 ||
                 push_mark(marks, one->name_end, one->body, SIGNATURE) < 0;
    }
    if (!failed && marks->used)
        qsort(marks->items, marks->used, sizeof(Mark), compare_marks);
    return failed ? -1 : 0;
}

/* Goes to the piece that begins at `at`, the end of the one before. */
static void next_tile(Tiles *tiles, int32_t at, int32_t size)
{
    const Marks *marks = tiles->marks;
    while (tiles->next < marks->used && marks->items[tiles->next].end <= at)
        tiles->next++;
    if (tiles->next == marks->used) {
        tiles->end = size;
        tiles->field = BODY;
        return;
    }
    const Mark *mark = &marks->items[tiles->next];
    int is_marked = mark->start <= at;
    tiles->end = is_marked ? mark->end : mark->start;
    tiles->field = is_marked ? mark->field : BODY;
    tiles->next += (size_t)is_marked;
}

static int append_span(PyObject *spans, int field, int32_t start, int32_t end)
{
    PyObject *span = Py_BuildValue("(iii)", field, (int)start, (int)end);
    int failed = span == NULL || PyList_Append(spans, span) < 0;
    Py_XDECREF(span);
    return failed ? -1 : 0;
}

/* The spans of text[start:end]; pieces of one field with white space between them are one span. */
static PyObject *spans_of(Tiles *tiles, const Page *page, int32_t start, int32_t end)
{
    PyObject *spans = PyList_New(0);
    int field = -1, failed = spans == NULL;
    int32_t from = 0, to = 0;
    for (int32_t at = start; !failed && at < end;) {
        if (tiles->end <= at)
            next_tile(tiles, at, page->size);
        int32_t upto = tiles->end < end ? tiles->end : end;
        if (!is_empty(page, at, upto)) {
            if (field != tiles->field) {
                failed = field >= 0 && append_span(spans, field, from, to) < 0;
                field = tiles->field;
                from = at;
            }
            to = upto;
        }
        at = upto;
    }
    if (failed || (field >= 0 && append_span(spans, field, from, to) < 0))
        Py_CLEAR(spans);
    return spans;
}

/* A named tuple of the type `kind` with five items, whose references are taken over. */
static PyObject *new_chunk(PyTypeObject *kind, PyObject *const items[5])
{
    int missing = 0;
    for (int i = 0; i < 5; i++)
        missing |= items[i] == NULL;
    PyObject *chunk = missing ? NULL : kind->tp_alloc(kind, 5);
    for (int i = 0; i < 5; i++)
        if (chunk != NULL)
            PyTuple_SET_ITEM(chunk, i, items[i]);
        else
            Py_XDECREF(items[i]);
    return chunk;
}

static PyObject *chunk_of(PyTypeObject *type, Tiles *tiles, const Page *page, const Cut *cut, PyObject *kind)
{
    PyObject *const items[5] = {
        PyLong_FromLong((long)cut->first + 1),
        PyLong_FromLong((long)cut->last + 1),
        Py_NewRef(kind),
        cut->symbol == NULL ? PyUnicode_New(0, 0) : Py_NewRef(cut->symbol),
        spans_of(tiles, page, page->starts[cut->first], page->starts[cut->last + 1]),
    };
    return new_chunk(type, items);
}

static PyObject *chunks_of(PyTypeObject *type, const Marks *marks, const Page *page, const Cuts *cuts, PyObject *kinds)
{
    Tiles tiles = {.marks = marks};
    PyObject *chunks = PyList_New((Py_ssize_t)cuts->used);
    for (size_t i = 0; chunks != NULL && i < cuts->used; i++) {
        const Cut *cut = &cuts->items[i];
        PyObject *chunk = chunk_of(type, &tiles, page, cut, PyTuple_GET_ITEM(kinds, cut->kind));
        if (chunk == NULL)
            Py_CLEAR(chunks);
        else
            PyList_SET_ITEM(chunks, (Py_ssize_t)i, chunk);
    }
    return chunks;
}

static int is_chunk_type(PyTypeObject *type)
{
    if (PyType_IsSubtype(type, &PyTuple_Type) && type->tp_basicsize == PyTuple_Type.tp_basicsize)
        return 1;
    PyErr_SetString(PyExc_TypeError, "chunks must be of a type of named tuples");
    return 0;
}

static int is_kind(const Roles *roles, int kind) { return kind >= 0 && kind < PyTuple_GET_SIZE(roles->kinds); }

static int check_roles(const Roles *roles, Py_ssize_t traits)
{
    int fits = traits == PyTuple_GET_SIZE(roles->kinds) && is_kind(roles, roles->none) && is_kind(roles, roles->call) &&
               is_kind(roles, roles->code) && is_kind(roles, roles->function) && is_kind(roles, roles->imports) &&
               is_kind(roles, roles->method);
    for (Py_ssize_t i = 0; fits && i < traits; i++)
        fits = PyUnicode_Check(PyTuple_GET_ITEM(roles->kinds, i));
    if (!fits)
        refuse("kinds must be strings, each with its traits, and the special ones among them");
    return fits;
}

static PyObject *code_chunks(PyTypeObject *type, const Py_buffer *text, const Roles *roles, PyObject *captures)
{
    Page page = {.starts = NULL};
    Outline outline = {.definitions = NULL};
    Cuts cuts = {NULL, 0, 0};
    Marks marks = {NULL, 0, 0};
    int failed = open_page(&page, text) < 0 || pair_captures(&outline, &page, roles, captures) < 0 ||
                 cut_outline(&cuts, &outline, &page, roles) < 0 || mark_outline(&marks, &outline) < 0;
    PyObject *chunks = failed ? NULL : chunks_of(type, &marks, &page, &cuts, roles->kinds);
    free(page.starts);
    free(cuts.items);
    free(marks.items);
    free_outline(&outline);
    return chunks;
}

PyObject *fast_code_chunks(PyObject *module, PyObject *args)
{
    Py_buffer text, traits;
    Roles roles;
    PyObject *captures;
    PyTypeObject *type;
    (void)module;
    if (!PyArg_ParseTuple(args, "y*O!(O!y*O!O!(iiiiii))OO!:code_chunks", &text, &PyDict_Type, &captures, &PyTuple_Type,
                          &roles.kinds, &traits, &PyDict_Type, &roles.captures, &PyDict_Type, &roles.calls, &roles.none,
                          &roles.call, &roles.code, &roles.function, &roles.imports, &roles.method, &roles.name_of,
                          &PyType_Type, &type))
        return NULL;
    roles.traits = traits.buf;
    PyObject *chunks = NULL;
    if (check_roles(&roles, traits.len) && is_chunk_type(type))
        chunks = code_chunks(type, &text, &roles, captures);
    PyBuffer_Release(&text);
    PyBuffer_Release(&traits);
    return chunks;
}
