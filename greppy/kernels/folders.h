/* Opening files below one root without following any link. */

#ifndef GREPPY_FOLDERS_H
#define GREPPY_FOLDERS_H

#include <stddef.h>

enum { MOST_FOLDERS = 24 };

/* The folders of the path that was opened last, or some of them; not for more than one thread. `path` must stay.
 * `stepwise` is set where the system cannot open a path in one step without following links. */
typedef struct {
    int root, stepwise;
    const char *path;
    int count, fds[MOST_FOLDERS];
    size_t ends[MOST_FOLDERS];
} Folders;

/* A descriptor of the file at `path`, of whatever type it is; -1 with errno set, ELOOP for a link anywhere. */
int open_file(Folders *folders, const char *path);
void close_folders(Folders *folders);

/* A descriptor of the root itself. */
int open_root(const char *root);

#endif
