/* Captures of a query → definitions, comments, imports. Nested nodes open in the order of their starts, so one pass
 * with a stack pairs them. The twin is greppy.analysis.pairing. */

#include "outline.h"

enum { LONGEST_NAME = 200, UNKNOWN = -1 };

typedef struct {
    int32_t start, end;
    int role, kind;
} Event;

typedef struct {
    Event *items;
    size_t used, capacity;
} Events;

typedef struct {
    Outline *out;
    const Page *page;
    const Roles *roles;
    int32_t *stack;
    size_t depth, stack_capacity;
    int32_t closed, outer_start, outer_end;
    Range last;
} Pairing;

/* Names of the attributes of nodes, made once a call. */
typedef struct {
    PyObject *start, *end;
} Attributes;

static int offset_of(PyObject *node, PyObject *attribute, int32_t *offset)
{
    PyObject *number = PyObject_GetAttr(node, attribute);
    Py_ssize_t value = number == NULL ? -1 : PyNumber_AsSsize_t(number, PyExc_OverflowError);
    Py_XDECREF(number);
    if (value == -1 && PyErr_Occurred())
        return -1;
    if (value < 0 || value >= INT32_MAX / 2) {
        refuse("a capture must begin and end at 0 to 1 GiB");
        return -1;
    }
    *offset = (int32_t)value;
    return 0;
}

static int find_role(const Roles *roles, PyObject *capture, Event *event)
{
    PyObject *pair = PyDict_GetItemWithError(roles->captures, capture);
    if (pair == NULL) {
        if (!PyErr_Occurred())
            PyErr_SetObject(PyExc_KeyError, capture);
        return -1;
    }
    if (!PyArg_ParseTuple(pair, "ii:role", &event->role, &event->kind))
        return -1;
    if (event->role < 0 || event->role >= ROLES || event->kind < 0 || event->kind >= PyTuple_GET_SIZE(roles->kinds)) {
        refuse("a capture's role or kind is unknown");
        return -1;
    }
    return 0;
}

static Ranges *apart(Outline *outline, int role)
{
    switch (role) {
    case AS_COMMENT: return &outline->comments;
    case AS_DOCSTRING: return &outline->docstrings;
    case AS_ATTRIBUTE: return &outline->attributes;
    case AS_IMPORT: return &outline->imports;
    default: return NULL;
    }
}

static int gather_nodes(Outline *outline, Events *events, Event event, PyObject *nodes, const Attributes *names)
{
    Ranges *ranges = apart(outline, event.role);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(nodes); i++) {
        PyObject *node = Py_NewRef(PyList_GET_ITEM(nodes, i));
        int failed = offset_of(node, names->start, &event.start) < 0 || offset_of(node, names->end, &event.end) < 0;
        Py_DECREF(node);
        if (failed)
            return -1;
        if (ranges != NULL) {
            if (push_range(ranges, event.start, event.end) < 0)
                return -1;
            continue;
        }
        if (reserve(&events->items, &events->capacity, events->used + 1, sizeof(Event)) < 0)
            return -1;
        events->items[events->used++] = event;
    }
    return 0;
}

static int gather(Outline *outline, Events *events, const Roles *roles, PyObject *captures)
{
    Attributes names = {PyUnicode_InternFromString("start_byte"), PyUnicode_InternFromString("end_byte")};
    PyObject *items = PyDict_Items(captures); /* a list of our own: whatever a node's attributes do, it stays */
    int failed = names.start == NULL || names.end == NULL || items == NULL;
    for (Py_ssize_t i = 0; !failed && i < PyList_GET_SIZE(items); i++) {
        Event event = {0, 0, 0, 0};
        PyObject *item = PyList_GET_ITEM(items, i), *nodes = PyTuple_GET_ITEM(item, 1);
        if (!PyList_Check(nodes)) {
            PyErr_SetString(PyExc_TypeError, "a capture must have a list of nodes");
            failed = 1;
        } else
            failed = find_role(roles, PyTuple_GET_ITEM(item, 0), &event) < 0 ||
                     gather_nodes(outline, events, event, nodes, &names) < 0;
    }
    Py_XDECREF(names.start);
    Py_XDECREF(names.end);
    Py_XDECREF(items);
    return failed ? -1 : 0;
}

static int compare_events(const void *one, const void *other)
{
    const Event *a = one, *b = other;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->end != b->end)
        return a->end > b->end ? -1 : 1;
    return a->role != b->role ? a->role - b->role : a->kind - b->kind;
}

static int push(Pairing *this, int32_t definition)
{
    if (reserve(&this->stack, &this->stack_capacity, this->depth + 1, sizeof *this->stack) < 0)
        return -1;
    this->stack[this->depth++] = definition;
    return 0;
}

