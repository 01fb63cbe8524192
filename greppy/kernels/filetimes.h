/* The times of a file, which systems name differently, as one number. */

#ifndef GREPPY_FILETIMES_H
#define GREPPY_FILETIMES_H

#include <stdint.h>
#include <sys/stat.h>

#ifdef __APPLE__
#define MTIME(s) ((s)->st_mtimespec)
#define CTIME(s) ((s)->st_ctimespec)
#else
#define MTIME(s) ((s)->st_mtim)
#define CTIME(s) ((s)->st_ctim)
#endif

static inline uint64_t nanoseconds(struct timespec time)
{
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

#endif
