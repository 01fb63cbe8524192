/* A hash table of byte strings; its hash is keyed, since whoever writes the indexed files chooses the strings. */

#include "intern.h"

static uint64_t mix(uint64_t value, uint64_t factor)
{
    value *= factor | 1;
    value ^= value >> 32;
    value *= 0x9E3779B97F4A7C15u;
    return value ^ value >> 29;
}

uint32_t hash_bytes(const uint64_t secret[2], const uint8_t *data, size_t size)
{
    uint64_t value = secret[0] ^ size, word;
    for (; size >= 8; data += 8, size -= 8)
        value = mix(value ^ load_u64(data, 0), secret[1]);
    if (size >= 4)
        word = load_u32(data, 0) | (uint64_t)load_u32(data + size - 4, 0) << 32;
    else
        word = size ? data[0] | (uint64_t)data[size / 2] << 8 | (uint64_t)data[size - 1] << 16 : 0;
    return (uint32_t)(mix(value ^ word, secret[1]) >> 7);
}

int same_bytes(const uint8_t *one, const uint8_t *other, size_t size)
{
    for (; size >= 8; one += 8, other += 8, size -= 8)
        if (load_u64(one, 0) != load_u64(other, 0))
            return 0;
    for (; size; one++, other++, size--)
        if (*one != *other)
            return 0;
    return 1;
}

Slot *find(const Strings *strings, const uint8_t *data, size_t size, uint32_t tag)
{
    for (uint32_t at = tag & strings->mask;; at = (at + 1) & strings->mask) {
        Slot *slot = &strings->slots[at];
        if (slot->id == 0)
            return slot;
        const Key *key = &strings->keys[slot->id - 1];
        if (slot->tag == tag && key->size == size && same_bytes(strings->text.data + key->at, data, size))
            return slot;
    }
}

int make_room(Strings *strings)
{
    if (strings->slots != NULL && strings->used < strings->mask / 2)
        return 0;
    size_t count = strings->slots == NULL ? 1024 : 2 * ((size_t)strings->mask + 1);
    Slot *slots = count > UINT32_MAX ? NULL : calloc(count, sizeof *slots);
    if (slots == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    uint32_t mask = (uint32_t)count - 1;
    for (size_t i = 0; strings->slots != NULL && i <= strings->mask; i++) {
        Slot slot = strings->slots[i];
        uint32_t at = slot.tag & mask;
        while (slot.id && slots[at].id)
            at = (at + 1) & mask;
        if (slot.id)
            slots[at] = slot;
    }
    free(strings->slots);
    strings->slots = slots;
    strings->mask = mask;
    return 0;
}

int insert(Strings *strings, Slot *slot, const uint8_t *data, size_t size, uint32_t tag)
{
    Bytes *text = &strings->text;
    if (reserve(&text->data, &text->capacity, text->used + size, 1) < 0 ||
        reserve(&strings->keys, &strings->capacity, (size_t)strings->used + 1, sizeof(Key)) < 0)
        return -1;
    memcpy(text->data + text->used, data, size);
    strings->keys[strings->used] = (Key){text->used, (uint32_t)size};
    text->used += size;
    *slot = (Slot){tag, ++strings->used};
    return 0;
}

void free_strings(Strings *strings)
{
    free(strings->text.data);
    free(strings->keys);
    free(strings->slots);
    memset(strings, 0, sizeof *strings);
}
