/* Whether the texts of a chain stand in a line. Between two texts there may be any characters but NUL; where bytes
 * stand that are no UTF-8 nothing is said here, since a `.` does not match them. */

#include "chains.h"

#include "lines.h"

static int is_word(uint8_t byte)
{
    uint8_t lower = byte | 0x20;
    return (lower >= 'a' && lower <= 'z') || (byte >= '0' && byte <= '9') || byte == '_';
}

/* Whether a place of the needle in the line is a word of its own. */
static int has_word(const Needle *needle, int fold, const uint8_t *line, const uint8_t *end)
{
    const uint8_t *at = line;
    while ((at = find_needle(needle, fold, at, end)) != NULL) {
        const uint8_t *behind = at + needle->size;
        if ((at == line || !is_word(at[-1])) && (behind == end || !is_word(*behind)))
            return 1;
        at++;
    }
    return 0;
}

static int is_continued(const uint8_t *at, const uint8_t *end, int count)
{
    if (end - at <= count)
        return 0;
    for (int i = 1; i <= count; i++)
        if ((at[i] & 0xC0) != 0x80)
            return 0;
    return 1;
}

/* Bytes of the character at `at`; 0 for NUL, and for what is no UTF-8. */
static int size_of_character(const uint8_t *at, const uint8_t *end)
{
    uint8_t first = *at;
    if (first < 0x80)
        return first != 0;
    int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
    if (first < 0xC2 || first > 0xF4 || !is_continued(at, end, more))
        return 0;
    int too_long = (first == 0xE0 && at[1] < 0xA0) || (first == 0xF0 && at[1] < 0x90);
    int none = (first == 0xED && at[1] > 0x9F) || (first == 0xF4 && at[1] > 0x8F); /* surrogates, beyond U+10FFFF */
    return too_long || none ? 0 : more + 1;
}

static int is_text(const uint8_t *at, const uint8_t *end)
{
    while (at < end) {
        int size = size_of_character(at, end);
        if (size == 0)
            return 0;
        at += size;
    }
    return 1;
}

static int judge_chain(const Needles *chain, const uint8_t *at, const uint8_t *end)
{
    int verdict = PRESENT;
    for (size_t i = 0; i < chain->count; i++) {
        const uint8_t *found = find_needle(&chain->items[i], chain->fold, at, end);
        if (found == NULL)
            return ABSENT;
        if (i && !is_text(at, found))
            verdict = UNKNOWN;
        at = found + chain->items[i].size;
    }
    return verdict;
}

int judge_line(const Chains *chains, const uint8_t *line, const uint8_t *end)
{
    int verdict = ABSENT;
    for (size_t i = 0; i < chains->count; i++) {
        const Needles *chain = &chains->chains[i];
        int its = chains->word ? has_word(chain->items, chain->fold, line, end) : judge_chain(chain, line, end);
        if (its == PRESENT)
            return PRESENT;
        verdict = its == UNKNOWN ? UNKNOWN : verdict;
    }
    return verdict;
}

/* The foreign letter at `at`, or how many there are. */
static size_t letter_at(const Chains *chains, const uint8_t *at, const uint8_t *end)
{
    for (size_t i = 0; i < chains->foreign.count; i++) {
        const Needle *letter = &chains->foreign.items[i];
        if ((size_t)(end - at) >= letter->size && memcmp(at, letter->text, letter->size) == 0)
            return i;
    }
    return chains->foreign.count;
}

/* Whether a key stands in a line that was copied with ordinary letters for foreign ones; -1 without memory. */
static int has_key(const Chains *chains, const uint8_t *line, const uint8_t *end, Bytes *copy)
{
    copy->used = 0;
    while (line < end) {
        size_t letter = letter_at(chains, line, end);
        int is_foreign = letter < chains->foreign.count;
        const Needle *ordinary = &chains->ordinary.items[is_foreign ? letter : 0];
        if (append(copy, is_foreign ? ordinary->text : line, is_foreign ? ordinary->size : 1) < 0)
            return -1;
        line += is_foreign ? chains->foreign.items[letter].size : 1;
    }
    for (size_t i = 0; i < chains->keys.count; i++)
        if (find_needle(&chains->keys.items[i], chains->keys.fold, copy->data, copy->data + copy->used) != NULL)
            return 1;
    return 0;
}

