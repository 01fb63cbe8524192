/* The files in which a literal string stands, whole. */

#ifndef _WIN32

#include "needles.h"
#include "reading.h"

static int keep_matching(const void *how, const char *path, const Bytes *text, Outcome *outcome)
{
    const Needles *needles = how;
    (void)path;
    for (size_t i = 0; i < needles->count; i++)
        if (find_needle(&needles->items[i], needles->fold, text->data, text->data + text->used) != NULL)
            return keep_text(text, outcome);
    return needles->count ? 0 : keep_text(text, outcome);
}

static PyObject *result_of(Outcome *outcome)
{
    if (outcome->error)
        return PyLong_FromLong(outcome->error);
    if (outcome->data == NULL)
        return Py_NewRef(Py_None);
    PyObject *bytes = PyBytes_FromStringAndSize((const char *)outcome->data, (Py_ssize_t)outcome->size);
    free(outcome->data);
    outcome->data = NULL;
    return bytes;
}

static PyObject *results(Outcome *outcomes, size_t count)
{
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list != NULL && i < count; i++) {
        PyObject *item = result_of(&outcomes[i]);
        if (item == NULL)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, (Py_ssize_t)i, item);
    }
    return list;
}

PyObject *fast_read_matching(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"root", "table", "starts", "wanted", "needles", "fold", "limit", NULL};
    PyObject *tuple, *result = NULL;
    Needles needles = {0};
    Reading reading = {.keep = keep_matching, .how = &needles};
    int fold;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "yy*y*y*O!pn", names, &reading.root, &reading.table,
                                     &reading.starts, &reading.wanted, &PyTuple_Type, &tuple, &fold, &reading.limit))
        return NULL;
    if (can_read(&reading) && take_needles(&needles, tuple, fold) == 0) {
        Outcome *outcomes = read_outcomes(&reading);
        result = outcomes == NULL ? NULL : results(outcomes, files_of(&reading));
        free_outcomes(outcomes, files_of(&reading));
    }
    free_needles(&needles);
    close_reading(&reading);
    return result;
}

#endif
