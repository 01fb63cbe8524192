/* Reading posting lists, in line because it is the innermost loop of every search; writing them. */

#ifndef GREPPY_POSTINGS_H
#define GREPPY_POSTINGS_H

#include "fast.h"

enum { KIND_BITS = 3, KINDS = 1 << KIND_BITS, LONGEST_POSTING = 6 };

/* The codes of the kinds; kind 0 is followed by its code. */
static const uint8_t FREQUENT[KINDS] = {0, 0x01, 0x02, 0x40, 0x10, 0x03, 0x04, 0x80};

/* Goes through the postings of one list, while `at` has not reached `end`; `doc` and `code` are those of the latest. */
typedef struct {
    const uint8_t *at, *end;
    int64_t doc;
    uint8_t code;
} Reader;

static const char TRUNCATED[] = "posting list is truncated";

static inline const char *read_head(Reader *reader, uint64_t *value)
{
    uint64_t number = 0;
    for (int shift = 0; shift < 35; shift += 7) {
        if (reader->at == reader->end)
            return TRUNCATED;
        uint8_t byte = *reader->at++;
        number |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            *value = number;
            return NULL;
        }
    }
    return "posting list has a number of more than five bytes";
}

static inline void open_list(Reader *reader, const Py_buffer *buf)
{
    *reader = (Reader){.at = buf->buf, .end = (const uint8_t *)buf->buf + buf->len, .doc = -1};
}

static inline const char *next_posting(Reader *reader)
{
    uint64_t head;
    const char *problem;
    if (reader->at < reader->end && *reader->at < 0x80)
        head = *reader->at++;
    else if ((problem = read_head(reader, &head)) != NULL)
        return problem;
    unsigned kind = head % KINDS;
    if (kind)
        reader->code = FREQUENT[kind];
    else if (reader->at == reader->end)
        return TRUNCATED;
    else
        reader->code = *reader->at++;
    reader->doc += (int64_t)(head >> KIND_BITS) + 1;
    return reader->doc < DOCS ? NULL : "posting list has a document beyond 2**31 - 1";
}

/* Writes one posting, at most LONGEST_POSTING bytes; returns where it ends. before < doc < DOCS must hold. */
uint8_t *put_posting(uint8_t *at, int64_t before, int64_t doc, uint8_t code);

#endif
