/* Reading posting lists, in line because it is the innermost loop of every search; writing them. */

#ifndef GREPPY_POSTINGS_H
#define GREPPY_POSTINGS_H

#include "fast.h"

/* Goes through the postings of one list; `doc` and `code` are those of the latest. */
typedef struct {
    const uint8_t *at, *end;
    int64_t left, doc;
    uint8_t code;
} Reader;

static const char TRUNCATED[] = "posting list is truncated";

static inline const char *read_varint(Reader *reader, uint32_t *value)
{
    uint64_t number = 0;
    for (int shift = 0; shift < 35; shift += 7) {
        if (reader->at == reader->end)
            return TRUNCATED;
        uint8_t byte = *reader->at++;
        number |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            if (number > UINT32_MAX)
                break;
            *value = (uint32_t)number;
            return NULL;
        }
    }
    return "posting list has a number of more than 32 bits";
}

static inline const char *open_list(Reader *reader, const Py_buffer *buf)
{
    uint32_t count = 0;
    reader->at = buf->buf;
    reader->end = reader->at + buf->len;
    reader->doc = -1;
    reader->code = PLAIN;
    const char *problem = read_varint(reader, &count);
    reader->left = count;
    return problem != NULL ? problem : reader->left > reader->end - reader->at ? TRUNCATED : NULL;
}

static inline const char *next_posting(Reader *reader)
{
    uint32_t head;
    const char *problem = read_varint(reader, &head);
    if (problem != NULL)
        return problem;
    reader->code = PLAIN;
    if (head & 1) {
        if (reader->at == reader->end)
            return TRUNCATED;
        reader->code = *reader->at++;
    }
    reader->doc += (int64_t)(head >> 1) + 1;
    reader->left--;
    return reader->doc < DOCS ? NULL : "posting list has a document beyond 2**31 - 1";
}

static inline const char *close_list(const Reader *reader)
{
    return reader->at == reader->end ? NULL : "posting list has bytes after its last posting";
}

/* Appends one posting; the caller has seen to it that before < doc < DOCS. */
int put_posting(Bytes *out, int64_t before, int64_t doc, uint8_t code);
int put_varint(Bytes *out, uint32_t value);

#endif
