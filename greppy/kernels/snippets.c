/* A snippet of plain text: the lines that matter most, each behind a bar; most of what is shown is such. */

#include "fast.h"

enum { TAB = 4, CUT = 3 };

typedef struct {
    const char *text;
    size_t size;
    size_t *starts; /* where each line begins; one more behind the last one */
    uint8_t *chosen; /* a byte a line */
    Py_ssize_t lines; /* without the blank ones at the end */
    Py_ssize_t width;
} Snippet;

/* As `str.isspace` has it. */
static int is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= 0x1f); }

static int is_blank_line(const Snippet *s, Py_ssize_t line)
{
    for (size_t at = s->starts[line]; at < s->starts[line + 1] - 1; at++)
        if (!is_blank(s->text[at]))
            return 0;
    return 1;
}

static int find_lines(Snippet *s)
{
    size_t count = 1;
    for (size_t at = 0; at < s->size; at++)
        count += s->text[at] == '\n';
    s->starts = malloc((count + 1) * sizeof *s->starts);
    s->chosen = calloc(count, 1);
    if (s->starts == NULL || s->chosen == NULL)
        return -1;
    size_t line = 0;
    s->starts[line++] = 0;
    for (size_t at = 0; at < s->size; at++)
        if (s->text[at] == '\n')
            s->starts[line++] = at + 1;
    s->starts[line] = s->size + 1;
    for (s->lines = (Py_ssize_t)count; s->lines > 1 && is_blank_line(s, s->lines - 1);)
        s->lines--;
    return 0;
}

/* Chooses a line that is there; whether it was not chosen yet. */
static int choose_line(Snippet *s, Py_ssize_t line)
{
    if (line < 0 || line >= s->lines || s->chosen[line])
        return 0;
    s->chosen[line] = 1;
    return 1;
}

/* All lines where they fit. Otherwise up to half of the room goes to the best lines, the rest to what lies around the
 * very best. */
static int choose_lines(Snippet *s, PyObject *matched, Py_ssize_t first, Py_ssize_t most)
{
    if (s->lines <= most) {
        memset(s->chosen, 1, (size_t)s->lines);
        return 0;
    }
    Py_ssize_t best = -1, taken = 0, count = 0, size = PySequence_Fast_GET_SIZE(matched);
    for (Py_ssize_t i = 0; i < size && taken < (most + 1) / 2; i++) {
        Py_ssize_t line = PyLong_AsSsize_t(PySequence_Fast_GET_ITEM(matched, i));
        if (line == -1 && PyErr_Occurred())
            return -1;
        line -= first;
        if (line < 0 || line >= s->lines)
            continue;
        best = best < 0 ? line : best;
        count += choose_line(s, line);
        taken++;
    }
    if (best < 0) {
        best = 0;
        count = choose_line(s, 0);
    }
    for (Py_ssize_t away = 1; count < most; away++) {
        count += choose_line(s, best + away);
        if (count < most)
            count += choose_line(s, best - away);
    }
    return 0;
}

/* The columns of a line with its tabs as spaces; -1 where it has something that is not to be printed. */
static Py_ssize_t columns_of(const Snippet *s, Py_ssize_t line)
{
    Py_ssize_t columns = 0;
    for (size_t at = s->starts[line]; at < s->starts[line + 1] - 1; at++) {
        if (s->text[at] != '\t' && (s->text[at] < ' ' || s->text[at] > '~'))
            return -1;
        columns += s->text[at] == '\t' ? TAB : 1;
    }
    return columns;
}

/* How many characters all of it takes, with a bar and a line's end for each line; -1 where it is not plain. */
static Py_ssize_t measure(const Snippet *s, Py_ssize_t bar)
{
    Py_ssize_t total = 0, after = 0;
    for (Py_ssize_t line = 0; line < s->lines; line++) {
        if (!s->chosen[line])
            continue;
        Py_ssize_t columns = columns_of(s, line);
        if (columns < 0 || columns > s->width || (line > after && CUT > s->width))
            return -1;
        total += columns + bar + 1 + (line > after ? CUT + bar + 1 : 0);
        after = line + 1;
    }
    return total + (after < s->lines ? CUT + bar + 1 : 0);
}

typedef struct {
    int kind, bar_kind, begun;
    void *data;
    const void *bar;
    Py_ssize_t bars, at;
} Writer;

static void put(Writer *w, Py_UCS4 character) { PyUnicode_WRITE(w->kind, w->data, w->at++, character); }

/* A bar, behind the end of the line before. */
static void put_bar(Writer *w)
{
    if (w->begun)
        put(w, '\n');
    w->begun = 1;
    for (Py_ssize_t i = 0; i < w->bars; i++)
        put(w, PyUnicode_READ(w->bar_kind, w->bar, i));
}

static void put_cut(Writer *w)
{
    put_bar(w);
    for (int i = 0; i < CUT; i++)
        put(w, '.');
}

static void put_line(Writer *w, const Snippet *s, Py_ssize_t line)
{
    put_bar(w);
    for (size_t at = s->starts[line]; at < s->starts[line + 1] - 1; at++)
        if (s->text[at] != '\t')
            put(w, (Py_UCS4)s->text[at]);
        else
            for (int i = 0; i < TAB; i++)
                put(w, ' ');
}

static PyObject *written(const Snippet *s, PyObject *bar)
{
    Py_ssize_t total = measure(s, PyUnicode_GET_LENGTH(bar)), after = 0;
    if (total < 0)
        Py_RETURN_NONE;
    Py_UCS4 largest = PyUnicode_MAX_CHAR_VALUE(bar);
    PyObject *result = PyUnicode_New(total - 1, largest < 127 ? 127 : largest);
    if (result == NULL)
        return NULL;
    Writer w = {.kind = PyUnicode_KIND(result), .bar_kind = PyUnicode_KIND(bar), .data = PyUnicode_DATA(result),
                .bar = PyUnicode_DATA(bar), .bars = PyUnicode_GET_LENGTH(bar)};
    for (Py_ssize_t line = 0; line < s->lines; line++) {
        if (!s->chosen[line])
            continue;
        if (line > after)
            put_cut(&w);
        put_line(&w, s, line);
        after = line + 1;
    }
    if (after < s->lines)
        put_cut(&w);
    return result;
}

PyObject *fast_plain_snippet(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"content", "first", "matched", "most", "width", "bar", NULL};
    PyObject *content, *matched, *bar, *result = NULL;
    Py_ssize_t first, most, width;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "UnOnnU", names, &content, &first, &matched, &most, &width, &bar))
        return NULL;
    if (most < 1)
        return refuse("a snippet has at least one line");
    if (!PyUnicode_IS_ASCII(content))
        Py_RETURN_NONE;
    Snippet s = {.text = PyUnicode_DATA(content), .size = (size_t)PyUnicode_GET_LENGTH(content), .width = width};
    PyObject *numbers = PySequence_Fast(matched, "matched lines are a sequence");
    if (numbers != NULL && find_lines(&s) < 0)
        PyErr_NoMemory();
    else if (numbers != NULL && choose_lines(&s, numbers, first, most) == 0)
        result = written(&s, bar);
    Py_XDECREF(numbers);
    free(s.starts);
    free(s.chosen);
    return result;
}
