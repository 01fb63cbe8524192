/* The algebra of ascending lists of documents, and the members of groups. */

#include "fast.h"

static const char *check_ascending(const Py_buffer *list)
{
    for (Py_ssize_t i = 1; i < list->len / 4; i++)
        if (load_u32(list->buf, i - 1) >= load_u32(list->buf, i))
            return "a list must ascend strictly";
    return NULL;
}

/* Writes what both lists have, or, for `either`, what one of them has; returns how many. */
static size_t combine(const Py_buffer *one, const Py_buffer *other, int either, uint32_t *out)
{
    Py_ssize_t a = 0, b = 0, ends_a = one->len / 4, ends_b = other->len / 4;
    size_t used = 0;
    while (a < ends_a && b < ends_b) {
        uint32_t x = load_u32(one->buf, a), y = load_u32(other->buf, b);
        if (either || x == y)
            out[used++] = x < y ? x : y;
        a += x <= y;
        b += y <= x;
    }
    for (; either && a < ends_a; a++)
        out[used++] = load_u32(one->buf, a);
    for (; either && b < ends_b; b++)
        out[used++] = load_u32(other->buf, b);
    return used;
}

static PyObject *combined(const Py_buffer *one, const Py_buffer *other, int either)
{
    if (!whole_numbers(one, 4) || !whole_numbers(other, 4))
        return NULL;
    const char *problem = check_ascending(one);
    if (problem == NULL)
        problem = check_ascending(other);
    if (problem != NULL)
        return refuse(problem);
    uint32_t *out = malloc((size_t)one->len + (size_t)other->len + 1);
    if (out == NULL)
        return PyErr_NoMemory();
    PyObject *result = new_view("I", out, sizeof *out * combine(one, other, either, out));
    free(out);
    return result;
}

static PyObject *combine_arguments(PyObject *args, PyObject *keywords, int either)
{
    static char *names[] = {"one", "other", NULL};
    Py_buffer one, other;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "y*y*", names, &one, &other))
        return NULL;
    PyObject *result = combined(&one, &other, either);
    PyBuffer_Release(&one);
    PyBuffer_Release(&other);
    return result;
}

PyObject *fast_intersect(PyObject *module, PyObject *args, PyObject *keywords)
{
    (void)module;
    return combine_arguments(args, keywords, 0);
}

PyObject *fast_union(PyObject *module, PyObject *args, PyObject *keywords)
{
    (void)module;
    return combine_arguments(args, keywords, 1);
}

static const char *check_groups(const Py_buffer *groups, const Py_buffer *first, size_t *total)
{
    Py_ssize_t count = first->len / 4;
    uint32_t before = 0;
    const char *problem = check_ascending(groups);
    for (Py_ssize_t i = 0; problem == NULL && i < groups->len / 4; i++) {
        Py_ssize_t group = load_u32(groups->buf, i);
        if (group + 1 >= count)
            return "there is no such group";
        uint32_t begin = load_u32(first->buf, group), end = load_u32(first->buf, group + 1);
        if (before > begin || begin > end || end > load_u32(first->buf, count - 1))
            return "the members of groups must not descend";
        before = end;
        *total += end - begin;
    }
    return problem;
}

static PyObject *members(const Py_buffer *groups, const Py_buffer *first)
{
    size_t total = 0, used = 0;
    if (!whole_numbers(groups, 4) || !whole_numbers(first, 4))
        return NULL;
    const char *problem = check_groups(groups, first, &total);
    if (problem != NULL)
        return refuse(problem);
    uint32_t *out = total > PTRDIFF_MAX / 4 - 1 ? NULL : malloc(sizeof *out * total + 1);
    if (out == NULL)
        return PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < groups->len / 4; i++) {
        uint32_t group = load_u32(groups->buf, i);
        for (uint32_t at = load_u32(first->buf, group); at < load_u32(first->buf, (int64_t)group + 1); at++)
            out[used++] = at;
    }
    PyObject *result = new_view("I", out, sizeof *out * used);
    free(out);
    return result;
}

PyObject *fast_members(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"groups", "first", NULL};
    Py_buffer groups, first;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "y*y*", names, &groups, &first))
        return NULL;
    PyObject *result = members(&groups, &first);
    PyBuffer_Release(&groups);
    PyBuffer_Release(&first);
    return result;
}
