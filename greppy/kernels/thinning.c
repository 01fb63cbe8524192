/* Python without what defines nothing. The twin is greppy.kernels.reference.thinning, which says what is thinned. */

#include "fast.h"

enum { DEEPEST = 64, LEAST = 4, LEAST_HEADER = 8 };

/* What a logical line begins with. */
typedef enum { SIMPLE, COMPOUND, CONDITION, LOOP, PATTERN, OTHER } Opening;

typedef struct {
    Opening opening;
    const uint8_t *start, *end, *behind; /* its first token; behind its last one; where scanning goes on */
    const uint8_t *head_end, *in, *colon; /* behind its first word; the first `in`; the latest colon, outside brackets */
    int colons, assigns, parts, lambda, strange, comment; /* what there was outside brackets, or anywhere */
} Statement;

typedef struct {
    const uint8_t *text, *end;
    uint8_t *thin;
    const uint8_t *run, *run_end, *indent; /* statements that become one name; NULL: none */
    size_t indent_size;
    int in_block; /* whether the latest statement at the margin began one */
    uint8_t open[DEEPEST];
    int depth;
    uint8_t classes[256];
} Thinning;

/* Classes of bytes outside of strings. */
enum { WORD = 1, BLANK = 2, STRANGE = 4 };

static int class_of(uint8_t c)
{
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_')
        return WORD;
    if (c >= 0x80)
        return WORD | STRANGE;
    if (c == ' ' || c == '\t' || c == '\r')
        return BLANK;
    return c < 0x20 || c == 0x7F || c == '$' || c == '?' || c == '`' ? STRANGE : 0;
}

static int is(const uint8_t *word, size_t size, const char *other)
{
    return strlen(other) == size && memcmp(word, other, size) == 0;
}

static int among(const uint8_t *word, size_t size, const char *const *others)
{
    for (; *others != NULL; others++)
        if (is(word, size, *others))
            return 1;
    return 0;
}

static Opening opening_of(const uint8_t *word, size_t size)
{
    static const char *const conditions[] = {"if", "elif", "while", "with", "except", NULL};
    static const char *const compounds[] = {"async", "class", "def", "else", "finally", "from", "import",
                                            "lambda", "match", "try", "type", NULL};
    if (among(word, size, conditions))
        return CONDITION;
    if (is(word, size, "for"))
        return LOOP;
    if (is(word, size, "case"))
        return PATTERN;
    return among(word, size, compounds) || (*word >= '0' && *word <= '9') ? COMPOUND : SIMPLE;
}

/* Whether a word before a quote belongs to the string; and whether the string has places for expressions. */
static int is_prefix(const uint8_t *word, size_t size, int *formatted)
{
    *formatted = 0;
    for (size_t i = 0; i < size; i++) {
        uint8_t letter = word[i] | 0x20;
        if (size > 2 || strchr("rbuft", letter) == NULL)
            return 0;
        *formatted |= letter == 'f' || letter == 't';
    }
    return 1;
}

/* Behind the string at `at`; NULL when it has no end, or when a place in it may hold the quote that seems to end it. */
static const uint8_t *behind_string(const uint8_t *at, const uint8_t *end, int formatted)
{
    uint8_t quote = *at;
    int open = 0, is_long = end - at >= 3 && at[1] == quote && at[2] == quote;
    for (at += is_long ? 3 : 1; at < end; at++) {
        if (*at == quote && (!is_long || (end - at >= 3 && at[1] == quote && at[2] == quote)))
            return open == 0 ? at + (is_long ? 3 : 1) : NULL;
        if (*at == '\\')
            at++;
        else if (*at == '\n' && !is_long)
            return NULL;
        else if (formatted && *at == '{')
            open++;
        else if (formatted && *at == '}' && --open < 0)
            return NULL;
    }
    return NULL;
}

static void fill(Thinning *this, const uint8_t *from, const uint8_t *to)
{
    if (to - from >= LEAST)
        memset(this->thin + (from - this->text), 'x', (size_t)(to - from));
}

static void end_run(Thinning *this)
{
    if (this->run != NULL)
        fill(this, this->run, this->run_end);
    this->run = NULL;
}

