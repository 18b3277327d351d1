/* Starts a program apart from this one: in a session of its own, without the privileges, descriptors and
 * signal settings of this process. posix_spawn can neither limit the resources of a program nor take from it
 * the right to gain privileges.
 */
#pragma once

/* The types of the C library belong to Swift's import of it, whichever of the two is loaded first. */
#pragma clang module import SwiftGlibc

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* A pipe whose ends no other program inherits, with O_CLOEXEC. */
int pipe2(int ends[2], int flags);

typedef struct {
  const char *path;
  char *const *arguments;
  char *const *environment;
  /* The working folder. */
  const char *folder;
  /* Become the descriptors 0, 1 and 2. */
  int input, output, errors;
  /* The most files it may have open. */
  unsigned long files;
  /* The largest file that it may write, in bytes; 0 for any. */
  unsigned long size;
} spawn_request;

/* Between fork and exec only functions that are safe in a signal handler may be called, because other threads
 * may have held locks at the fork. Writes errno to `failure` if the program cannot be started. */
static inline void spawn_become(const spawn_request *request, int failure) {
  int fds[4] = {request->input, request->output, request->errors, failure};
  /* None of them may be one of those that they become. */
  for (int i = 0; i < 4; i++) {
    fds[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, 10);
  }
  struct sigaction usual = {.sa_handler = SIG_DFL};
  for (int number = 1; number < NSIG; number++) {
    sigaction(number, &usual, NULL);
  }
  sigset_t none;
  sigemptyset(&none);
  struct rlimit core = {0, 0}, files;
  int is_ready = fds[0] >= 0 && fds[1] >= 0 && fds[2] >= 0 && fds[3] >= 0 && setsid() >= 0 &&
                 dup2(fds[0], 0) == 0 && dup2(fds[1], 1) == 1 && dup2(fds[2], 2) == 2 &&
                 syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) == 0 &&
                 prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && setrlimit(RLIMIT_CORE, &core) == 0 &&
                 getrlimit(RLIMIT_NOFILE, &files) == 0;
  if (is_ready) {
    if (files.rlim_max > request->files) {
      files.rlim_max = request->files;
    }
    files.rlim_cur = files.rlim_max;
    is_ready = setrlimit(RLIMIT_NOFILE, &files) == 0 && chdir(request->folder) == 0;
  }
  if (is_ready && request->size > 0) {
    struct rlimit size = {request->size, request->size};
    is_ready = setrlimit(RLIMIT_FSIZE, &size) == 0;
  }
  if (is_ready) {
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(request->path, request->arguments, request->environment);
  }
  int error = errno;
  ssize_t written = write(fds[3] >= 0 ? fds[3] : failure, &error, sizeof error);
  (void)written;
  _exit(127);
}

/* Returns the process, or -1 with errno. `process_fd` becomes readable when it has ended. */
static inline pid_t spawn_start(const spawn_request *request, int *process_fd) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return -1;
  }
  /* No handler of this process may run in the new one. */
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  pid_t process = fork();
  if (process == 0) {
    spawn_become(request, ends[1]);
  }
  int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close(ends[1]);
  if (process > 0) {
    ssize_t count;
    do {
      count = read(ends[0], &error, sizeof error);
    } while (count < 0 && errno == EINTR);
    *process_fd = count == 0 ? (int)syscall(SYS_pidfd_open, process, 0) : -1;
    if (*process_fd < 0) {
      if (count == 0) {
        error = errno;
        kill(process, SIGKILL);
      }
      while (waitpid(process, NULL, 0) < 0 && errno == EINTR) {
      }
      process = -1;
    }
  }
  close(ends[0]);
  errno = error;
  return process;
}

/* A file in memory, or -1 with errno. */
static inline int spawn_memory(void) {
  return (int)syscall(SYS_memfd_create, "session-sound", 1U /* MFD_CLOEXEC */);
}

/* A descriptor that is readable once it was rung. */
static inline int spawn_bell(void) {
  return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

static inline void spawn_ring(int bell) {
  uint64_t one = 1;
  ssize_t written = write(bell, &one, sizeof one);
  (void)written;
}
