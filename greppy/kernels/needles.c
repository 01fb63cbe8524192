/* Looking for literal strings: two bytes of the needle are compared at sixteen places at once, where the compiler has
 * vectors; what passes is compared in full. */

#include "needles.h"

/* Printable bytes, the most frequent in the sources of Django and CPython's library first. */
static const char FREQUENT[] = " etsaronildcf.u_0pm(),\"hg='b:yEx-wTvk1A`IS2#NRqC/LFj\\D[]O"
                               ">M34P5*+U98B6{}<%zG7HWV~;K@XYQ|&!\?ZJ$^";

static uint8_t lowered(uint8_t byte) { return byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte; }

static int is_letter(uint8_t byte) { return lowered(byte) >= 'a' && lowered(byte) <= 'z'; }

size_t byte_rarity(uint8_t byte)
{
    const char *found = byte ? strchr(FREQUENT, byte) : NULL;
    return found == NULL ? sizeof FREQUENT : (size_t)(found - FREQUENT);
}

static void choose_probe(Needle *needle, int which, int fold)
{
    size_t best = which && needle->probes[0] == 0 && needle->size > 1;
    for (size_t i = 0; i < needle->size; i++)
        if (byte_rarity(needle->text[i]) > byte_rarity(needle->text[best]) && !(which && i == needle->probes[0]))
            best = i;
    needle->probes[which] = best;
    needle->masks[which] = fold && is_letter(needle->text[best]) ? 0x20 : 0;
    needle->values[which] = needle->text[best];
}

static int take_needle(Needle *needle, PyObject *bytes, int fold)
{
    if (!PyBytes_Check(bytes)) {
        PyErr_SetString(PyExc_TypeError, "needles must be bytes");
        return -1;
    }
    const uint8_t *text = (const uint8_t *)PyBytes_AS_STRING(bytes);
    needle->size = (size_t)PyBytes_GET_SIZE(bytes);
    if (needle->size && memchr(text, '\n', needle->size)) {
        refuse("a needle must not hold a line feed");
        return -1;
    }
    needle->text = malloc(needle->size + 1);
    if (needle->text == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < needle->size; i++)
        needle->text[i] = fold ? lowered(text[i]) : text[i];
    for (int which = 0; needle->size && which < 2; which++)
        choose_probe(needle, which, fold);
    return 0;
}

int take_needles(Needles *needles, PyObject *tuple, int fold)
{
    *needles = (Needles){.fold = fold};
    size_t count = (size_t)PyTuple_GET_SIZE(tuple);
    needles->items = calloc(count + 1, sizeof *needles->items);
    if (needles->items == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (; needles->count < count; needles->count++)
        if (take_needle(&needles->items[needles->count], PyTuple_GET_ITEM(tuple, (Py_ssize_t)needles->count), fold) < 0)
            return -1;
    return 0;
}

void free_needles(Needles *needles)
{
    for (size_t i = 0; needles->items != NULL && i < needles->count; i++)
        free(needles->items[i].text);
    free(needles->items);
}

int stands_at(const Needle *needle, int fold, const uint8_t *at)
{
    if (!fold)
        return memcmp(at, needle->text, needle->size) == 0;
    for (size_t i = 0; i < needle->size; i++)
        if (lowered(at[i]) != needle->text[i])
            return 0;
    return 1;
}

static int passes(const Needle *needle, const uint8_t *at)
{
    return (at[needle->probes[0]] | needle->masks[0]) == needle->values[0] &&
           (at[needle->probes[1]] | needle->masks[1]) == needle->values[1];
}

/* The first of the places [at, at + places) where the needle stands. */
static const uint8_t *find_in(const Needle *needle, int fold, const uint8_t *at, size_t places)
{
    for (; places; at++, places--)
        if (passes(needle, at) && stands_at(needle, fold, at))
            return at;
    return NULL;
}

#if defined(__GNUC__)

typedef uint8_t Lanes __attribute__((vector_size(16)));

static inline Lanes load_lanes(const uint8_t *at)
{
    Lanes lanes;
    memcpy(&lanes, at, sizeof lanes);
    return lanes;
}

static inline int any(Lanes lanes)
{
    uint64_t halves[2];
    memcpy(halves, &lanes, sizeof halves);
    return (halves[0] | halves[1]) != 0;
}

/* Places from `at` on where the needle does not stand, in steps of sixteen. */
static size_t pass_over(const Needle *needle, const uint8_t *at, size_t places)
{
    const uint8_t *one = at + needle->probes[0], *other = at + needle->probes[1];
    Lanes masks[2], values[2];
    for (int which = 0; which < 2; which++) {
        memset(&masks[which], needle->masks[which], sizeof(Lanes));
        memset(&values[which], needle->values[which], sizeof(Lanes));
    }
    size_t passed = 0;
    for (; places - passed >= sizeof(Lanes); passed += sizeof(Lanes)) {
        Lanes a = (Lanes)((load_lanes(one + passed) | masks[0]) == values[0]);
        Lanes b = (Lanes)((load_lanes(other + passed) | masks[1]) == values[1]);
        if (any(a & b))
            break;
    }
    return passed;
}

enum { STEP = sizeof(Lanes) };

#else

static size_t pass_over(const Needle *needle, const uint8_t *at, size_t places)
{
    (void)needle, (void)at, (void)places;
    return 0;
}

enum { STEP = 16 };

#endif

const uint8_t *find_needle(const Needle *needle, int fold, const uint8_t *at, const uint8_t *end)
{
    if (needle->size == 0)
        return at;
    if ((size_t)(end - at) < needle->size)
        return NULL;
    size_t places = (size_t)(end - at) - needle->size + 1;
    for (;;) {
        size_t passed = pass_over(needle, at, places);
        at += passed;
        places -= passed;
        size_t step = places < STEP ? places : STEP;
        const uint8_t *found = find_in(needle, fold, at, step);
        if (found != NULL || step == places)
            return found;
        at += step;
        places -= step;
    }
}
