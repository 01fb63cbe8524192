/* Distinct byte strings, numbered from 0 in order of arrival; an open-addressing hash table finds them. */

#ifndef GREPPY_INTERN_H
#define GREPPY_INTERN_H

#include "fast.h"

typedef struct {
    size_t at;
    uint32_t size;
} Key;

typedef struct {
    uint32_t tag; /* the key's hash */
    uint32_t id;  /* its number plus one, or 0 for a free slot */
} Slot;

typedef struct {
    Bytes text;
    Key *keys;
    size_t capacity;
    Slot *slots;
    uint32_t used, mask;
} Strings;

uint32_t hash_bytes(const uint64_t secret[2], const uint8_t *data, size_t size);

int same_bytes(const uint8_t *one, const uint8_t *other, size_t size);

/* The slot that holds the key, or the free one where it belongs. The table must have room. */
Slot *find(const Strings *strings, const uint8_t *data, size_t size, uint32_t tag);

/* Makes the table large enough for one key more; slots found before are void afterwards. */
int make_room(Strings *strings);

/* Adds the key at the free slot that `find` gave. */
int insert(Strings *strings, Slot *slot, const uint8_t *data, size_t size, uint32_t tag);

void free_strings(Strings *strings);

#endif
