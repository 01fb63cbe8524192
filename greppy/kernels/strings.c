/* Tables of strings: packed, unpacked, searched. */

#include "strings.h"

enum { SHARED_TABLE = 0, OWN_TABLE = 1, FIRST_BYTE_TABLE = 2 };

Coder term_coder(const Tables *tables) { return (Coder){.tables = tables, .first = TERM_TABLES}; }

static int open_kind(Coder *coder, PyObject *module, Py_ssize_t kind)
{
    const Tables *tables = tables_of(PyModule_GetState(module));
    if (tables == NULL)
        return -1;
    if (kind != 0 && kind != 1) {
        refuse("strings are terms (0) or symbols (1)");
        return -1;
    }
    *coder = term_coder(tables);
    coder->first = kind ? SYMBOL_TABLES : TERM_TABLES;
    return 0;
}

static unsigned table_after(const Coder *s, const uint8_t *text, size_t size)
{
    return s->first + (size ? s->tables->after_byte[text[size - 1]] : FIRST_BYTE_TABLE);
}

static void put_string(BitWriter *bits, Coder *s, const uint8_t *text, size_t size)
{
    size_t most = s->size < size ? s->size : size, shared = 0;
    while (shared < most && s->text[shared] == text[shared])
        shared++;
    put_value(bits, s->tables, s->first + SHARED_TABLE, (unsigned)shared);
    put_value(bits, s->tables, s->first + OWN_TABLE, (unsigned)(size - shared));
    for (size_t at = shared; at < size; at++)
        put_value(bits, s->tables, table_after(s, text, at), text[at]);
    memcpy(s->text, text, size);
    s->size = size;
}

const char *take_string(BitReader *bits, Coder *s)
{
    size_t shared = take_value(bits, s->tables->take[s->first + SHARED_TABLE]);
    size_t own = take_value(bits, s->tables->take[s->first + OWN_TABLE]);
    if (shared > s->size || shared + own > LONGEST_STRING)
        return "a string is longer than it can be";
    s->size = shared + own;
    for (size_t at = shared; at < s->size; at++)
        s->text[at] = (uint8_t)take_value(bits, s->tables->take[table_after(s, s->text, at)]);
    return overrun(bits) ? "strings are truncated" : NULL;
}

static int begin_block(StringWriter *writer)
{
    align(&writer->bits);
    if (writer->bits.out.used > UINT32_MAX ||
        grow(&writer->index, &writer->capacity, writer->used + 1, sizeof *writer->index) < 0)
        return -1;
    writer->index[writer->used++] = (uint32_t)writer->bits.out.used;
    writer->coder.size = 0;
    return 0;
}

const char *append_string(StringWriter *writer, const uint8_t *text, size_t size)
{
    if (size > LONGEST_STRING)
        return "a string has at most 255 bytes";
    if (writer->count == UINT32_MAX || room_for(&writer->bits, 3 * (LONGEST_STRING / 8) + 8) < 0 ||
        (writer->count % STRING_BLOCK == 0 && begin_block(writer) < 0))
        return NO_ROOM;
    writer->count++;
    put_string(&writer->bits, &writer->coder, text, size);
    return NULL;
}

PyObject *finish_strings(StringWriter *writer)
{
    if (room_for(&writer->bits, 1) < 0 || grow(&writer->index, &writer->capacity, writer->used + 1, 4) < 0)
        return PyErr_NoMemory();
    align(&writer->bits);
    const Bytes *out = &writer->bits.out;
    if (out->used > UINT32_MAX)
        return refuse("strings have at most 4 GiB");
    writer->index[writer->used] = (uint32_t)out->used;
    return Py_BuildValue("Ny#", numbers_of(&writer->count, 1, writer->index, writer->used + 1), out->data,
                         (Py_ssize_t)out->used);
}

void free_strings_writer(StringWriter *writer)
{
    free(writer->bits.out.data);
    free(writer->index);
}

static int pack_one(StringWriter *writer, PyObject *string)
{
    if (!PyBytes_Check(string)) {
        PyErr_SetString(PyExc_TypeError, "strings must be bytes");
        return -1;
    }
    const uint8_t *text = (const uint8_t *)PyBytes_AS_STRING(string);
    return refused(append_string(writer, text, (size_t)PyBytes_GET_SIZE(string)));
}

PyObject *fast_pack_strings(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"strings", "kind", NULL};
    PyObject *sequence;
    Py_ssize_t kind;
    StringWriter writer = {.count = 0};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "On", names, &sequence, &kind) ||
        open_kind(&writer.coder, module, kind) < 0)
        return NULL;
    PyObject *strings = PySequence_Tuple(sequence);
    int failed = strings == NULL;
    for (Py_ssize_t i = 0; !failed && i < PyTuple_GET_SIZE(strings); i++)
        failed = pack_one(&writer, PyTuple_GET_ITEM(strings, i)) < 0;
    PyObject *result = failed ? NULL : finish_strings(&writer);
    free_strings_writer(&writer);
    Py_XDECREF(strings);
    return result;
}