int foreign_match(const Chains *chains, const uint8_t *text, const uint8_t *end)
{
    Bytes copy = {0};
    int found = 0;
    for (size_t i = 0; !found && i < chains->foreign.count; i++) {
        const uint8_t *at = text;
        while (!found && (at = find_needle(&chains->foreign.items[i], 0, at, end)) != NULL) {
            const uint8_t *stop = line_end(at, end);
            found = has_key(chains, line_begin(text, at), stop, &copy);
            at = stop;
        }
    }
    free(copy.data);
    return found;
}

static const char *problem_of(const Needles *chain, int word)
{
    if (chain->count == 0)
        return "a chain must have a text";
    if (word && chain->count > 1)
        return "only one text can be a word";
    for (size_t i = 0; i < chain->count; i++)
        if (chain->items[i].size == 0)
            return "a text of a chain must not be empty";
    return NULL;
}

/* The longest text of each chain, as needles of their own. */
static int take_keys(Chains *chains, PyObject *tuple, int fold)
{
    PyObject *keys = PyTuple_New((Py_ssize_t)chains->count);
    for (size_t i = 0; keys != NULL && i < chains->count; i++) {
        const Needles *chain = &chains->chains[i];
        size_t best = 0;
        for (size_t j = 1; j < chain->count; j++)
            if (chain->items[j].size > chain->items[best].size)
                best = j;
        PyObject *key = PyTuple_GET_ITEM(PyTuple_GET_ITEM(tuple, (Py_ssize_t)i), (Py_ssize_t)best);
        PyTuple_SET_ITEM(keys, (Py_ssize_t)i, Py_NewRef(key));
    }
    int failed = keys == NULL || take_needles(&chains->keys, keys, fold) < 0;
    Py_XDECREF(keys);
    prepare_several(&chains->several, &chains->keys);
    return failed ? -1 : 0;
}

static int take_all(Chains *chains, PyObject *tuple, int fold)
{
    size_t count = (size_t)PyTuple_GET_SIZE(tuple);
    chains->chains = calloc(count + 1, sizeof *chains->chains);
    if (chains->chains == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (; chains->count < count; chains->count++) {
        PyObject *texts = PyTuple_GET_ITEM(tuple, (Py_ssize_t)chains->count);
        Needles *chain = &chains->chains[chains->count];
        if (!PyTuple_Check(texts)) {
            PyErr_SetString(PyExc_TypeError, "a chain must be a tuple");
            return -1;
        }
        int failed = take_needles(chain, texts, fold) < 0;
        const char *problem = failed ? NULL : problem_of(chain, chains->word);
        if (failed || problem != NULL) {
            free_needles(chain);
            return failed ? -1 : refused(problem);
        }
        chains->certain = chains->certain && chain->count == 1;
    }
    return take_keys(chains, tuple, fold);
}

/* Pairs of a foreign letter and the ordinary one that it stands for. */
static int take_letters(Chains *chains, PyObject *pairs)
{
    Py_ssize_t count = PyTuple_GET_SIZE(pairs);
    PyObject *foreign = PyTuple_New(count), *ordinary = PyTuple_New(count);
    int failed = foreign == NULL || ordinary == NULL;
    for (Py_ssize_t i = 0; !failed && i < count; i++) {
        PyObject *one, *other;
        failed = !PyArg_ParseTuple(PyTuple_GET_ITEM(pairs, i), "SS", &one, &other);
        failed = failed || (PyBytes_GET_SIZE(one) == 0 && refused("a letter must not be empty") < 0);
        if (!failed) {
            PyTuple_SET_ITEM(foreign, i, Py_NewRef(one));
            PyTuple_SET_ITEM(ordinary, i, Py_NewRef(other));
        }
    }
    failed = failed || take_needles(&chains->foreign, foreign, 0) < 0;
    failed = failed || take_needles(&chains->ordinary, ordinary, 0) < 0;
    Py_XDECREF(foreign);
    Py_XDECREF(ordinary);
    return failed ? -1 : 0;
}

int take_chains(Chains *chains, PyObject *tuple)
{
    PyObject *texts, *foreign;
    int fold, word;
    *chains = (Chains){.count = 0};
    if (!PyArg_ParseTuple(tuple, "O!O!pp", &PyTuple_Type, &texts, &PyTuple_Type, &foreign, &fold, &word))
        return -1;
    chains->word = word;
    chains->certain = !word;
    return take_letters(chains, foreign) < 0 ? -1 : take_all(chains, texts, fold);
}

void free_chains(Chains *chains)
{
    free_needles(&chains->keys);
    free_needles(&chains->foreign);
    free_needles(&chains->ordinary);
    for (size_t i = 0; i < chains->count; i++)
        free_needles(&chains->chains[i]);
    free(chains->chains);
}
