/* Looking for many literal strings at once. The method is Teddy's (Geoffrey Langdale, for Hyperscan): sixteen-way table
 * look-ups in vector registers say for 32 places at a time which groups of needles may stand there. */

#include "several.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#define FOR_AVX2 __attribute__((target("avx2")))

/* Below that many passes, one a needle, are as fast. */
enum { FEWEST = 4, STEP = 32 };

static size_t rarest_window(const Needle *needle)
{
    size_t best = 0, most = 0;
    for (size_t at = 0; at + WINDOW <= needle->size; at++) {
        size_t rarity = 0;
        for (size_t i = 0; i < WINDOW; i++)
            rarity += byte_rarity(needle->text[at + i]);
        if (rarity > most) {
            most = rarity;
            best = at;
        }
    }
    return best;
}

static void add_byte(Several *several, size_t place, uint8_t byte, uint8_t group)
{
    several->low[place][byte & 15] |= group;
    several->high[place][byte >> 4] |= group;
}

void prepare_several(Several *several, const Needles *needles)
{
    memset(several, 0, sizeof *several);
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || needles->count < FEWEST || needles->count > MOST_AT_ONCE)
        return;
    for (size_t i = 0; i < needles->count; i++)
        if (needles->items[i].size < WINDOW)
            return;
    for (size_t i = 0; i < needles->count; i++) {
        const Needle *needle = &needles->items[i];
        several->offsets[i] = rarest_window(needle);
        for (size_t place = 0; place < WINDOW; place++) {
            uint8_t byte = needle->text[several->offsets[i] + place], group = (uint8_t)(1 << i % GROUPS);
            add_byte(several, place, byte, group);
            if (needles->fold && byte >= 'a' && byte <= 'z')
                add_byte(several, place, byte ^ 0x20, group);
        }
    }
    several->usable = 1;
}

/* The beginning of a needle of one of the groups whose window is at `window`. */
static const uint8_t *verified(const Several *several, const Needles *needles, unsigned groups, const uint8_t *window,
                               const uint8_t *at, const uint8_t *end)
{
    for (size_t i = 0; i < needles->count; i++) {
        const Needle *needle = &needles->items[i];
        size_t offset = several->offsets[i];
        if (!(groups >> i % GROUPS & 1) || (size_t)(window - at) < offset)
            continue;
        const uint8_t *start = window - offset;
        if ((size_t)(end - start) >= needle->size && stands_at(needle, needles->fold, start))
            return start;
    }
    return NULL;
}

static unsigned groups_at(const Several *several, const uint8_t *window)
{
    unsigned groups = 0xFF;
    for (size_t i = 0; i < WINDOW; i++)
        groups &= several->low[i][window[i] & 15] & several->high[i][window[i] >> 4];
    return groups;
}

FOR_AVX2 static inline __m256i fits(const uint8_t *table, __m256i halves)
{
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)table)), halves);
}

/* The groups that may have a window at each of the STEP places from `at` on. */
FOR_AVX2 static inline __m256i groups_of(const Several *several, const uint8_t *at)
{
    const __m256i half = _mm256_set1_epi8(15);
    __m256i groups = _mm256_set1_epi8(-1);
    for (size_t i = 0; i < WINDOW; i++) {
        __m256i bytes = _mm256_loadu_si256((const __m256i *)(at + i));
        groups = _mm256_and_si256(groups, fits(several->low[i], _mm256_and_si256(bytes, half)));
        groups = _mm256_and_si256(groups, fits(several->high[i], _mm256_and_si256(_mm256_srli_epi16(bytes, 4), half)));
    }
    return groups;
}

/* The first place where a needle may stand, *window, and the groups; 0 with *window behind what was looked at. */
FOR_AVX2 static unsigned next_window(const Several *several, const uint8_t **window, const uint8_t *end)
{
    const uint8_t *at = *window;
    for (; end - at >= STEP + WINDOW - 1; at += STEP) {
        __m256i groups = groups_of(several, at);
        unsigned none = (unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(groups, _mm256_setzero_si256()));
        if (none != 0xFFFFFFFFu) {
            *window = at + __builtin_ctz(~none);
            return groups_at(several, *window);
        }
    }
    for (; end - at >= WINDOW; at++) {
        unsigned groups = groups_at(several, at);
        if (groups) {
            *window = at;
            return groups;
        }
    }
    *window = end;
    return 0;
}

const uint8_t *find_several(const Several *several, const Needles *needles, const uint8_t *at, const uint8_t *end)
{
    const uint8_t *window = at;
    unsigned groups;
    while ((groups = next_window(several, &window, end)) != 0) {
        const uint8_t *found = verified(several, needles, groups, window, at, end);
        if (found != NULL)
            return found;
        window++;
    }
    return NULL;
}

#else

void prepare_several(Several *several, const Needles *needles)
{
    (void)needles;
    memset(several, 0, sizeof *several);
}

const uint8_t *find_several(const Several *several, const Needles *needles, const uint8_t *at, const uint8_t *end)
{
    (void)several, (void)needles, (void)at, (void)end;
    return NULL;
}

#endif