static PyObject *unpacked(Coder *s, const Py_buffer *block, Py_ssize_t count)
{
    BitReader bits = {block->buf, (uint64_t)block->len, 0};
    PyObject *list = PyList_New(0);
    for (Py_ssize_t i = 0; list != NULL && i < count; i++) {
        const char *problem = take_string(&bits, s);
        PyObject *string = problem != NULL ? refuse(problem)
                                           : PyBytes_FromStringAndSize((const char *)s->text, (Py_ssize_t)s->size);
        if (string == NULL || PyList_Append(list, string) < 0)
            Py_CLEAR(list);
        Py_XDECREF(string);
    }
    return list;
}

PyObject *fast_take_strings(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"block", "count", "kind", NULL};
    Py_buffer block;
    Py_ssize_t count, kind;
    Coder s;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "y*nn", names, &block, &count, &kind))
        return NULL;
    PyObject *result = open_kind(&s, module, kind) < 0 ? NULL : unpacked(&s, &block, count);
    PyBuffer_Release(&block);
    return result;
}

PyObject *fast_string_at(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"block", "place", "kind", NULL};
    Py_buffer block;
    Py_ssize_t place, kind;
    Coder s;
    PyObject *result = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "y*nn", names, &block, &place, &kind))
        return NULL;
    if (open_kind(&s, module, kind) == 0) {
        BitReader bits = {block.buf, (uint64_t)block.len, 0};
        const char *problem = place < 0 ? "places count from 0" : NULL;
        for (Py_ssize_t i = 0; problem == NULL && i <= place; i++)
            problem = take_string(&bits, &s);
        result = problem != NULL ? refuse(problem)
                                 : PyBytes_FromStringAndSize((const char *)s.text, (Py_ssize_t)s.size);
    }
    PyBuffer_Release(&block);
    return result;
}

/* One search. */
typedef struct {
    Coder strings;
    Py_buffer index, wanted;
    PyObject *fetch;
    uint32_t count, blocks;
} Search;

const char *open_string_index(const Py_buffer *index, uint32_t *count, uint32_t *blocks)
{
    static const char PROBLEM[] = "the index of strings has a wrong length";
    if (index->len % 4 || index->len < 8)
        return PROBLEM;
    *count = load_u32(index->buf, 0);
    uint64_t found = (uint64_t)index->len / 4 - 2;
    *blocks = (uint32_t)found;
    return found == ((uint64_t)*count + STRING_BLOCK - 1) / STRING_BLOCK ? NULL : PROBLEM;
}

/* Whether a string, in lower case and without sigils at its end, ends in `ending`, or does not have it at all. One that
 * is not ASCII may, for all that is known here. */
static int is_worth_reading(const Coder *s, const uint8_t *ending, size_t size)
{
    uint8_t folded[LONGEST_STRING];
    size_t length = s->size;
    for (size_t i = 0; i < length; i++) {
        if (s->text[i] >= 0x80)
            return 1;
        folded[i] = s->text[i] >= 'A' && s->text[i] <= 'Z' ? s->text[i] | 0x20 : s->text[i];
    }
    while (length && (folded[length - 1] == '$' || folded[length - 1] == '@'))
        length--;
    if (length >= size && memcmp(folded + length - size, ending, size) == 0)
        return 1;
    for (size_t at = 0; at + size <= s->size; at++)
        if (folded[at] == ending[0] && memcmp(folded + at, ending, size) == 0)
            return 0;
    return 1;
}

/* A table of strings that is read in ascending order. */
typedef struct {
    Coder fresh, coder;
    Py_buffer index, data;
    BitReader bits;
    uint32_t count, blocks;
    int64_t next; /* ordinal of the string that is read next; -1 before the first */
} Ascent;

static const char *climb_to(Ascent *a, int64_t ordinal)
{
    if (ordinal < 0 || ordinal >= a->count || ordinal < a->next)
        return "ordinals must ascend, and be of strings that there are";
    if (a->next < 0 || ordinal / STRING_BLOCK != (a->next - 1) / STRING_BLOCK) {
        int64_t block = ordinal / STRING_BLOCK;
        uint32_t start = load_u32(a->index.buf, 1 + block), end = load_u32(a->index.buf, 2 + block);
        if (start > end || end > (uint64_t)a->data.len)
            return "the index of strings is out of order";
        a->bits = (BitReader){(const uint8_t *)a->data.buf + start, end - start, 0};
        a->coder = a->fresh;
        a->next = block * STRING_BLOCK;
    }
    const char *problem = NULL;
    for (; problem == NULL && a->next <= ordinal; a->next++)
        problem = take_string(&a->bits, &a->coder);
    return problem;
}