/* One word of a logical line; -1 when it cannot stand where it does. */
static int take_word(const Thinning *this, Statement *statement, const uint8_t *word, size_t size)
{
    static const char *const never[] = {"class", "def", "import", "return", NULL};
    if (this->depth)
        return size >= 3 && size <= 6 && strchr("cdir", *word) != NULL && among(word, size, never) ? -1 : 0;
    if (word == statement->start) {
        statement->opening = opening_of(word, size);
        statement->head_end = word + size;
    }
    if (is(word, size, "lambda"))
        statement->lambda = 1;
    else if (statement->in == NULL && is(word, size, "in"))
        statement->in = word;
    return 0;
}

/* A bracket; -1 where brackets do not match. What stands in the outermost ones becomes a name. */
static int take_bracket(Thinning *this, Statement *statement, const uint8_t *at, const uint8_t **inside, int *before)
{
    static const char opening[] = "([{", closing[] = ")]}";
    const char *opens = strchr(opening, *at);
    if (opens != NULL) {
        if (this->depth == DEEPEST)
            return -1;
        if (this->depth == 0) {
            *inside = at + 1;
            *before = statement->strange | statement->comment;
            statement->strange = statement->comment = 0;
        }
        this->open[this->depth++] = (uint8_t)closing[opens - opening];
        return 0;
    }
    if (this->depth == 0 || this->open[--this->depth] != *at)
        return -1;
    if (this->depth == 0) {
        if (!statement->strange && !statement->comment && statement->opening != PATTERN)
            fill(this, *inside, at);
        statement->strange |= *before;
    }
    return 0;
}

static void take_operator(const Thinning *this, Statement *statement, const uint8_t *at)
{
    if (this->depth)
        return;
    if (*at == ';')
        statement->parts = 1;
    else if (*at == '=')
        statement->assigns = 1;
    else if (*at == ':' && !(at + 1 < this->end && at[1] == '=')) {
        statement->colons++;
        statement->colon = at;
    }
}

/* Whether a line goes on in the next one. */
static int is_continued(const uint8_t *at, const uint8_t *end)
{
    return at + 1 < end && (at[1] == '\n' || (at[1] == '\r' && at + 2 < end && at[2] == '\n'));
}

/* Reads the logical line at `at` up to its end or the comment at its end; -1 when it is not understood. */
static int read_statement(Thinning *this, Statement *statement, const uint8_t *at)
{
    const uint8_t *end = this->end, *inside = NULL;
    int before = 0, formatted = 0;
    *statement = (Statement){.opening = OTHER, .start = at, .end = at};
    while (at < end) {
        const uint8_t *token = at;
        int class = this->classes[*at];
        if (class & BLANK || *at == '\n') {
            if (*at == '\n' && this->depth == 0)
                break;
            at++;
            continue;
        }
        if (*at == '#') {
            if (this->depth == 0)
                break;
            statement->comment = 1;
            at = memchr(at, '\n', (size_t)(end - at));
            if (at == NULL)
                return -1;
            continue;
        }
        if (*at == '\\' && is_continued(at, end)) {
            at += at[1] == '\r' ? 3 : 2;
            continue;
        }
        if (class & WORD) {
            for (; at < end && (class = this->classes[*at]) & WORD; at++)
                statement->strange |= class & STRANGE;
            size_t size = (size_t)(at - token);
            int is_string = at < end && (*at == '"' || *at == '\'') && is_prefix(token, size, &formatted);
            if (is_string)
                at = behind_string(at, end, formatted);
            else if (take_word(this, statement, token, size) < 0)
                return -1;
        } else if (*at == '"' || *at == '\'')
            at = behind_string(at, end, 0);
        else {
            if (*at == '\\' || class & STRANGE)
                statement->strange = STRANGE;
            else if (strchr("()[]{}", *at) != NULL) {
                if (take_bracket(this, statement, at, &inside, &before) < 0)
                    return -1;
            } else
                take_operator(this, statement, at);
            at++;
        }
        if (at == NULL)
            return -1;
        statement->end = at;
    }
    statement->behind = at;
    return this->depth ? -1 : 0;
}

static int ends_with_colon(const Statement *statement)
{
    return statement->colons && statement->colon + 1 == statement->end;
}