/* Whether nothing but white space and semicolons is in text[start:end]. */
static int is_idle(const Page *page, int32_t start, int32_t end)
{
    end = end < page->size ? end : page->size;
    for (; start < end; start++) {
        uint8_t byte = page->text[start];
        if (byte != ';' && byte != ' ' && byte != '\t' && byte != '\r' && byte != '\n')
            return 0;
    }
    return 1;
}

static int open_definition(Pairing *this, const Event *event)
{
    Outline *out = this->out;
    if (this->last.start == event->start && this->last.end == event->end && out->found_used) {
        Definition *before = &out->definitions[out->found[out->found_used - 1]];
        if (!has_trait(this->roles, before->kind, IS_MINOR) && !has_trait(this->roles, event->kind, IS_MINOR))
            before->kind = event->kind;
        return 0;
    }
    this->last = (Range){event->start, event->end};
    int32_t start = event->start, end = event->end;
    if (event->start < this->outer_end) {
        if (event->end >= this->outer_end || is_idle(this->page, event->end, this->outer_end)) {
            start = this->outer_start;
            end = this->outer_end;
        }
        this->outer_end = 0;
    }
    if (out->definitions_used >= INT32_MAX ||
        reserve(&out->definitions, &out->definitions_capacity, out->definitions_used + 1, sizeof(Definition)) < 0 ||
        reserve(&out->found, &out->found_capacity, out->found_used + 1, sizeof *out->found) < 0)
        return -1;
    int32_t ordinal = (int32_t)out->definitions_used++;
    out->definitions[ordinal] = (Definition){
        .start = start, .end = end, .head = event->start, .body = UNKNOWN, .name_start = UNKNOWN, .name_end = UNKNOWN,
        .parent = this->depth ? this->stack[this->depth - 1] : UNKNOWN, .receivers = UNKNOWN, .kind = event->kind,
    };
    out->found[out->found_used++] = ordinal;
    return push(this, ordinal);
}

/* Goes on with the definition that was closed last: its body is the sibling that begins here. */
static int reopen(Pairing *this, const Event *event)
{
    if (this->closed < 0)
        return 0;
    Definition *definition = &this->out->definitions[this->closed];
    if (!is_empty(this->page, definition->end, event->start))
        return 0;
    definition->body = event->start;
    definition->end = event->end;
    int32_t again = this->closed;
    this->closed = UNKNOWN;
    return push(this, again);
}

static int resolve_call(Pairing *this, Definition *call, const Event *event)
{
    int32_t size = this->page->size, start = event->start < size ? event->start : size;
    int32_t end = event->end < size ? event->end : size;
    const char *text = (const char *)this->page->text;
    PyObject *keyword = PyBytes_FromStringAndSize(text + start, end > start ? end - start : 0);
    PyObject *kind = keyword == NULL ? NULL : PyDict_GetItemWithError(this->roles->calls, keyword);
    Py_XDECREF(keyword);
    if (kind == NULL && PyErr_Occurred())
        return -1;
    Py_ssize_t ordinal = kind == NULL ? this->roles->none : PyNumber_AsSsize_t(kind, PyExc_OverflowError);
    if (ordinal < 0 || ordinal >= PyTuple_GET_SIZE(this->roles->kinds)) {
        if (!PyErr_Occurred())
            refuse("the kind of a call is unknown");
        return -1;
    }
    call->kind = (int)ordinal;
    if (call->kind == this->roles->none || call->kind == this->roles->imports) {
        this->out->found_used -= this->out->found_used > 0;
        this->depth--;
    }
    return call->kind == this->roles->imports ? push_range(&this->out->imports, call->start, call->end) : 0;
}

static int push_receiver(Outline *out, Definition *definition, const Event *event)
{
    if (reserve(&out->receivers, &out->receivers_capacity, out->receivers_used + 1, sizeof(Receiver)) < 0)
        return -1;
    int32_t *link = &definition->receivers;
    while (*link >= 0)
        link = &out->receivers[*link].next;
    *link = (int32_t)out->receivers_used;
    out->receivers[out->receivers_used++] = (Receiver){{event->start, event->end}, UNKNOWN};
    return 0;
}

/* What a capture inside the definition that is open tells of it. */
static int describe(Pairing *this, const Event *event)
{
    Definition *top = &this->out->definitions[this->stack[this->depth - 1]];
    if (event->role == AS_NAME) {
        if (top->name_start < 0) {
            top->name_start = event->start;
            top->name_end = event->end;
        }
    } else if (event->role == AS_BODY) {
        if (top->body < 0)
            top->body = event->start;
    } else if (event->role == AS_RECEIVER)
        return push_receiver(this->out, top, event);
    else if (top->kind == this->roles->call)
        return resolve_call(this, top, event);
    return 0;
}

