/* What a query has to do with the names of files, and which sorts of files there are. */

#include "postings.h"

static const char *mark_list(const Tables *tables, const Py_buffer *list, uint8_t *marks, Py_ssize_t files)
{
    Reader reader;
    const char *problem = open_list(&reader, tables, list->buf, (size_t)list->len);
    while (problem == NULL && reader.left) {
        problem = next_posting(&reader);
        if (problem == NULL && reader.doc >= (uint64_t)files)
            problem = "there is no such file";
        if (problem == NULL)
            marks[reader.doc] = 1;
    }
    return problem;
}

/* The files that are marked, ascending. */
static PyObject *marked(const uint8_t *marks, Py_ssize_t files)
{
    size_t used = 0;
    uint32_t *found = malloc(4 * (size_t)files + 4);
    if (found == NULL)
        return PyErr_NoMemory();
    for (Py_ssize_t file = 0; file < files; file++)
        if (marks[file])
            found[used++] = (uint32_t)file;
    PyObject *view = new_view("I", found, 4 * used);
    free(found);
    return view;
}

PyObject *fast_joined_lists(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"lists", "files", NULL};
    PyObject *sequence, *result = NULL;
    Py_ssize_t files;
    const Tables *tables = tables_of(PyModule_GetState(module));
    if (tables == NULL || !PyArg_ParseTupleAndKeywords(args, keywords, "On", names, &sequence, &files))
        return NULL;
    if (files < 0 || files > DOCS)
        return refuse("there are at most 2**31 documents");
    PyObject *lists = PySequence_Tuple(sequence);
    uint8_t *marks = lists == NULL ? NULL : calloc((size_t)files + 1, 1);
    int failed = marks == NULL;
    if (failed && lists != NULL)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; !failed && i < PyTuple_GET_SIZE(lists); i++) {
        Py_buffer list;
        failed = PyObject_GetBuffer(PyTuple_GET_ITEM(lists, i), &list, PyBUF_SIMPLE) < 0;
        if (!failed) {
            failed = refused(mark_list(tables, &list, marks, files)) < 0;
            PyBuffer_Release(&list);
        }
    }
    if (!failed)
        result = marked(marks, files);
    free(marks);
    Py_XDECREF(lists);
    return result;
}

enum { LONGEST_WORD = 200 };

/* A query's words as they are looked for in the names of files. */
typedef struct {
    PyObject *words; /* tuple of bytes in lower case */
    size_t shortest; /* from which on one may begin the other */
    Py_buffer table, starts;
} Naming;

static int starts_with(const uint8_t *text, size_t size, const uint8_t *beginning, size_t length)
{
    return length <= size && memcmp(text, beginning, length) == 0;
}

/* Whether a part of a stem is a word of the query, or begins it, or is begun by it. */
static int is_kin(const Naming *n, const uint8_t *part, size_t size)
{
    uint8_t lower[LONGEST_WORD];
    size = size < LONGEST_WORD ? size : LONGEST_WORD;
    for (size_t i = 0; i < size; i++)
        lower[i] = part[i] >= 'A' && part[i] <= 'Z' ? part[i] | 0x20 : part[i];
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(n->words); i++) {
        const uint8_t *word = (const uint8_t *)PyBytes_AS_STRING(PyTuple_GET_ITEM(n->words, i));
        size_t length = (size_t)PyBytes_GET_SIZE(PyTuple_GET_ITEM(n->words, i));
        if ((size < length ? size : length) < n->shortest) {
            if (size == length && memcmp(lower, word, size) == 0)
                return 1;
        } else if (starts_with(lower, size, word, length) || starts_with(word, length, lower, size)) {
            return 1;
        }
    }
    return 0;
}

/* The stem of a file's name: behind the last slash and the dots that begin it, up to the first dot. */
static const uint8_t *stem_of(const Naming *n, uint32_t file, const uint8_t **end)
{
    const uint8_t *table = n->table.buf, *at = table + load_u32(n->starts.buf, file), *stop;
    stop = memchr(at, 0, (size_t)(table + n->table.len - at));
    stop = stop == NULL ? table + n->table.len : stop;
    for (const uint8_t *slash = stop; slash > at; slash--)
        if (slash[-1] == '/') {
            at = slash;
            break;
        }
    while (at < stop && *at == '.')
        at++;
    const uint8_t *dot = memchr(at, '.', (size_t)(stop - at));
    *end = dot == NULL ? stop : dot;
    return at;
}

/* 1 where the query has every word of a file's stem; 2 where that is not ASCII. */
static int mark_of(const Naming *n, uint32_t file)
{
    const uint8_t *end, *at = stem_of(n, file, &end), *run;
    int any = 0;
    for (const uint8_t *byte = at; byte < end; byte++)
        if (*byte >= 0x80)
            return 2;
    while (at < end && (run = next_run(&at, end)) != NULL) {
        const uint8_t *part, *inside = run;
        while ((part = next_part(&inside, at)) != NULL) {
            if (!is_kin(n, part, (size_t)(inside - part)))
                return 0;
            any = 1;
        }
    }
    return any;
}

static const char *check_naming(const Naming *n)
{
    if (n->starts.len % 4)
        return "buffer does not hold a whole number of items";
    for (Py_ssize_t file = 0; file < n->starts.len / 4; file++)
        if (load_u32(n->starts.buf, file) >= n->table.len)
            return "a path lies outside of its table";
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(n->words); i++)
        if (!PyBytes_Check(PyTuple_GET_ITEM(n->words, i)))
            return "words must be bytes";
    return NULL;
}

