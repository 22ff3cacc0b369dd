/* file.h -- reading and writing whole files. */
#ifndef PYPTOC_BASE_FILE_H
#define PYPTOC_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"

/* The whole of `path` ("-": standard input) in the arena, NUL-terminated.  NULL with errno set. */
char *file_read(Arena *a, const char *path, size_t *len);

/* Whether both paths name the same file, that may not exist yet, by way of the same existing directory. */
bool file_same_place(const char *a, const char *b);

/* Makes the directories above `path`.  False with errno set. */
bool file_make_parents(const char *path);

/* Whether both paths lead to the same existing regular file. */
bool file_same(const char *a, const char *b);

/* Files that appear all together or not at all: each is written beside its place under another name,
 * and file_commit renames them.  Until then older files of these names stay whole. */
typedef struct FileSet {
  struct PendingFile *files;
  size_t len, cap;
} FileSet;

/* Adds `path` with its text, which is empty afterwards; "-" goes to standard output at commit.  False with errno
 * set. */
bool file_add(FileSet *set, const char *path, Buf *text);
/* Writes to devices and pipes, which may fail, then renames all others to their places.  On failure *failed is the path, and errno says why. */
bool file_commit(FileSet *set, const char **failed);
/* Removes what was not committed, and frees the set. */
void file_discard(FileSet *set);

#endif
