/* Words in scripts of letters that UTF-8 has in two bytes. The twin is greppy.kernels.reference.letters. */

#include "terms.h"

typedef struct {
    uint16_t first, last, step, capital; /* so far below the letter stands its capital; 0: there is none */
} Letters;

/* Lower-case letters that no normalisation and no folding of case changes, beside whatever other letters they stand. */
static const Letters LETTERS[] = {
    {0x0E0, 0x0F6, 1, 0x20}, {0x0F8, 0x0FE, 1, 0x20}, {0x101, 0x12F, 2, 1},    {0x135, 0x137, 2, 1},
    {0x13A, 0x13E, 2, 1},    {0x142, 0x148, 2, 1},    {0x14B, 0x177, 2, 1},    {0x17A, 0x17E, 2, 1},
    {0x3AC, 0x3AC, 1, 0x26}, {0x3AD, 0x3AF, 1, 0x25}, {0x3B1, 0x3C1, 1, 0x20}, {0x3C3, 0x3CB, 1, 0x20},
    {0x3CC, 0x3CC, 1, 0x40}, {0x3CD, 0x3CE, 1, 0x3F}, {0x430, 0x44F, 1, 0x20}, {0x450, 0x45F, 1, 0x50},
    {0x48B, 0x4BF, 2, 1},    {0x4D1, 0x52F, 2, 1},    {0x5D0, 0x5EA, 1, 0},    {0x620, 0x64A, 1, 0},
    {0x679, 0x6D3, 1, 0},
};

enum { KINDS = sizeof LETTERS / sizeof LETTERS[0] };

static int is_in(const Letters *letters, unsigned code)
{
    return code >= letters->first && code <= letters->last && (code - letters->first) % letters->step == 0;
}

/* The letter that a code point is; 0 for none of these. One that is a capital counts where it may. */
static unsigned letter_of(unsigned code, int may_be_capital)
{
    for (size_t kind = 0; kind < KINDS; kind++) {
        const Letters *letters = &LETTERS[kind];
        if (is_in(letters, code))
            return code;
        if (may_be_capital && letters->capital && is_in(letters, code + letters->capital))
            return code + letters->capital;
    }
    return 0;
}

/* Writes the word in lower case; returns its bytes, or 0 for what is no such word. */
static size_t fold_word(uint8_t word[LONGEST], const uint8_t *run, size_t size)
{
    if (size > LONGEST)
        return 0;
    for (size_t at = 0; at < size;) {
        uint8_t byte = run[at], letter = at ? byte : byte | 0x20;
        if (byte < 0x80) {
            if (letter < 'a' || letter > 'z')
                return 0;
            word[at++] = letter;
            continue;
        }
        if (byte < 0xC2 || byte > 0xDF || at + 1 == size || (run[at + 1] & 0xC0) != 0x80)
            return 0;
        unsigned code = letter_of((byte & 0x1Fu) << 6 | (run[at + 1] & 0x3F), at == 0);
        if (code == 0)
            return 0;
        word[at++] = (uint8_t)(0xC0 | code >> 6);
        word[at++] = (uint8_t)(0x80 | (code & 0x3F));
    }
    return size;
}

PyObject *fast_fold_word(PyObject *module, PyObject *run)
{
    Py_buffer buf;
    uint8_t word[LONGEST];
    (void)module;
    if (PyObject_GetBuffer(run, &buf, PyBUF_SIMPLE) < 0)
        return NULL;
    size_t size = fold_word(word, buf.buf, (size_t)buf.len);
    PyBuffer_Release(&buf);
    return PyBytes_FromStringAndSize((const char *)word, (Py_ssize_t)size);
}
