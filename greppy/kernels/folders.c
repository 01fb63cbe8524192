/* The rules are those of greppy/git/files.py. Linux opens a path in one step (openat2, from 5.6 on); elsewhere, and
 * where a sandbox forbids that, folders are opened one after the other: paths come sorted, so most are open already. */

#ifndef _WIN32

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* O_PATH, syscall */
#endif

#include "folders.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__linux__) && defined(__has_include)
#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#include <sys/syscall.h>
#endif
#endif

#ifdef O_PATH
#define FOLDER_FLAGS (O_PATH | O_NOFOLLOW | O_DIRECTORY | O_CLOEXEC)
#else
#define FOLDER_FLAGS (O_RDONLY | O_NOFOLLOW | O_DIRECTORY | O_CLOEXEC)
#endif

#define FILE_FLAGS (O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)

enum { LONGEST_NAME = 255, LONGEST_PATH = 4096 };

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
    if (size > LONGEST_NAME) {
        errno = ENAMETOOLONG;
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

static int open_stepwise(Folders *folders, const char *path)
{
    const char *slash = strrchr(path, '/');
    int folder = folders->root;
    if (slash != NULL && (folder = open_folder(folders, path, (size_t)(slash - path))) < 0)
        return -1;
    return openat(folder, slash == NULL ? path : slash + 1, FILE_FLAGS);
}

#ifdef SYS_openat2

static int open_at_once(Folders *folders, const char *path)
{
    struct open_how how = {.flags = FILE_FLAGS, .resolve = RESOLVE_NO_SYMLINKS};
    int fd = (int)syscall(SYS_openat2, folders->root, path, &how, sizeof how);
    /* Sandboxes answer EPERM to what they do not know. */
    if (fd >= 0 || (errno != ENOSYS && errno != EPERM))
        return fd;
    folders->stepwise = 1;
    return open_stepwise(folders, path);
}

#else
#define open_at_once open_stepwise
#endif

/* Whether no folder of the path is empty, or leads to itself or up. */
static int is_plain(const char *path)
{
    for (const char *slash; (slash = strchr(path, '/')) != NULL; path = slash + 1) {
        size_t size = (size_t)(slash - path);
        if (size == 0 || (path[0] == '.' && (size == 1 || (size == 2 && path[1] == '.'))))
            return 0;
    }
    return 1;
}

int open_file(Folders *folders, const char *path)
{
    if (!is_plain(path)) {
        errno = EINVAL;
        return -1;
    }
    if (folders->stepwise || strlen(path) >= LONGEST_PATH)
        return open_stepwise(folders, path);
    return open_at_once(folders, path);
}

#endif
