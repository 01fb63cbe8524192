/* Reading many files and printing the lines of them that match, all in several threads. */

#ifndef _WIN32

#include "reading.h"
#include "rows.h"

#include <errno.h>

typedef struct {
    Chains chains;
    Style style;
    const char *prefix;
    Py_ssize_t prefix_size;
} How;

/* Whether a name is printed as it is; git puts others in double quotes (`quote_c_style` of its quote.c). */
static int is_ordinary(const char *name)
{
    for (; *name; name++)
        if (*name < ' ' || *name > '~' || *name == '"' || *name == '\\')
            return 0;
    return 1;
}

static int keep_rows(const void *arg, const char *path, const Bytes *text, Outcome *outcome)
{
    const How *how = arg;
    const char *name = path + how->prefix_size;
    int below = strncmp(path, how->prefix, (size_t)how->prefix_size) == 0;
    if (!below || !(how->style.null || is_ordinary(name)))
        return keep_text(text, outcome);
    Bytes out = {0};
    int verdict = print_rows(&how->chains, &how->style, name, strlen(name), text->data, text->used, &out);
    if (verdict == PRESENT) {
        outcome->data = out.data;
        outcome->size = out.used;
        return 0;
    }
    free(out.data);
    return verdict == UNKNOWN ? keep_text(text, outcome) : verdict < 0 ? ENOMEM : 0;
}

/* What is printed of the outcomes [first, end), none of which is an error or a whole text. */
static PyObject *joined(const Outcome *outcomes, size_t first, size_t end)
{
    size_t size = 0;
    for (size_t i = first; i < end; i++)
        size += outcomes[i].size;
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    char *at = bytes == NULL ? NULL : PyBytes_AS_STRING(bytes);
    for (size_t i = first; at != NULL && i < end; at += outcomes[i++].size)
        if (outcomes[i].size)
            memcpy(at, outcomes[i].data, outcomes[i].size);
    return bytes;
}

static int is_printed(const Outcome *outcome) { return !outcome->error && !outcome->whole; }

/* One piece, of the outcomes from *at on; *at moves behind it. */
static PyObject *next_piece(const Outcome *outcomes, size_t *at, size_t count)
{
    size_t first = *at;
    const Outcome *outcome = &outcomes[first];
    if (is_printed(outcome)) {
        while (*at < count && is_printed(&outcomes[*at]))
            ++*at;
        return joined(outcomes, first, *at);
    }
    ++*at;
    if (outcome->error)
        return Py_BuildValue("ni", (Py_ssize_t)first, outcome->error);
    return Py_BuildValue("ny#", (Py_ssize_t)first, (const char *)outcome->data, (Py_ssize_t)outcome->size);
}

static PyObject *pieces(const Outcome *outcomes, size_t count)
{
    PyObject *list = PyList_New(0);
    for (size_t at = 0; list != NULL && at < count;) {
        PyObject *piece = next_piece(outcomes, &at, count);
        int empty = piece != NULL && PyBytes_Check(piece) && PyBytes_GET_SIZE(piece) == 0;
        if (piece == NULL || (!empty && PyList_Append(list, piece) < 0))
            Py_CLEAR(list);
        Py_XDECREF(piece);
    }
    return list;
}

static PyObject *print_files(const Reading *reading)
{
    Outcome *outcomes = read_outcomes(reading);
    PyObject *result = outcomes == NULL ? NULL : pieces(outcomes, files_of(reading));
    free_outcomes(outcomes, files_of(reading));
    return result;
}

PyObject *fast_print_files(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"root", "table", "starts", "wanted", "chains", "style", "prefix", "limit", NULL};
    PyObject *texts, *style, *result = NULL;
    How how = {.prefix = ""};
    Reading reading = {.keep = keep_rows, .how = &how};
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "yy*y*y*O!O!y#n", names, &reading.root, &reading.table,
                                     &reading.starts, &reading.wanted, &PyTuple_Type, &texts, &PyTuple_Type, &style,
                                     &how.prefix, &how.prefix_size, &reading.limit))
        return NULL;
    if (can_read(&reading) && take_chains(&how.chains, texts) == 0 && take_style(&how.style, style) == 0)
        result = print_files(&reading);
    free_chains(&how.chains);
    close_reading(&reading);
    return result;
}

#endif
