/* The daemon's reply as it arrives: frames of kind (1 byte), length (4 bytes, big-endian), payload. See
 * greppy/daemon/protocol.py. Reads from no file and allocates nothing, so that it can be fed with anything. */

#ifndef GREPPY_REPLY_H
#define GREPPY_REPLY_H

#include <stddef.h>
#include <stdint.h>

enum { REPLY_HEAD = 5, REPLY_MOST = 1 << 20 };

/* What a piece of the reply made of it. */
typedef enum { REPLY_MORE, REPLY_DONE, REPLY_BAD } ReplyState;

/* Takes output for descriptor 1 or 2, in its order. Returns 0, or -1 when it cannot. */
typedef int (*ReplySink)(void *context, int fd, const uint8_t *data, size_t size);

typedef struct {
    uint8_t head[REPLY_HEAD];
    size_t have;   /* bytes of the head that are there */
    uint32_t left; /* bytes of the payload that are to come */
    int status;    /* the exit status, when REPLY_DONE */
} Reply;

/* Starts with a Reply of zeros. REPLY_BAD: not of the protocol, or the daemon wants the client to do it itself. */
ReplyState reply_feed(Reply *reply, const uint8_t *data, size_t size, ReplySink sink, void *context);

#endif
