/* Porter's stemmer, step by step as in reference/stem.py; the word is changed in place and never grows. */

#include "terms.h"

typedef struct {
    const char *suffix, *replacement;
    size_t size; /* of the suffix */
} Rule;

#define RULE(suffix, replacement) {suffix, replacement, sizeof suffix - 1}
#define COUNT(rules) (sizeof rules / sizeof rules[0])

static const Rule STEP_2[] = {
    RULE("ational", "ate"), RULE("tional", "tion"), RULE("ization", "ize"), RULE("ation", "ate"),
    RULE("iveness", "ive"), RULE("fulness", "ful"), RULE("ousness", "ous"), RULE("biliti", "ble"),
    RULE("aliti", "al"), RULE("iviti", "ive"), RULE("ousli", "ous"), RULE("entli", "ent"), RULE("alli", "al"),
    RULE("bli", "ble"), RULE("eli", "e"), RULE("enci", "ence"), RULE("anci", "ance"), RULE("alism", "al"),
    RULE("izer", "ize"), RULE("ator", "ate"), RULE("logi", "log"),
};
static const Rule STEP_3[] = {
    RULE("icate", "ic"), RULE("ative", ""), RULE("alize", "al"), RULE("iciti", "ic"), RULE("ical", "ic"),
    RULE("ness", ""), RULE("ful", ""),
};
static const Rule STEP_4[] = {
    RULE("ement", ""), RULE("ment", ""), RULE("ant", ""), RULE("ent", ""), RULE("ance", ""), RULE("ence", ""),
    RULE("able", ""), RULE("ible", ""), RULE("ism", ""), RULE("ate", ""), RULE("iti", ""), RULE("ous", ""),
    RULE("ive", ""), RULE("ize", ""), RULE("ion", ""), RULE("al", ""), RULE("er", ""), RULE("ic", ""),
    RULE("ou", ""),
};

typedef struct {
    uint8_t *text;
    size_t size;
} Word;

static int is_vowel(uint8_t c) { return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u'; }

/* Whether `c` is a consonant after a letter that is one, or is none, or is not there (0). */
static int is_consonant(uint8_t c, int before) { return c == 'y' ? !before : !is_vowel(c); }

/* Porter's m of the first `size` letters: how often a vowel is followed by a consonant. */
static unsigned measure(const Word *word, size_t size)
{
    unsigned m = 0;
    int before = 0;
    for (size_t i = 0; i < size; i++) {
        int here = is_consonant(word->text[i], before);
        m += i && here && !before;
        before = here;
    }
    return m;
}

static int has_vowel(const Word *word, size_t size)
{
    int before = 0;
    for (size_t i = 0; i < size; i++)
        if (!(before = is_consonant(word->text[i], before)))
            return 1;
    return 0;
}

/* Whether the letters before `size` are, from the last one back, a consonant, a vowel, a consonant, ... */
static int alternates(const Word *word, size_t size, unsigned letters)
{
    int before = 0;
    unsigned bits = 0;
    for (size_t i = 0; i < size; i++)
        bits = bits << 1 | (unsigned)(before = is_consonant(word->text[i], before));
    return size >= letters && (bits & ((1u << letters) - 1)) == (0x55555555u & ((1u << letters) - 1));
}

/* Porter's *o. */
static int ends_short(const Word *word, size_t size)
{
    if (!alternates(word, size, 3))
        return 0;
    uint8_t last = word->text[size - 1];
    return last != 'w' && last != 'x' && last != 'y';
}

static int ends(const Word *word, const char *suffix)
{
    size_t size = strlen(suffix);
    return word->size >= size && memcmp(word->text + word->size - size, suffix, size) == 0;
}

static void plural(Word *word)
{
    if (ends(word, "sses") || ends(word, "ies"))
        word->size -= 2;
    else if (ends(word, "s") && !ends(word, "ss"))
        word->size--;
}

/* `conflat` → `conflate`, `hopp` → `hop`, `fil` → `file`; what was cut off before leaves room for an e. */
static void restore(Word *word)
{
    uint8_t *text = word->text, last = text[word->size - 1];
    if (ends(word, "at") || ends(word, "bl") || ends(word, "iz"))
        text[word->size++] = 'e';
    else if (word->size > 1 && last == text[word->size - 2] && last != 'l' && last != 's' && last != 'z' &&
             alternates(word, word->size, 1))
        word->size--;
    else if (measure(word, word->size) == 1 && ends_short(word, word->size))
        text[word->size++] = 'e';
}

static void past_and_gerund(Word *word)
{
    size_t cut = ends(word, "ed") ? 2 : ends(word, "ing") ? 3 : 0;
    if (ends(word, "eed"))
        word->size -= measure(word, word->size - 3) > 0;
    else if (cut && has_vowel(word, word->size - cut)) {
        word->size -= cut;
        restore(word);
    }
}

/* The first rule for the end of the word, and how many letters stand before that end; NULL when there is none. */
static const Rule *rule_for(const Word *word, const Rule *rules, size_t count, size_t *rest)
{
    uint8_t last = word->text[word->size - 1];
    for (const Rule *rule = rules; rule < rules + count; rule++)
        if ((uint8_t)rule->suffix[rule->size - 1] == last && ends(word, rule->suffix)) {
            *rest = word->size - rule->size;
            return rule;
        }
    return NULL;
}

static void replace(Word *word, const Rule *rules, size_t count)
{
    size_t rest;
    const Rule *rule = rule_for(word, rules, count, &rest);
    if (rule == NULL || measure(word, rest) == 0)
        return;
    size_t size = strlen(rule->replacement);
    memcpy(word->text + rest, rule->replacement, size);
    word->size = rest + size;
}

static void strip(Word *word)
{
    size_t rest;
    const Rule *rule = rule_for(word, STEP_4, COUNT(STEP_4), &rest);
    if (rule == NULL || measure(word, rest) < 2)
        return;
    if (strcmp(rule->suffix, "ion") != 0 || word->text[rest - 1] == 's' || word->text[rest - 1] == 't')
        word->size = rest;
}

static void final_e(Word *word)
{
    if (ends(word, "e")) {
        unsigned m = measure(word, word->size - 1);
        word->size -= m > 1 || (m == 1 && !ends_short(word, word->size - 1));
    }
    word->size -= ends(word, "ll") && measure(word, word->size - 1) > 1;
}

size_t stem(uint8_t *text, size_t size)
{
    Word word = {text, size};
    if (size < 3)
        return size;
    for (size_t i = 0; i < size; i++)
        if (text[i] < 'a' || text[i] > 'z')
            return size;
    plural(&word);
    past_and_gerund(&word);
    if (ends(&word, "y") && has_vowel(&word, word.size - 1))
        word.text[word.size - 1] = 'i';
    replace(&word, STEP_2, COUNT(STEP_2));
    replace(&word, STEP_3, COUNT(STEP_3));
    strip(&word);
    final_e(&word);
    return word.size;
}
