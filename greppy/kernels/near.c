/* The captures of a query, looked for only near the bytes without which it matches nothing. A query visits every node
 * of a tree, which costs a third of what parsing does; most of a program is expressions in which nothing is defined.
 * Its twin is the query itself, run over the whole tree; greppy.analysis.near says where a query can match. */

#include "fast.h"

/* Bits of a kind's action; none asks for the query. With ALONE, the number of the capture stands above them. */
enum { WALK = 1, SHALLOW = 2, ALONE = 4, IGNORE = 8, NUMBER = 4 };

typedef struct {
    int32_t *items;
    size_t used, capacity;
} Spots;

typedef struct {
    PyObject *shallow, *deep; /* functions of a node that give its captures */
    PyObject *names;          /* of captures that a kind makes by itself */
    const uint8_t *actions;
    Py_ssize_t kinds;
    PyObject *captures;
    PyObject **stack;
    size_t depth, stack_capacity;
    Spots spots;
    PyObject *start_byte, *end_byte, *kind_id, *children;
} Near;

static int is_word(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Whether a statement may begin at `at`: blanks aside, no printable byte but `:`, `;` or a backslash stands before. */
static int begins_statement(const uint8_t *text, const uint8_t *at)
{
    while (at > text && (at[-1] == ' ' || at[-1] == '\t'))
        at--;
    return at == text || at[-1] < 0x21 || at[-1] > 0x7E || at[-1] == ':' || at[-1] == ';' || at[-1] == '\\';
}

/* Whether the needle, whose first byte matches, is at `at`; one of letters must be a word of its own. */
static int is_at(const uint8_t *text, const uint8_t *at, const uint8_t *end, const uint8_t *needle, size_t size)
{
    if ((size_t)(end - at) < size || memcmp(at, needle, size) != 0)
        return 0;
    if (!is_word(needle[0]))
        return 1;
    return (at == text || !is_word(at[-1])) && (at + size == end || !is_word(at[size]));
}

static int any_at(PyObject *needles, const uint8_t *text, const uint8_t *at, const uint8_t *end)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(needles); i++) {
        PyObject *needle = PyTuple_GET_ITEM(needles, i);
        const uint8_t *bytes = (const uint8_t *)PyBytes_AS_STRING(needle);
        if (bytes[0] == *at && is_at(text, at, end, bytes, (size_t)PyBytes_GET_SIZE(needle)))
            return 1;
    }
    return 0;
}

static int mark_first_bytes(PyObject *needles, uint8_t first[256])
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(needles); i++) {
        PyObject *needle = PyTuple_GET_ITEM(needles, i);
        if (!PyBytes_Check(needle) || PyBytes_GET_SIZE(needle) == 0) {
            refuse("needles must be bytes, not empty");
            return -1;
        }
        first[(uint8_t)PyBytes_AS_STRING(needle)[0]] = 1;
    }
    return 0;
}

static int find_spots(Spots *spots, const Py_buffer *buf, PyObject *anywhere, PyObject *leading)
{
    const uint8_t *text = buf->buf, *end = text + buf->len;
    uint8_t first[256] = {0};
    if (buf->len > INT32_MAX) {
        refuse("a text must have less than 2 GiB");
        return -1;
    }
    if (mark_first_bytes(anywhere, first) < 0 || mark_first_bytes(leading, first) < 0)
        return -1;
    for (const uint8_t *at = text; at < end; at++) {
        if (!first[*at])
            continue;
        if (!any_at(anywhere, text, at, end) && !(any_at(leading, text, at, end) && begins_statement(text, at)))
            continue;
        if (reserve(&spots->items, &spots->capacity, spots->used + 1, sizeof *spots->items) < 0)
            return -1;
        spots->items[spots->used++] = (int32_t)(at - text);
    }
    return 0;
}