/* Whether nothing in a statement is looked for. Outside of blocks, what is assigned is. */
static int is_plain(const Statement *statement, int in_block)
{
    if (statement->opening != SIMPLE || statement->strange || statement->comment || statement->lambda ||
        statement->parts || ends_with_colon(statement))
        return 0;
    return in_block || !(statement->assigns || statement->colons);
}

/* A name between blanks in the place of what a header says. */
static void fill_between(Thinning *this, const uint8_t *from, const uint8_t *to)
{
    if (to - from < LEAST_HEADER)
        return;
    fill(this, from + 1, to - 1);
    this->thin[from - this->text] = this->thin[to - 1 - this->text] = ' ';
}

static void thin_header(Thinning *this, const Statement *statement)
{
    const uint8_t *from = statement->head_end;
    if (statement->strange || statement->comment || statement->lambda || statement->parts || statement->colons != 1 ||
        !ends_with_colon(statement))
        return;
    if (statement->opening == LOOP && statement->in != NULL) {
        fill_between(this, from, statement->in);
        fill_between(this, statement->in + 2, statement->colon);
    }
    if (statement->opening == CONDITION) {
        while (from < statement->colon && this->classes[*from] & BLANK)
            from++;
        if (*from != '*')
            fill_between(this, statement->head_end, statement->colon);
    }
}

static void take_statement(Thinning *this, const Statement *statement, const uint8_t *line)
{
    size_t indent_size = (size_t)(statement->start - line);
    if (indent_size == 0)
        this->in_block = ends_with_colon(statement);
    if (!is_plain(statement, indent_size && this->in_block)) {
        end_run(this);
        thin_header(this, statement);
        return;
    }
    if (this->run != NULL &&
        (indent_size != this->indent_size || memcmp(line, this->indent, indent_size) != 0))
        end_run(this);
    if (this->run == NULL) {
        this->run = statement->start;
        this->indent = line;
        this->indent_size = indent_size;
    }
    this->run_end = statement->end;
}

/* Thins the whole text; -1 when something in it is not understood. */
static int thin_all(Thinning *this)
{
    Statement statement;
    const uint8_t *at = this->text, *end = this->end;
    while (at < end) {
        const uint8_t *line = at;
        while (at < end && (*at == ' ' || *at == '\t'))
            at++;
        if (at < end && *at == '\r')
            at++;
        if (at < end && *at != '\n' && *at != '#') {
            if (read_statement(this, &statement, at) < 0)
                return -1;
            take_statement(this, &statement, line);
            at = statement.behind;
        }
        if (at < end && *at == '#') {
            end_run(this);
            at = memchr(at, '\n', (size_t)(end - at));
            if (at == NULL)
                break;
        }
        at += at < end;
    }
    end_run(this);
    return 0;
}

/* Whether all ends of lines are line feeds, with or without a carriage return, and there is no NUL. */
static int has_plain_lines(const uint8_t *text, size_t size)
{
    const uint8_t *end = text + size;
    if (memchr(text, 0, size) != NULL)
        return 0;
    while ((text = memchr(text, '\r', (size_t)(end - text))) != NULL)
        if (++text == end || *text != '\n')
            return 0;
    return 1;
}

PyObject *fast_thin_python(PyObject *module, PyObject *text)
{
    (void)module;
    if (!PyBytes_Check(text)) {
        PyErr_SetString(PyExc_TypeError, "a text must be bytes");
        return NULL;
    }
    size_t size = (size_t)PyBytes_GET_SIZE(text);
    const uint8_t *bytes = (const uint8_t *)PyBytes_AS_STRING(text);
    if (!has_plain_lines(bytes, size))
        return Py_NewRef(text);
    PyObject *thin = PyBytes_FromStringAndSize((const char *)bytes, (Py_ssize_t)size);
    if (thin == NULL)
        return NULL;
    Thinning this = {.text = bytes, .end = bytes + size, .thin = (uint8_t *)PyBytes_AS_STRING(thin)};
    for (int c = 0; c < 256; c++)
        this.classes[c] = (uint8_t)class_of((uint8_t)c);
    if (thin_all(&this) == 0)
        return thin;
    Py_DECREF(thin);
    return Py_NewRef(text);
}
