#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct PendingFile {
  char *path;
  char *temp; /* NULL: `text` goes to standard output, or straight into a device or pipe */
  Buf text;
} PendingFile;

static char *copy(const char *s, size_t len) {
  char *p = xmalloc(len + 1);
  memcpy(p, s, len);
  p[len] = '\0';
  return p;
}

char *file_read(Arena *a, const char *path, size_t *len) {
  FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
  if (!f) return NULL;
  size_t cap = 64 * 1024, n = 0, got;
  char *text = xmalloc(cap);
  while ((got = fread(text + n, 1, cap - n, f)) > 0) {
    n += got;
    if (n == cap) text = xrealloc(text, cap *= 2);
  }
  int bad = ferror(f) ? errno : 0;
  if (f != stdin) fclose(f);
  char *result = bad ? NULL : arena_strndup(a, text, n);
  free(text);
  *len = n;
  if (bad) errno = bad;
  return result;
}

bool file_same(const char *a, const char *b) {
  struct stat s, t;
  return stat(a, &s) == 0 && S_ISREG(s.st_mode) && stat(b, &t) == 0 && s.st_dev == t.st_dev &&
         s.st_ino == t.st_ino;
}

static const char *last_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* The directory that holds `path`; false if there is none. */
static bool directory_of(const char *path, struct stat *st) {
  size_t n = (size_t)(last_name(path) - path);
  char *dir = n ? copy(path, n) : copy(".", 1);
  bool ok = stat(dir, st) == 0;
  free(dir);
  return ok;
}

bool file_same_place(const char *a, const char *b) {
  struct stat x, y;
  if (strcmp(a, b) == 0) return true;
  return strcmp(last_name(a), last_name(b)) == 0 && directory_of(a, &x) && directory_of(b, &y) &&
         x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool file_make_parents(const char *path) {
  char *dir = copy(path, strlen(path));
  bool ok = true;
  for (char *s = strchr(dir + 1, '/'); s && ok; s = strchr(s + 1, '/')) {
    *s = '\0';
    struct stat st;
    ok = mkdir(dir, 0777) == 0;
    if (!ok && errno == EEXIST && stat(dir, &st) == 0) {
      ok = S_ISDIR(st.st_mode);
      if (!ok) errno = ENOTDIR;
    }
    *s = '/';
  }
  free(dir);
  return ok;
}

static bool write_piece(void *to, const char *text, size_t len) {
  const int *fd = to;
  while (len) {
    ssize_t n = write(*fd, text, len);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    text += n;
    len -= (size_t)n;
  }
  return true;
}

static bool write_all(int fd, const Buf *text) { return buf_each(text, write_piece, &fd); }

static PendingFile *push(FileSet *set) {
  if (set->len == set->cap) {
    set->cap = set->cap ? set->cap * 2 : 8;
    set->files = xrealloc(set->files, set->cap * sizeof *set->files);
  }
  return &set->files[set->len++];
}

/* A device or a pipe (/dev/stdout, /dev/null) cannot be replaced by renaming. */
static bool is_special(const char *path) {
  struct stat st;
  return strcmp(path, "-") == 0 ||
         (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
}

bool file_add(FileSet *set, const char *path, Buf *text) {
  if (is_special(path)) {
    *push(set) = (PendingFile){copy(path, strlen(path)), NULL, *text};
    *text = (Buf){0};
    return true;
  }
  struct stat st;
  bool existed = stat(path, &st) == 0;
  if (existed && S_ISDIR(st.st_mode)) return errno = EISDIR, false;
  size_t n = strlen(path) + 16;
  char *temp = xmalloc(n);
  snprintf(temp, n, "%s.XXXXXX", path);
  int fd = mkstemp(temp);
  bool ok = fd >= 0 && write_all(fd, text);
  buf_free(text);
  if (fd >= 0) {
    mode_t mask = umask(0);
    umask(mask);
    ok = fchmod(fd, existed ? st.st_mode & 07777 : 0666 & ~mask) == 0 && ok;
    ok = close(fd) == 0 && ok;
  }
  if (!ok) {
    int why = errno;
    if (fd >= 0) unlink(temp);
    free(temp);
    return errno = why, false;
  }
  *push(set) = (PendingFile){copy(path, strlen(path)), temp, {0}};
  return true;
}

static bool commit_one(PendingFile *f) {
  if (f->temp) {
    if (rename(f->temp, f->path) != 0) return false;
    free(f->temp);
    f->temp = NULL;
    return true;
  }
  int fd = strcmp(f->path, "-") == 0 ? STDOUT_FILENO : open(f->path, O_WRONLY);
  bool ok = fd >= 0 && write_all(fd, &f->text);
  if (fd > STDERR_FILENO) ok = close(fd) == 0 && ok;
  return ok;
}

/* Those written to devices, or all others. */
static bool commit_all(FileSet *set, bool devices, const char **failed) {
  for (size_t i = 0; i < set->len; i++) {
    PendingFile *f = &set->files[i];
    if (devices != !f->temp || commit_one(f)) continue;
    *failed = f->path;
    return false;
  }
  return true;
}

bool file_commit(FileSet *set, const char **failed) {
  return commit_all(set, true, failed) && commit_all(set, false, failed);
}

void file_discard(FileSet *set) {
  for (size_t i = 0; i < set->len; i++) {
    if (set->files[i].temp) unlink(set->files[i].temp);
    free(set->files[i].path);
    free(set->files[i].temp);
    buf_free(&set->files[i].text);
  }
  free(set->files);
  *set = (FileSet){0};
}
