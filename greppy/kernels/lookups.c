/* Terms → posting lists, in a dictionary that is read in place: its pages are verified as they are touched. */

#include "postings.h"
#include "strings.h"

enum { LIST_BLOCK = STRING_BLOCK };

/* One dictionary of a container; offsets are the container's. */
typedef struct {
    const Tables *tables;
    Py_buffer data, checked, string_index, list_index;
    Py_ssize_t page, strings_at, strings_size, lists_at, lists_size;
    PyObject *verify;
    uint32_t count, blocks, docs;
} Dictionary;

static const char *check_indexes(Dictionary *d)
{
    const char *problem = open_string_index(&d->string_index, &d->count, &d->blocks);
    if (problem != NULL)
        return problem;
    if (d->list_index.len != d->string_index.len + 4 || load_u32(d->list_index.buf, 1) != d->count)
        return "there are not as many posting lists as terms";
    d->docs = load_u32(d->list_index.buf, 0);
    if (d->page <= 0 || d->strings_at < 0 || d->strings_size < 0 || d->lists_at < 0 || d->lists_size < 0 ||
        d->strings_size > d->data.len || d->strings_at > d->data.len - d->strings_size ||
        d->lists_size > d->data.len || d->lists_at > d->data.len - d->lists_size)
        return "a section lies outside of its container";
    /* The sums of pages, behind the last section, are not in a page. */
    Py_ssize_t strings_end = d->strings_at + d->strings_size, lists_end = d->lists_at + d->lists_size;
    if (d->checked.len < ((strings_end > lists_end ? strings_end : lists_end) + d->page - 1) / d->page)
        return "a section lies outside of its container";
    return (int64_t)d->docs > DOCS ? TOO_MANY : NULL;
}

/* The bytes start..end of a section, verified. NULL with an exception set. */
static const uint8_t *piece(const Dictionary *d, Py_ssize_t at, Py_ssize_t size, uint32_t start, uint32_t end)
{
    if (start > end || end > (uint64_t)size) {
        refuse("the index of strings is out of order");
        return NULL;
    }
    Py_ssize_t first = at + start, last = at + end;
    for (Py_ssize_t page = first / d->page; page * d->page < last; page++) {
        if (((const uint8_t *)d->checked.buf)[page])
            continue;
        PyObject *verified = PyObject_CallFunction(d->verify, "nn", first, last);
        if (verified == NULL)
            return NULL;
        Py_DECREF(verified);
        break;
    }
    return (const uint8_t *)d->data.buf + first;
}

/* A block of strings, about to be read. */
typedef struct {
    BitReader bits;
    Coder strings;
    uint32_t left;
} StringBlock;

static int open_strings(const Dictionary *d, uint32_t block, StringBlock *opened)
{
    const uint8_t *index = d->string_index.buf;
    uint32_t start = load_u32(index, 1 + (int64_t)block), end = load_u32(index, 2 + (int64_t)block);
    const uint8_t *bytes = piece(d, d->strings_at, d->strings_size, start, end);
    uint32_t left = d->count - STRING_BLOCK * block;
    if (bytes == NULL)
        return -1;
    *opened = (StringBlock){{bytes, end - start, 0}, term_coder(d->tables), left < STRING_BLOCK ? left : STRING_BLOCK};
    return 0;
}

/* Below 0, 0, or above: the latest string against the wanted one. */
static int compare(const StringBlock *block, const uint8_t *wanted, size_t size)
{
    size_t mine = block->strings.size;
    int order = memcmp(block->strings.text, wanted, mine < size ? mine : size);
    return order ? order : mine < size ? -1 : mine > size;
}

/* Reads on in a block until a string is not below the wanted one; *place is its place, or how many there are. */
static int seek(StringBlock *block, const uint8_t *wanted, size_t size, uint32_t *place, int *order)
{
    *order = -1;
    for (*place = 0; block->left; ++*place) {
        block->left--;
        if (refused(take_string(&block->bits, &block->strings)) < 0)
            return -1;
        *order = compare(block, wanted, size);
        if (*order >= 0)
            return 0;
    }
    return 0;
}

