/* measure.c -- runs a command and prints the processor time it took in ms (user and system) and its peak
 * memory in KiB.  Processor time, so that a busy machine does not change the figures much. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  pid_t pid = fork();
  if (pid < 0) return 2;
  if (pid == 0) {
    execvp(argv[1], argv + 1);
    _exit(127);
  }
  int status;
  struct rusage use;
  if (wait4(pid, &status, 0, &use) < 0) return 2;
  double ms = (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1e3 +
              (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1e-3;
  printf("%.1f %ld\n", ms, use.ru_maxrss);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
