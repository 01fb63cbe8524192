/* Printing the lines of one text that match. */

#include "rows.h"

#include "lines.h"

enum { LOOKED_AT = 8000 }; /* bytes in which git looks for a NUL: `buffer_is_binary` of its xdiff-interface.c */

typedef struct {
    const Chains *chains;
    const Style *style;
    const uint8_t **next;
    const char *name;
    size_t name_size, count;
    Bytes *out;
} Printing;

static int put_number(Bytes *out, size_t number)
{
    char digits[24], *at = digits + sizeof digits;
    do
        *--at = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    return append(out, at, (size_t)(digits + sizeof digits - at));
}

static int put_name(const Printing *p, const char *behind)
{
    return append(p->out, p->name, p->name_size) < 0 || append(p->out, behind, 1) < 0 ? -1 : 0;
}

static int put_row(const Printing *p, size_t number, const uint8_t *line, const uint8_t *end)
{
    const Style *style = p->style;
    if (style->paths && put_name(p, style->separator) < 0)
        return -1;
    if (style->numbers && (put_number(p->out, number) < 0 || append(p->out, style->separator, 1) < 0))
        return -1;
    return append(p->out, line, (size_t)(end - line)) < 0 || append(p->out, "\n", 1) < 0 ? -1 : 0;
}

static int put_binary(const Printing *p)
{
    static const char before[] = "Binary file ", behind[] = " matches\n";
    if (append(p->out, before, sizeof before - 1) < 0 || append(p->out, p->name, p->name_size) < 0)
        return -1;
    return append(p->out, behind, sizeof behind - 1);
}

static int put_count(const Printing *p)
{
    if (p->style->paths && put_name(p, p->style->separator) < 0)
        return -1;
    return put_number(p->out, p->count) < 0 || append(p->out, "\n", 1) < 0 ? -1 : 0;
}

/* A line in which a key stands. */
static int print_line(Printing *p, const uint8_t *line, const uint8_t *end, size_t number, int one)
{
    int verdict = p->chains->certain ? PRESENT : judge_line(p->chains, line, end);
    if (verdict != PRESENT)
        return verdict;
    p->count++;
    return p->style->mode == LINES && !one && put_row(p, number, line, end) < 0 ? -1 : PRESENT;
}

/* A place of a key in the first line from `at` on that has one, or `end`. */
static const uint8_t *next_key(const Printing *p, const uint8_t *at, const uint8_t *end)
{
    if (!p->chains->several.usable)
        return next_match(&p->chains->keys, p->next, at, end);
    const uint8_t *found = find_several(&p->chains->several, &p->chains->keys, at, end);
    return found == NULL ? end : found;
}

/* All lines that match, or as soon as there is `one`. */
static int print_lines(Printing *p, const uint8_t *text, const uint8_t *end, int one)
{
    const uint8_t *line = text, *match;
    size_t number = 1;
    while (line < end && (match = next_key(p, line, end)) < end) {
        const uint8_t *start = line_begin(line, match), *stop = line_end(match, end);
        number += p->style->numbers ? count_feeds(line, start) : 0;
        int verdict = print_line(p, start, stop, number++, one);
        if (verdict < 0 || verdict == UNKNOWN || (verdict == PRESENT && one))
            return verdict;
        line = stop + (stop < end);
    }
    return p->count ? PRESENT : ABSENT;
}

static int print_text(Printing *p, const uint8_t *text, size_t size)
{
    const Style *style = p->style;
    int binary = style->binaries != AS_TEXT && memchr(text, 0, size < LOOKED_AT ? size : LOOKED_AT) != NULL;
    int line_for_all = binary && style->binaries == AS_GIT && style->mode == LINES;
    int left_out = binary && style->binaries == LEAVE_OUT;
    if (left_out)
        return ABSENT;
    int foreign = foreign_match(p->chains, text, text + size);
    if (foreign)
        return foreign < 0 ? -1 : UNKNOWN;
    int verdict = print_lines(p, text, text + size, line_for_all || style->mode == NAMES);
    if (verdict != PRESENT)
        return verdict;
    int failed = line_for_all            ? put_binary(p)
                 : style->mode == NAMES  ? put_name(p, style->end)
                 : style->mode == COUNTS ? put_count(p)
                                         : 0;
    return failed < 0 ? -1 : PRESENT;
}

int print_rows(const Chains *chains, const Style *style, const char *name, size_t name_size, const uint8_t *text,
               size_t size, Bytes *out)
{
    size_t before = out->used;
    const uint8_t **next = calloc(chains->count + 1, sizeof *next);
    Printing p = {chains, style, next, name, name_size, 0, out};
    int verdict = next == NULL ? -1 : size ? print_text(&p, text, size) : ABSENT;
    free(next);
    if (verdict != PRESENT)
        out->used = before;
    return verdict;
}

int take_style(Style *style, PyObject *tuple)
{
    if (!PyArg_ParseTuple(tuple, "iippp", &style->mode, &style->binaries, &style->paths, &style->numbers,
                          &style->null))
        return -1;
    if (style->mode < LINES || style->mode > NAMES || style->binaries < AS_GIT || style->binaries > LEAVE_OUT) {
        refuse("there is no such style");
        return -1;
    }
    style->separator = style->null ? "\0" : ":";
    style->end = style->null ? "\0" : "\n";
    return 0;
}

static PyObject *rows_of(const Chains *chains, const Style *style, const Py_buffer *name, const Py_buffer *text)
{
    Bytes out = {0};
    int verdict;
    Py_BEGIN_ALLOW_THREADS
    verdict = print_rows(chains, style, name->buf, (size_t)name->len, text->buf, (size_t)text->len, &out);
    Py_END_ALLOW_THREADS
    PyObject *result = verdict < 0          ? PyErr_NoMemory()
                       : verdict == UNKNOWN ? Py_NewRef(Py_None)
                                            : PyBytes_FromStringAndSize((const char *)out.data, (Py_ssize_t)out.used);
    free(out.data);
    return result;
}

PyObject *fast_print_text(PyObject *module, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"text", "name", "chains", "style", NULL};
    Py_buffer text, name;
    PyObject *texts, *how, *result = NULL;
    Chains chains;
    Style style;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "y*y*O!O!", names, &text, &name, &PyTuple_Type, &texts,
                                     &PyTuple_Type, &how))
        return NULL;
    if (take_chains(&chains, texts) == 0 && take_style(&style, how) == 0)
        result = rows_of(&chains, &style, &name, &text);
    free_chains(&chains);
    PyBuffer_Release(&text);
    PyBuffer_Release(&name);
    return result;
}
