/* Sorts of files by their flags, and the blobs with the largest scores. */

#include "fast.h"

typedef struct {
    Py_buffer flags, places, blobs, *of_blobs;
    Py_ssize_t shards;
    uint16_t *classes;
    uint32_t *distinct;
    size_t used, capacity;
} Sorting;

/* The number of a combination of flags. Neighbours mostly have the same, which `last` is. */
static const char *class_of(Sorting *s, uint32_t flags, uint16_t *last)
{
    if (s->used && s->distinct[*last] == flags)
        return NULL;
    for (size_t i = 0; i < s->used; i++)
        if (s->distinct[i] == flags) {
            *last = (uint16_t)i;
            return NULL;
        }
    if (s->used > UINT16_MAX)
        return "there are more than 65536 combinations of flags";
    if (grow(&s->distinct, &s->capacity, s->used + 1, sizeof *s->distinct) < 0)
        return NO_ROOM;
    *last = (uint16_t)s->used;
    s->distinct[s->used++] = flags;
    return NULL;
}

static const char *sort_files(Sorting *s)
{
    Py_ssize_t files = s->flags.len / 4;
    const char *problem = NULL;
    uint16_t last = 0;
    if (s->flags.len % 4 || s->places.len != s->flags.len || s->blobs.len != s->flags.len)
        return "columns of files do not fit together";
    s->classes = malloc(2 * (size_t)files + 2);
    if (s->classes == NULL)
        return NO_ROOM;
    for (Py_ssize_t file = 0; problem == NULL && file < files; file++) {
        uint32_t flags = load_u32(s->flags.buf, file), place = load_u32(s->places.buf, file);
        uint32_t blob = load_u32(s->blobs.buf, file);
        if (place < s->shards && blob < s->of_blobs[place].len)
            flags |= ((const uint8_t *)s->of_blobs[place].buf)[blob] & ~(flags >> 16);
        problem = class_of(s, flags, &last);
        s->classes[file] = last;
    }
    return problem;
}

static PyObject *sorted_files(Sorting *s)
{
    const char *problem = sort_files(s);
    if (refused(problem) < 0)
        return NULL;
    return Py_BuildValue("NN", new_view("H", s->classes, 2 * (size_t)(s->flags.len / 4)),
                         new_view("I", s->distinct, 4 * s->used));
}

PyObject *fast_file_classes(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"flags", "places", "blobs", "of_blobs", NULL};
    Sorting s = {.used = 0};
    PyObject *columns, *result = NULL;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "y*y*y*O!", names, &s.flags, &s.places, &s.blobs, &PyTuple_Type,
                                     &columns))
        return NULL;
    s.of_blobs = calloc((size_t)PyTuple_GET_SIZE(columns) + 1, sizeof *s.of_blobs);
    int failed = s.of_blobs == NULL;
    if (failed)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; !failed && i < PyTuple_GET_SIZE(columns); i++) {
        failed = PyObject_GetBuffer(PyTuple_GET_ITEM(columns, i), &s.of_blobs[i], PyBUF_SIMPLE) < 0;
        s.shards += !failed;
    }
    if (!failed)
        result = sorted_files(&s);
    for (Py_ssize_t i = 0; i < s.shards; i++)
        PyBuffer_Release(&s.of_blobs[i]);
    free(s.of_blobs);
    free(s.classes);
    free(s.distinct);
    PyBuffer_Release(&s.flags);
    PyBuffer_Release(&s.places);
    PyBuffer_Release(&s.blobs);
    return result;
}

/* The value at place `count` - 1 of a descending order (Hoare's selection). */
static double select_value(double *values, size_t used, size_t count)
{
    size_t low = 0, high = used - 1, wanted = count - 1;
    while (low < high) {
        double pivot = values[low + (high - low) / 2];
        size_t i = low, j = high;
        for (;;) {
            while (values[i] > pivot)
                i++;
            while (values[j] < pivot)
                j--;
            if (i >= j)
                break;
            double value = values[i];
            values[i++] = values[j];
            values[j--] = value;
        }
        size_t end = values[j] < pivot && j > low ? j - 1 : j;
        if (wanted <= end)
            high = end;
        else
            low = end + 1;
    }
    return values[wanted];
}

/* The least of the `count` largest values above 0; 0 where there are no more than that. */
static double threshold(double *values, size_t used, size_t count)
{
    if (used <= count)
        return 0.0;
    return count == 0 ? Py_HUGE_VAL : select_value(values, used, count);
}

/* The places of a column whose values are above `least`, and of those that equal it as many as *equal says. */
static PyObject *reaching(const Py_buffer *column, double least, size_t *equal)
{
    size_t used = 0;
    uint32_t *found = malloc((size_t)column->len / 2 + 4);
    if (found == NULL)
        return PyErr_NoMemory();
    for (Py_ssize_t blob = 0; blob < column->len / 8; blob++) {
        double value = load_f64(column->buf, blob);
        if (value > 0.0 && (value > least || (value == least && *equal > 0))) {
            *equal -= value == least;
            found[used++] = (uint32_t)blob;
        }
    }
    PyObject *view = new_view("I", found, 4 * used);
    free(found);
    return view;
}

/* Copies what is above 0 in all columns; returns how many there are. */
static size_t collect(const Py_buffer *columns, Py_ssize_t shards, double *values)
{
    size_t used = 0;
    for (Py_ssize_t i = 0; i < shards; i++)
        for (Py_ssize_t blob = 0; blob < columns[i].len / 8; blob++) {
            double value = load_f64(columns[i].buf, blob);
            if (value > 0.0)
                values[used++] = value;
        }
    return used;
}

static PyObject *best_of(const Py_buffer *columns, Py_ssize_t shards, size_t count, int ties)
{
    size_t total = 0;
    for (Py_ssize_t i = 0; i < shards; i++)
        total += (size_t)columns[i].len / 8;
    double *values = malloc(8 * total + 8);
    if (values == NULL)
        return PyErr_NoMemory();
    size_t used = collect(columns, shards, values), equal = count ? SIZE_MAX : 0;
    double least = threshold(values, used, count);
    if (!ties && used > count) {
        equal = count;
        for (size_t i = 0; i < used; i++)
            equal -= values[i] > least;
    }
    free(values);
    PyObject *result = PyTuple_New(shards);
    for (Py_ssize_t i = 0; result != NULL && i < shards; i++) {
        PyObject *found = reaching(&columns[i], least, &equal);
        if (found == NULL)
            Py_CLEAR(result);
        else
            PyTuple_SET_ITEM(result, i, found);
    }
    return result;
}

PyObject *fast_best_blobs(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"columns", "count", "ties", NULL};
    PyObject *tuple, *result = NULL;
    Py_ssize_t count, shards = 0;
    int ties = 1;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!n|p", names, &PyTuple_Type, &tuple, &count, &ties))
        return NULL;
    Py_buffer *columns = calloc((size_t)PyTuple_GET_SIZE(tuple) + 1, sizeof *columns);
    int failed = columns == NULL;
    if (failed)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; !failed && i < PyTuple_GET_SIZE(tuple); i++) {
        failed = PyObject_GetBuffer(PyTuple_GET_ITEM(tuple, i), &columns[i], PyBUF_SIMPLE) < 0;
        shards += !failed;
        if (!failed)
            failed = !whole_numbers(&columns[i], 8);
    }
    if (!failed)
        result = best_of(columns, shards, count < 0 ? 0 : (size_t)count, ties);
    for (Py_ssize_t i = 0; i < shards; i++)
        PyBuffer_Release(&columns[i]);
    free(columns);
    return result;
}