PyObject *fast_named_wholly(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"named", "table", "starts", "words", "shortest", NULL};
    Naming n;
    Py_buffer named;
    Py_ssize_t shortest;
    PyObject *result = NULL;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "y*y*y*O!n", names, &named, &n.table, &n.starts, &PyTuple_Type,
                                     &n.words, &shortest))
        return NULL;
    n.shortest = shortest < 0 ? 0 : (size_t)shortest;
    const char *problem = named.len % 4 ? "buffer does not hold a whole number of items" : check_naming(&n);
    if (refused(problem) == 0 && (result = PyBytes_FromStringAndSize(NULL, n.starts.len / 4)) != NULL) {
        char *marks = PyBytes_AS_STRING(result);
        memset(marks, 0, (size_t)(n.starts.len / 4));
        for (Py_ssize_t i = 0; problem == NULL && i < named.len / 4; i++) {
            uint32_t file = load_u32(named.buf, i);
            if (file >= n.starts.len / 4)
                problem = "there is no such file";
            else
                marks[file] = (char)mark_of(&n, file);
        }
    }
    if (result != NULL && refused(problem) < 0)
        Py_CLEAR(result);
    Py_buffer *held[] = {&named, &n.table, &n.starts};
    for (size_t i = 0; i < sizeof held / sizeof held[0]; i++)
        PyBuffer_Release(held[i]);
    return result;
}

/* Adds one word's weight to the shares of the files that it names. */
static const char *add_share(const Py_buffer *files, double weight, uint8_t *shares, uint8_t *marks, Py_ssize_t count)
{
    if (files->len % 4)
        return "buffer does not hold a whole number of items";
    for (Py_ssize_t i = 0; i < files->len / 4; i++) {
        uint32_t file = load_u32(files->buf, i);
        if (file >= count)
            return "there is no such file";
        store_f64(shares, file, load_f64(shares, file) + weight);
        marks[file] = 1;
    }
    return NULL;
}

static PyObject *shared(PyObject *found, PyObject *weights, double total, Py_ssize_t files, uint8_t *shares,
                        uint8_t *marks)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(found); i++) {
        Py_buffer one;
        double weight = PyFloat_AsDouble(PyTuple_GET_ITEM(weights, i));
        if ((weight == -1.0 && PyErr_Occurred()) ||
            PyObject_GetBuffer(PyTuple_GET_ITEM(found, i), &one, PyBUF_SIMPLE) < 0)
            return NULL;
        const char *problem = add_share(&one, weight, shares, marks, files);
        PyBuffer_Release(&one);
        if (problem != NULL)
            return refuse(problem);
    }
    for (Py_ssize_t file = 0; file < files; file++)
        if (marks[file])
            store_f64(shares, file, load_f64(shares, file) / total);
    return Py_BuildValue("NN", marked(marks, files), new_view("d", shares, 8 * (size_t)files));
}

PyObject *fast_path_shares(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"found", "weights", "total", "files", NULL};
    PyObject *found, *weights, *result;
    double total;
    Py_ssize_t files;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!O!dn", names, &PyTuple_Type, &found, &PyTuple_Type, &weights,
                                     &total, &files))
        return NULL;
    if (files < 0 || files > DOCS || !(total > 0.0) || PyTuple_GET_SIZE(found) != PyTuple_GET_SIZE(weights))
        return refuse("as many weights as words are needed, and a total above 0");
    uint8_t *shares = calloc((size_t)files + 1, 8), *marks = calloc((size_t)files + 1, 1);
    if (shares == NULL || marks == NULL)
        result = PyErr_NoMemory();
    else
        result = shared(found, weights, total, files, shares, marks);
    free(shares);
    free(marks);
    return result;
}

static const char *add_worths(const Py_buffer *named, const Py_buffer *shares, const Py_buffer *wholly,
                              const Py_buffer *stems, const double rates[3], uint8_t *worths)
{
    Py_ssize_t files = shares->len / 8;
    if (shares->len % 8 || wholly->len != files || named->len % 4 || stems->len % 4)
        return "columns of files do not fit together";
    for (Py_ssize_t i = 0; i < named->len / 4; i++) {
        uint32_t file = load_u32(named->buf, i);
        if (file >= files)
            return "there is no such file";
        double share = load_f64(shares->buf, file);
        double again = ((const uint8_t *)wholly->buf)[file] ? rates[1] * share : 0.0;
        store_f64(worths, file, rates[0] * share + again);
    }
    for (Py_ssize_t i = 0; i < stems->len / 4; i++) {
        uint32_t file = load_u32(stems->buf, i);
        if (file >= files)
            return "there is no such file";
        store_f64(worths, file, load_f64(worths, file) + rates[2]);
    }
    return NULL;
}

PyObject *fast_name_worths(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"named", "shares", "wholly", "stems", "rates", NULL};
    Py_buffer named, shares, wholly, stems;
    double rates[3];
    PyObject *result = NULL;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "y*y*y*y*(ddd)", names, &named, &shares, &wholly, &stems,
                                     &rates[0], &rates[1], &rates[2]))
        return NULL;
    uint8_t *worths = calloc((size_t)shares.len + 1, 1);
    if (worths == NULL)
        PyErr_NoMemory();
    else if (refused(add_worths(&named, &shares, &wholly, &stems, rates, worths)) == 0)
        result = new_view("d", worths, (size_t)shares.len);
    free(worths);
    Py_buffer *held[] = {&named, &shares, &wholly, &stems};
    for (size_t i = 0; i < sizeof held / sizeof held[0]; i++)
        PyBuffer_Release(held[i]);
    return result;
}
