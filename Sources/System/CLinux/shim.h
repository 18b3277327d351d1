/* Calls of the C library that it declares for _GNU_SOURCE only, which Swift's own import of it does not set.
 */
#pragma once

/* The types of the C library belong to Swift's import of it, whichever of the two is loaded first. */
#pragma clang module import SwiftGlibc

#include <fcntl.h>
#include <linux/keyctl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

int mkostemp(char *name_template, int flags);
int renameat2(int old_folder, const char *old_path, int new_folder, const char *new_path, unsigned flags);

/* For renameat2: fail where there is a file already. */
static const unsigned LINUX_RENAME_NOREPLACE = 1;

/* For open: makes a file without a name in the folder that the path is. */
enum { LINUX_O_TMPFILE = __O_TMPFILE };

/* Keys of the type "user" in the session's keyring, by the system's own calls: the C library has none for
 * them. A number below zero is a failure, told by errno. */
static inline int linux_key_add(const char *description, const void *bytes, size_t count) {
  return (int)syscall(SYS_add_key, "user", description, bytes, count, KEY_SPEC_SESSION_KEYRING);
}

static inline int linux_key_find(const char *description) {
  return (int)syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_SESSION_KEYRING, "user", description, 0);
}

/* The length of the key, of which no more than `capacity` bytes were written. */
static inline long linux_key_read(int key, void *out, size_t capacity) {
  return syscall(SYS_keyctl, KEYCTL_READ, key, out, capacity);
}

static inline int linux_key_expire(int key, unsigned seconds) {
  return (int)syscall(SYS_keyctl, KEYCTL_SET_TIMEOUT, key, seconds);
}

static inline int linux_key_revoke(int key) {
  return (int)syscall(SYS_keyctl, KEYCTL_REVOKE, key);
}

/* How many columns a terminal has, 0 if that is unknown. */
static inline int linux_terminal_columns(int descriptor) {
  struct winsize size;
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/* How many bytes have arrived on a TCP connection, and how many of those that were sent the other side has;
 * -1 where the system does not say. It is the beginning of the kernel's `struct tcp_info`, of which the C
 * library has a shorter one of the same name. */
static inline int linux_tcp_progress(int descriptor, uint64_t *received, uint64_t *acknowledged) {
  struct {
    uint8_t states[8];
    uint32_t numbers[24];
    uint64_t rates[2], acknowledged, received;
  } info;
  enum { TCP_LEVEL = 6, TCP_INFO_OPTION = 11 };
  socklen_t size = sizeof info;
  if (getsockopt(descriptor, TCP_LEVEL, TCP_INFO_OPTION, &info, &size) != 0 || size < sizeof info)
    return -1;
  *received = info.received;
  *acknowledged = info.acknowledged;
  return 0;
}

/* Locks that belong to an open file, not to the process: <fcntl.h> names them for _GNU_SOURCE only. */
enum { LINUX_OFD_GETLK = 36, LINUX_OFD_SETLK = 37 };

/* Takes part in a file, until it is closed. */
static inline int linux_take_part(int descriptor) {
  struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 1};
  return fcntl(descriptor, LINUX_OFD_SETLK, &lock);
}

/* Holds a file alone, until it is closed; EAGAIN or EACCES when somebody else holds it or takes part. */
static inline int linux_hold_alone(int descriptor) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
  return fcntl(descriptor, LINUX_OFD_SETLK, &lock);
}

/* Stops holding a file, or taking part in it, for all copies of the descriptor. */
static inline int linux_let_go(int descriptor) {
  struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET, .l_len = 1};
  return fcntl(descriptor, LINUX_OFD_SETLK, &lock);
}

/* Returns 1 if no other process has the file open; 0 if one has, or if that is unknown. */
static inline int linux_is_alone(int descriptor) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
  return fcntl(descriptor, LINUX_OFD_GETLK, &lock) == 0 && lock.l_type == F_UNLCK;
}