static int take(Pairing *this, const Event *event)
{
    while (this->depth && this->out->definitions[this->stack[this->depth - 1]].end <= event->start)
        this->closed = this->stack[--this->depth];
    if (event->role == AS_OUTER) {
        if (event->start >= this->outer_end) {
            this->outer_start = event->start;
            this->outer_end = event->end;
        }
        return 0;
    }
    if (event->role <= AS_MINOR)
        return open_definition(this, event);
    if (event->role == AS_TAIL)
        return reopen(this, event);
    return this->depth ? describe(this, event) : 0;
}

/* A name as users write it, which Python says of all but the plain ones; NULL for none, and for an error. */
static PyObject *name_of(const Pairing *this, Range range)
{
    int32_t size = this->page->size, end = range.end;
    end = end - range.start < LONGEST_NAME ? end : range.start + LONGEST_NAME;
    end = end < size ? end : size;
    if (range.start >= end)
        return NULL;
    const char *text = (const char *)this->page->text + range.start;
    int plain = 1;
    for (const char *at = text; plain && at < text + (end - range.start); at++)
        plain = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9') || *at == '_' ||
                *at == '$';
    if (plain)
        return PyUnicode_DecodeASCII(text, end - range.start, NULL);
    PyObject *name = PyObject_CallFunction(this->roles->name_of, "y#", text, (Py_ssize_t)(end - range.start));
    if (name != NULL && !PyUnicode_Check(name)) {
        PyErr_SetString(PyExc_TypeError, "a name must be a string");
        Py_CLEAR(name);
    }
    if (name != NULL && PyUnicode_GET_LENGTH(name) == 0)
        Py_CLEAR(name);
    return name;
}

/* Appends a name to a symbol, with a dot between them. */
static int qualify(const Pairing *this, Definition *one, Range range)
{
    PyObject *name = name_of(this, range);
    if (name == NULL)
        return PyErr_Occurred() ? -1 : 0;
    PyObject *around = one->symbol;
    one->symbol = around == NULL ? Py_NewRef(name) : PyUnicode_FromFormat("%U.%U", around, name);
    Py_XDECREF(around);
    Py_DECREF(name);
    return one->symbol == NULL ? -1 : 0;
}

/* Settles what only the whole definition tells; its parent comes first. */
static int finish(Pairing *this, Definition *one)
{
    const Definition *parent = one->parent < 0 ? NULL : &this->out->definitions[one->parent];
    if (parent != NULL && one->kind == this->roles->function && has_trait(this->roles, parent->kind, IS_TYPE))
        one->kind = this->roles->method;
    one->symbol = parent == NULL ? NULL : Py_XNewRef(parent->symbol);
    for (int32_t at = one->receivers; at >= 0; at = this->out->receivers[at].next)
        if (qualify(this, one, this->out->receivers[at].range) < 0)
            return -1;
    if (one->name_start >= 0 && qualify(this, one, (Range){one->name_start, one->name_end}) < 0)
        return -1;
    if (one->name_start < 0)
        one->name_start = one->name_end = one->head;
    if (one->body < 0) {
        int32_t end = one->end < this->page->size ? one->end : this->page->size;
        const uint8_t *line_end = one->name_end >= end ? NULL :
            memchr(this->page->text + one->name_end, '\n', (size_t)(end - one->name_end));
        one->body = line_end == NULL ? one->end : (int32_t)(line_end - this->page->text);
    }
    return 0;
}

static void sort_ranges(Ranges *ranges)
{
    if (ranges->used)
        qsort(ranges->items, ranges->used, sizeof(Range), compare_ranges);
}

int pair_captures(Outline *outline, const Page *page, const Roles *roles, PyObject *captures)
{
    Events events = {NULL, 0, 0};
    Pairing this = {outline, page, roles, .closed = UNKNOWN, .last = {UNKNOWN, UNKNOWN}};
    int failed = gather(outline, &events, roles, captures) < 0;
    if (!failed && events.used)
        qsort(events.items, events.used, sizeof(Event), compare_events);
    for (size_t i = 0; !failed && i < events.used; i++)
        failed = take(&this, &events.items[i]) < 0;
    for (size_t i = 0; !failed && i < outline->found_used; i++)
        failed = finish(&this, &outline->definitions[outline->found[i]]) < 0;
    sort_ranges(&outline->comments);
    sort_ranges(&outline->docstrings);
    sort_ranges(&outline->attributes);
    sort_ranges(&outline->imports);
    free(events.items);
    free(this.stack);
    return failed ? -1 : 0;
}

void free_outline(Outline *outline)
{
    for (size_t i = 0; i < outline->definitions_used; i++)
        Py_XDECREF(outline->definitions[i].symbol);
    free(outline->definitions);
    free(outline->found);
    free(outline->receivers);
    free(outline->comments.items);
    free(outline->docstrings.items);
    free(outline->attributes.items);
    free(outline->imports.items);
}