/* The first spot at or behind an offset. */
static size_t spot_from(const Spots *spots, Py_ssize_t offset)
{
    size_t low = 0, high = spots->used;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (spots->items[middle] < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int number_of(PyObject *node, PyObject *attribute, Py_ssize_t *number)
{
    PyObject *value = PyObject_GetAttr(node, attribute);
    *number = value == NULL ? -1 : PyNumber_AsSsize_t(value, PyExc_OverflowError);
    Py_XDECREF(value);
    return *number == -1 && PyErr_Occurred() ? -1 : 0;
}

/* Adds nodes to those of a capture. */
static int add_nodes(Near *this, PyObject *name, PyObject *nodes)
{
    PyObject *list = PyDict_GetItemWithError(this->captures, name);
    if (list == NULL)
        return PyErr_Occurred() ? -1 : PyDict_SetItem(this->captures, name, nodes);
    return PyList_SetSlice(list, PyList_GET_SIZE(list), PyList_GET_SIZE(list), nodes);
}

static int add_alone(Near *this, PyObject *name, PyObject *node)
{
    PyObject *list = PyDict_GetItemWithError(this->captures, name);
    if (list != NULL)
        return PyList_Append(list, node);
    list = PyErr_Occurred() ? NULL : PyList_New(1);
    if (list == NULL)
        return -1;
    PyList_SET_ITEM(list, 0, Py_NewRef(node));
    int failed = PyDict_SetItem(this->captures, name, list);
    Py_DECREF(list);
    return failed;
}

/* Adds what a query captures in a node. */
static int ask(Near *this, PyObject *query, PyObject *node)
{
    PyObject *found = PyObject_CallOneArg(query, node), *name, *nodes;
    Py_ssize_t at = 0;
    int failed = found == NULL;
    if (!failed && !PyDict_Check(found)) {
        PyErr_SetString(PyExc_TypeError, "a query must give a dictionary of lists");
        failed = 1;
    }
    while (!failed && PyDict_Next(found, &at, &name, &nodes)) {
        if (!PyList_CheckExact(nodes) || !PyUnicode_CheckExact(name)) {
            PyErr_SetString(PyExc_TypeError, "a query must give a dictionary of lists");
            failed = 1;
        } else
            failed = add_nodes(this, name, nodes) < 0;
    }
    Py_XDECREF(found);
    return failed ? -1 : 0;
}

static int push_node(Near *this, PyObject *node)
{
    if (reserve(&this->stack, &this->stack_capacity, this->depth + 1, sizeof *this->stack) < 0)
        return -1;
    this->stack[this->depth++] = Py_NewRef(node);
    return 0;
}

/* A node that has a spot: what its kind asks for. */
static int visit(Near *this, PyObject *node)
{
    Py_ssize_t kind;
    if (number_of(node, this->kind_id, &kind) < 0)
        return -1;
    int action = kind >= 0 && kind < this->kinds ? this->actions[kind] : 0;
    if (action & ALONE && add_alone(this, PyTuple_GET_ITEM(this->names, action >> NUMBER), node) < 0)
        return -1;
    if (action & SHALLOW && ask(this, this->shallow, node) < 0)
        return -1;
    if (action & WALK)
        return push_node(this, node);
    return action == 0 ? ask(this, this->deep, node) : 0;
}

/* Visits those children of a node that have a spot. */
static int walk(Near *this, PyObject *node)
{
    Py_ssize_t start, end;
    PyObject *children = PyObject_GetAttr(node, this->children);
    int failed = children == NULL || number_of(node, this->start_byte, &start) < 0;
    if (!failed && !PyList_Check(children)) {
        PyErr_SetString(PyExc_TypeError, "a node must have a list of children");
        failed = 1;
    }
    size_t spot = failed ? 0 : spot_from(&this->spots, start);
    for (Py_ssize_t i = 0; !failed && spot < this->spots.used && i < PyList_GET_SIZE(children); i++) {
        PyObject *child = Py_NewRef(PyList_GET_ITEM(children, i));
        failed = number_of(child, this->end_byte, &end) < 0;
        if (!failed && this->spots.items[spot] < end) {
            failed = visit(this, child) < 0;
            spot = spot_from(&this->spots, end);
        }
        Py_DECREF(child);
    }
    Py_XDECREF(children);
    return failed ? -1 : 0;
}

static int walk_all(Near *this, PyObject *root)
{
    int failed = ask(this, this->shallow, root) < 0 || push_node(this, root) < 0;
    while (!failed && this->depth) {
        PyObject *node = this->stack[--this->depth];
        failed = walk(this, node) < 0;
        Py_DECREF(node);
    }
    while (this->depth)
        Py_DECREF(this->stack[--this->depth]);
    return failed ? -1 : 0;
}

static int check_actions(const Near *this)
{
    for (Py_ssize_t i = 0; i < this->kinds; i++)
        if (this->actions[i] & ALONE && this->actions[i] >> NUMBER >= PyTuple_GET_SIZE(this->names)) {
            refuse("a kind's capture has no name");
            return 0;
        }
    return 1;
}

static int intern_attributes(Near *this)
{
    this->start_byte = PyUnicode_InternFromString("start_byte");
    this->end_byte = PyUnicode_InternFromString("end_byte");
    this->kind_id = PyUnicode_InternFromString("kind_id");
    this->children = PyUnicode_InternFromString("children");
    int failed = this->start_byte == NULL || this->end_byte == NULL || this->kind_id == NULL || this->children == NULL;
    return failed ? -1 : 0;
}

PyObject *fast_captures_near(PyObject *module, PyObject *args)
{
    Near this = {.depth = 0};
    Py_buffer text;
    PyObject *actions, *root, *anywhere, *leading;
    (void)module;
    if (!PyArg_ParseTuple(args, "y*O(SO!O!O!)OO:captures_near", &text, &root, &actions, &PyTuple_Type, &this.names,
                          &PyTuple_Type, &anywhere, &PyTuple_Type, &leading, &this.shallow, &this.deep))
        return NULL;
    this.actions = (const uint8_t *)PyBytes_AS_STRING(actions);
    this.kinds = PyBytes_GET_SIZE(actions);
    int failed = !check_actions(&this) || find_spots(&this.spots, &text, anywhere, leading) < 0 ||
                 intern_attributes(&this) < 0 || (this.captures = PyDict_New()) == NULL || walk_all(&this, root) < 0;
    if (failed)
        Py_CLEAR(this.captures);
    free(this.spots.items);
    free(this.stack);
    Py_XDECREF(this.start_byte);
    Py_XDECREF(this.end_byte);
    Py_XDECREF(this.kind_id);
    Py_XDECREF(this.children);
    PyBuffer_Release(&text);
    return this.captures;
}
