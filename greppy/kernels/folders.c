/* The rules are those of greppy/git/files.py. Paths come sorted, so most of a path's folders are open already. */

#ifndef _WIN32

#include "folders.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef O_PATH
#define FOLDER_FLAGS (O_PATH | O_NOFOLLOW | O_DIRECTORY | O_CLOEXEC)
#else
#define FOLDER_FLAGS (O_RDONLY | O_NOFOLLOW | O_DIRECTORY | O_CLOEXEC)
#endif

enum { LONGEST_NAME = 255 };

int open_root(const char *root) { return open(root, FOLDER_FLAGS); }

static void close_to(Folders *folders, int count)
{
    while (folders->count > count)
        close(folders->fds[--folders->count]);
}

void close_folders(Folders *folders) { close_to(folders, 0); }

/* How many of the open folders lead to the folder that `path` begins with, up to `size`. */
static int shared(const Folders *folders, const char *path, size_t size)
{
    int count = 0;
    for (; count < folders->count; count++) {
        size_t end = folders->ends[count];
        if (end > size || memcmp(folders->path, path, end) != 0 || path[end] != '/')
            break;
    }
    return count;
}

static int step_into(int parent, const char *start, size_t size)
{
    char name[LONGEST_NAME + 1];
    struct stat found;
    int dots = (size == 1 && start[0] == '.') || (size == 2 && start[0] == '.' && start[1] == '.');
    if (size == 0 || size > LONGEST_NAME || dots) {
        errno = size > LONGEST_NAME ? ENAMETOOLONG : EINVAL;
        return -1;
    }
    memcpy(name, start, size);
    name[size] = '\0';
    int fd = openat(parent, name, FOLDER_FLAGS);
    if (fd < 0 && errno == ENOTDIR) {
        int link = fstatat(parent, name, &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(found.st_mode);
        errno = link ? ELOOP : ENOTDIR;
    }
    return fd;
}

/* Where there is no room the folder that is nearest to the root is let go: what remains still leads to the file. */
static void keep(Folders *folders, int fd, size_t end)
{
    if (folders->count == MOST_FOLDERS) {
        close(folders->fds[0]);
        folders->count--;
        memmove(folders->fds, folders->fds + 1, sizeof folders->fds - sizeof folders->fds[0]);
        memmove(folders->ends, folders->ends + 1, sizeof folders->ends - sizeof folders->ends[0]);
    }
    folders->fds[folders->count] = fd;
    folders->ends[folders->count++] = end;
}

static int last(const Folders *folders) { return folders->count ? folders->fds[folders->count - 1] : folders->root; }

/* Opens the folder path[:size]; -1 with errno set. */
static int open_folder(Folders *folders, const char *path, size_t size)
{
    close_to(folders, shared(folders, path, size));
    folders->path = path;
    size_t at = folders->count ? folders->ends[folders->count - 1] + 1 : 0;
    while (at <= size) {
        size_t length = 0;
        while (at + length < size && path[at + length] != '/')
            length++;
        int fd = step_into(last(folders), path + at, length);
        if (fd < 0)
            return -1;
        at += length;
        keep(folders, fd, at++);
    }
    return last(folders);
}

int open_file(Folders *folders, const char *path)
{
    const char *slash = strrchr(path, '/');
    int folder = folders->root;
    if (slash != NULL && (folder = open_folder(folders, path, (size_t)(slash - path))) < 0)
        return -1;
    return openat(folder, slash == NULL ? path : slash + 1, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

#endif
