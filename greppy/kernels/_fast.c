/* greppy.kernels._fast: the compiled twin of greppy/kernels/reference.py. This file makes the module. */

#include "fast.h"

int grow(void *items, size_t *capacity, size_t needed, size_t size)
{
    if (needed <= *capacity)
        return 0;
    size_t larger = *capacity + *capacity / 2 + 64;
    larger = larger < needed ? needed : larger;
    void *data;
    memcpy(&data, items, sizeof data);
    data = larger > PTRDIFF_MAX / size ? NULL : realloc(data, larger * size);
    if (data == NULL)
        return -1;
    memcpy(items, &data, sizeof data);
    *capacity = larger;
    return 0;
}

int reserve(void *items, size_t *capacity, size_t needed, size_t size)
{
    if (grow(items, capacity, needed, size) == 0)
        return 0;
    PyErr_NoMemory();
    return -1;
}

int whole_numbers(const Py_buffer *buf, Py_ssize_t size)
{
    if (buf->len % size == 0)
        return 1;
    refuse("buffer does not hold a whole number of items");
    return 0;
}

PyObject *refuse(const char *problem)
{
    PyErr_SetString(PyExc_ValueError, problem);
    return NULL;
}

const char NO_ROOM[] = "no memory";

int refused(const char *problem)
{
    if (problem == NO_ROOM)
        PyErr_NoMemory();
    else if (problem != NULL)
        refuse(problem);
    return problem == NULL ? 0 : -1;
}

PyObject *numbers_of(const uint32_t *head, size_t heads, const uint32_t *tail, size_t tails)
{
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(4 * (heads + tails)));
    if (bytes == NULL)
        return NULL;
    memcpy(PyBytes_AS_STRING(bytes), head, 4 * heads);
    if (tails)
        memcpy(PyBytes_AS_STRING(bytes) + 4 * heads, tail, 4 * tails);
    return bytes;
}

static int import_array(State *state)
{
    PyObject *module = PyImport_ImportModule("array");
    state->array = module == NULL ? NULL : PyObject_GetAttrString(module, "array");
    Py_XDECREF(module);
    return state->array == NULL ? -1 : 0;
}

PyObject *new_array(State *state, const char *kind, const void *data, size_t size)
{
    if (state->array == NULL && import_array(state) < 0)
        return NULL;
    return PyObject_CallFunction(state->array, "sy#", kind, size ? (const char *)data : "", (Py_ssize_t)size);
}

PyObject *new_view(const char *kind, const void *data, size_t size)
{
    PyObject *bytes = PyBytes_FromStringAndSize(data, (Py_ssize_t)size);
    PyObject *view = bytes == NULL ? NULL : PyMemoryView_FromObject(bytes);
    PyObject *numbers = view == NULL ? NULL : PyObject_CallMethod(view, "cast", "s", kind);
    Py_XDECREF(bytes);
    Py_XDECREF(view);
    return numbers;
}

/* Python's own string hash is keyed anew in every process; its values for two fixed strings are our keys. */
static int choose_secret(State *state)
{
    static const char *names[2] = {"greppy kernels", "greppy kernels, again"};
    for (int i = 0; i < 2; i++) {
        PyObject *name = PyBytes_FromString(names[i]);
        Py_hash_t value = name == NULL ? -1 : PyObject_Hash(name);
        Py_XDECREF(name);
        if (value == -1)
            return -1;
        state->secret[i] = (uint64_t)value;
    }
    return 0;
}

static int execute(PyObject *module)
{
    if (choose_secret(PyModule_GetState(module)) < 0)
        return -1;
    PyType_Spec *specs[] = {&inverter_spec, &trigram_inverter_spec};
    int failed = 0;
    for (size_t i = 0; !failed && i < sizeof specs / sizeof specs[0]; i++) {
        PyObject *type = PyType_FromModuleAndSpec(module, specs[i], NULL);
        failed = type == NULL || PyModule_AddType(module, (PyTypeObject *)type) < 0;
        Py_XDECREF(type);
    }
    return failed ? -1 : 0;
}

static int traverse(PyObject *module, visitproc visit, void *arg)
{
    State *state = PyModule_GetState(module);
    Py_VISIT(state->array);
    return 0;
}

static int clear(PyObject *module)
{
    State *state = PyModule_GetState(module);
    Py_CLEAR(state->array);
    return 0;
}

static void release(void *module)
{
    State *state = PyModule_GetState(module);
    if (state != NULL)
        free(state->tables);
}

#define KEYWORDS(name) {#name, (PyCFunction)(void (*)(void))fast_##name, METH_VARARGS | METH_KEYWORDS, NULL}

static PyMethodDef methods[] = {
    KEYWORDS(runs),
    {"split_identifier", fast_split_identifier, METH_O, NULL},
    {"ascii_terms", fast_ascii_terms, METH_O, NULL},
    {"fold_word", fast_fold_word, METH_O, NULL},
    KEYWORDS(pack_strings),
    KEYWORDS(take_strings),
    KEYWORDS(find_string),
    KEYWORDS(pack_lists),
    KEYWORDS(take_list),
    KEYWORDS(merge_terms),
    {"code_chunks", fast_code_chunks, METH_VARARGS, NULL},
    {"line_starts", fast_line_starts, METH_O, NULL},
    {"thin_python", fast_thin_python, METH_O, NULL},
    KEYWORDS(encode_postings),
    {"decode_postings", fast_decode_postings, METH_O, NULL},
    KEYWORDS(count_postings),
    KEYWORDS(accumulate),
    KEYWORDS(top_k),
    KEYWORDS(blob_scores),
    KEYWORDS(impacts),
    KEYWORDS(score_lists),
    KEYWORDS(string_at),
    KEYWORDS(strings_ending),
    KEYWORDS(find_lists),
    KEYWORDS(beginning_lists),
    KEYWORDS(joined_lists),
    KEYWORDS(path_shares),
    KEYWORDS(named_wholly),
    KEYWORDS(name_worths),
    KEYWORDS(file_classes),
    KEYWORDS(best_blobs),
    KEYWORDS(best_files),
    KEYWORDS(excerpts),
    KEYWORDS(merge_trigrams),
    KEYWORDS(trigram_list),
    KEYWORDS(trigram_candidates),
    KEYWORDS(intersect),
    KEYWORDS(union),
    KEYWORDS(members),
    KEYWORDS(matching_lines),
    KEYWORDS(print_text),
    {"path_starts", fast_path_starts, METH_O, NULL},
    KEYWORDS(plain_snippet),
    KEYWORDS(staged_files),
#ifndef _WIN32
    KEYWORDS(changed_stats),
    KEYWORDS(stats_now),
    KEYWORDS(strange_names),
    KEYWORDS(read_matching),
    KEYWORDS(print_files),
#endif
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)execute}, {0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "greppy.kernels._fast",
    .m_doc = "The compiled twin of greppy.kernels.reference.",
    .m_size = sizeof(State),
    .m_methods = methods,
    .m_slots = slots,
    .m_traverse = traverse,
    .m_clear = clear,
    .m_free = release,
};

PyMODINIT_FUNC PyInit__fast(void) { return PyModuleDef_Init(&definition); }