static PyObject *worth_reading(Ascent *a, PyObject *ordinals, const Py_buffer *ending)
{
    PyObject *found = PyList_New(0);
    for (Py_ssize_t i = 0; found != NULL && i < PySequence_Fast_GET_SIZE(ordinals); i++) {
        PyObject *item = PySequence_Fast_GET_ITEM(ordinals, i);
        long long ordinal = PyLong_AsLongLong(item);
        int failed = (ordinal == -1 && PyErr_Occurred()) || refused(climb_to(a, ordinal)) < 0;
        if (!failed && is_worth_reading(&a->coder, ending->buf, (size_t)ending->len))
            failed = PyList_Append(found, item) < 0;
        if (failed)
            Py_CLEAR(found);
    }
    return found;
}

PyObject *fast_strings_ending(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"index", "blocks", "ordinals", "ending", "kind", NULL};
    PyObject *given, *ordinals, *result = NULL;
    Py_buffer ending;
    Py_ssize_t kind;
    Ascent a = {.next = -1};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "y*y*Oy*n", names, &a.index, &a.data, &given, &ending, &kind))
        return NULL;
    ordinals = PySequence_Fast(given, "ordinals are a sequence");
    if (ordinals != NULL && open_kind(&a.fresh, module, kind) == 0 &&
        refused(open_string_index(&a.index, &a.count, &a.blocks)) == 0)
        result = ending.len ? worth_reading(&a, ordinals, &ending) : refuse("an ending must not be empty");
    Py_XDECREF(ordinals);
    PyBuffer_Release(&a.index);
    PyBuffer_Release(&a.data);
    PyBuffer_Release(&ending);
    return result;
}

/* Of a string and the wanted one: below 0, 0, or above. */
static int compare(const Search *s)
{
    size_t mine = s->strings.size, theirs = (size_t)s->wanted.len;
    int order = memcmp(s->strings.text, s->wanted.buf, mine < theirs ? mine : theirs);
    return order ? order : mine < theirs ? -1 : mine > theirs;
}

/* Reads strings of a block until one is not below the wanted one, or `most` were; *order is the last comparison, and
 * *below how many are below. */
static const char *scan(Search *s, const Py_buffer *data, uint32_t most, uint32_t *below, int *order)
{
    BitReader bits = {data->buf, (uint64_t)data->len, 0};
    s->strings.size = 0;
    *order = -1;
    for (*below = 0; *below < most; ++*below) {
        const char *problem = take_string(&bits, &s->strings);
        if (problem != NULL)
            return problem;
        *order = compare(s);
        if (*order >= 0)
            break;
    }
    return NULL;
}

static int scan_block(Search *s, uint32_t block, uint32_t most, uint32_t *below, int *order)
{
    Py_buffer data;
    uint32_t start = load_u32(s->index.buf, 1 + (int64_t)block), end = load_u32(s->index.buf, 2 + (int64_t)block);
    if (start > end) {
        refuse("the index of strings is out of order");
        return -1;
    }
    PyObject *piece = PyObject_CallFunction(s->fetch, "II", start, end);
    int got = piece != NULL && PyObject_GetBuffer(piece, &data, PyBUF_SIMPLE) == 0;
    Py_XDECREF(piece);
    if (!got)
        return -1;
    const char *problem = scan(s, &data, most, below, order);
    PyBuffer_Release(&data);
    if (problem != NULL)
        refuse(problem);
    return problem == NULL ? 0 : -1;
}

static PyObject *found(Search *s)
{
    uint32_t low = 0, high = s->blocks, below;
    int order;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (scan_block(s, middle, 1, &below, &order) < 0)
            return NULL;
        if (order <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return PyLong_FromLong(-1);
    uint32_t first = STRING_BLOCK * (low - 1), left = s->count - first;
    if (scan_block(s, low - 1, left < STRING_BLOCK ? left : STRING_BLOCK, &below, &order) < 0)
        return NULL;
    int64_t ordinal = (int64_t)first + below;
    return PyLong_FromLongLong(order == 0 ? ordinal : -1 - ordinal);
}

PyObject *fast_find_string(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"index", "fetch", "string", "kind", NULL};
    Search s;
    Py_ssize_t kind;
    PyObject *result = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "y*Oy*n", names, &s.index, &s.fetch, &s.wanted, &kind))
        return NULL;
    if (open_kind(&s.strings, module, kind) == 0) {
        const char *problem = open_string_index(&s.index, &s.count, &s.blocks);
        result = problem != NULL ? refuse(problem) : found(&s);
    }
    PyBuffer_Release(&s.index);
    PyBuffer_Release(&s.wanted);
    return result;
}