/* The block in which a string is, if it is anywhere: the last that does not begin above it; -1 for none. */
static int find_block(const Dictionary *d, const uint8_t *wanted, size_t size, int64_t *block)
{
    uint32_t low = 0, high = d->blocks, place;
    while (low < high) {
        StringBlock opened;
        int order;
        uint32_t middle = low + (high - low) / 2;
        if (open_strings(d, middle, &opened) < 0)
            return -1;
        opened.left = opened.left < 1 ? opened.left : 1;
        if (seek(&opened, wanted, size, &place, &order) < 0)
            return -1;
        if (order <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    *block = (int64_t)low - 1;
    return 0;
}

/* The posting list at a place of a block, as bytes in memory; NULL with an exception set. */
static PyObject *list_at(const Dictionary *d, uint32_t block, uint32_t place)
{
    const uint8_t *index = d->list_index.buf;
    uint32_t start = load_u32(index, 2 + (int64_t)block), end = load_u32(index, 3 + (int64_t)block);
    const uint8_t *bytes = piece(d, d->lists_at, d->lists_size, start, end);
    BitWriter out = {.filled = 0};
    PyObject *list = NULL;
    if (bytes != NULL && refused(take_stored(&out, d->tables, bytes, end - start, place, d->docs)) == 0)
        list = PyBytes_FromStringAndSize((const char *)out.out.data, (Py_ssize_t)out.out.used);
    free(out.out.data);
    return list;
}

/* The list of a term, None where it has none. */
static PyObject *find_list(const Dictionary *d, const uint8_t *term, size_t size)
{
    StringBlock block;
    int64_t number;
    uint32_t place;
    int order;
    if (find_block(d, term, size, &number) < 0)
        return NULL;
    if (number < 0)
        return Py_NewRef(Py_None);
    if (open_strings(d, (uint32_t)number, &block) < 0 || seek(&block, term, size, &place, &order) < 0)
        return NULL;
    return order == 0 ? list_at(d, (uint32_t)number, place) : Py_NewRef(Py_None);
}

/* Appends the lists of the strings of a block that begin so; *more: the next block may have some too. */
static int add_lists(const Dictionary *d, uint32_t number, const uint8_t *beginning, size_t size, PyObject *found,
                     int *more)
{
    StringBlock block;
    uint32_t place;
    int order;
    if (open_strings(d, number, &block) < 0 || seek(&block, beginning, size, &place, &order) < 0)
        return -1;
    for (*more = 1; order >= 0; place++) {
        const Coder *string = &block.strings;
        if (string->size < size || memcmp(string->text, beginning, size)) {
            *more = 0;
            return 0;
        }
        PyObject *list = list_at(d, number, place);
        int failed = list == NULL || PyList_Append(found, list) < 0;
        Py_XDECREF(list);
        if (failed)
            return -1;
        if (block.left-- == 0)
            return 0;
        if (refused(take_string(&block.bits, &block.strings)) < 0)
            return -1;
    }
    return 0;
}

static PyObject *beginning_lists(const Dictionary *d, const uint8_t *beginning, size_t size)
{
    int64_t block;
    int more = 1;
    PyObject *found = PyList_New(0);
    if (found == NULL || find_block(d, beginning, size, &block) < 0)
        goto failed;
    for (block = block < 0 ? 0 : block; more && block < d->blocks; block++)
        if (add_lists(d, (uint32_t)block, beginning, size, found, &more) < 0)
            goto failed;
    return found;
failed:
    Py_XDECREF(found);
    return NULL;
}

static PyObject *all_lists(const Dictionary *d, PyObject *terms)
{
    PyObject *found = PyTuple_New(PyTuple_GET_SIZE(terms));
    for (Py_ssize_t i = 0; found != NULL && i < PyTuple_GET_SIZE(terms); i++) {
        PyObject *term = PyTuple_GET_ITEM(terms, i), *list = NULL;
        if (!PyBytes_Check(term))
            PyErr_SetString(PyExc_TypeError, "terms must be bytes");
        else
            list = find_list(d, (const uint8_t *)PyBytes_AS_STRING(term), (size_t)PyBytes_GET_SIZE(term));
        if (list == NULL)
            Py_CLEAR(found);
        else
            PyTuple_SET_ITEM(found, i, list);
    }
    return found;
}

static int open_dictionary(Dictionary *d, PyObject *module, PyObject *tuple)
{
    d->tables = tables_of(PyModule_GetState(module));
    if (d->tables == NULL || !PyArg_ParseTuple(tuple, "y*y*nOy*nny*nn", &d->data, &d->checked, &d->page, &d->verify,
                                               &d->string_index, &d->strings_at, &d->strings_size, &d->list_index,
                                               &d->lists_at, &d->lists_size))
        return -1;
    return 0;
}

static void close_dictionary(Dictionary *d)
{
    Py_buffer *held[] = {&d->data, &d->checked, &d->string_index, &d->list_index};
    for (size_t i = 0; i < sizeof held / sizeof held[0]; i++)
        PyBuffer_Release(held[i]);
}

PyObject *fast_find_lists(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"dictionary", "terms", NULL};
    PyObject *tuple, *terms, *result = NULL;
    Dictionary d;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!O!", names, &PyTuple_Type, &tuple, &PyTuple_Type, &terms) ||
        open_dictionary(&d, module, tuple) < 0)
        return NULL;
    if (refused(check_indexes(&d)) == 0)
        result = all_lists(&d, terms);
    close_dictionary(&d);
    return result;
}

PyObject *fast_beginning_lists(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"dictionary", "beginning", NULL};
    PyObject *tuple, *result = NULL;
    Py_buffer beginning;
    Dictionary d;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!y*", names, &PyTuple_Type, &tuple, &beginning))
        return NULL;
    if (open_dictionary(&d, module, tuple) == 0) {
        if (refused(check_indexes(&d)) == 0)
            result = beginning_lists(&d, beginning.buf, (size_t)beginning.len);
        close_dictionary(&d);
    }
    PyBuffer_Release(&beginning);
    return result;
}
