#include "reply.h"

#include <string.h>

static int takes(const Reply *reply)
{
    switch (reply->head[0]) {
    case 'O':
    case 'E':
        return reply->left <= REPLY_MOST;
    case 'W':
        return reply->left == 0;
    case 'X':
        return reply->left == 1;
    default:
        return 0;
    }
}

/* Bytes of the head that were taken; the head may arrive in pieces. */
static size_t take_head(Reply *reply, const uint8_t *data, size_t size)
{
    size_t part = REPLY_HEAD - reply->have;
    if (part > size)
        part = size;
    memcpy(reply->head + reply->have, data, part);
    reply->have += part;
    if (reply->have == REPLY_HEAD) {
        const uint8_t *length = reply->head + 1;
        reply->left = (uint32_t)length[0] << 24 | (uint32_t)length[1] << 16 | (uint32_t)length[2] << 8 | length[3];
    }
    return part;
}

ReplyState reply_feed(Reply *reply, const uint8_t *data, size_t size, ReplySink sink, void *context)
{
    while (size > 0) {
        size_t part;
        if (reply->have < REPLY_HEAD) {
            part = take_head(reply, data, size);
            if (reply->have == REPLY_HEAD && !takes(reply))
                return REPLY_BAD;
        } else {
            part = reply->left < size ? reply->left : size;
            if (reply->head[0] == 'X') {
                reply->status = data[0];
                return part == size ? REPLY_DONE : REPLY_BAD;
            }
            if (sink(context, reply->head[0] == 'O' ? 1 : 2, data, part) < 0)
                return REPLY_BAD;
            reply->left -= (uint32_t)part;
        }
        data += part;
        size -= part;
        if (reply->have == REPLY_HEAD && reply->left == 0)
            reply->have = 0;
    }
    return REPLY_MORE;
}
