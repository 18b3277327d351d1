/* Calls of the C library that it declares for _GNU_SOURCE only, which Swift's own import of it does not set.
 */
#pragma once

/* The types of the C library belong to Swift's import of it, whichever of the two is loaded first. */
#pragma clang module import SwiftGlibc

#include <fcntl.h>
#include <grp.h>
#include <linux/keyctl.h>
#include <linux/stat.h>
#include <malloc.h>
#include <pwd.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
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

/* The number of a user or group; -1 where there is none of that name. */
static inline int64_t linux_user_number(const char *name) {
  struct passwd entry, *found = NULL;
  char texts[16384];
  return getpwnam_r(name, &entry, texts, sizeof texts, &found) == 0 && found ? (int64_t)entry.pw_uid : -1;
}

static inline int64_t linux_group_number(const char *name) {
  struct group entry, *found = NULL;
  char texts[65536];
  return getgrnam_r(name, &entry, texts, sizeof texts, &found) == 0 && found ? (int64_t)entry.gr_gid : -1;
}

/* When a file or folder was made, in seconds since 1970; 0 where the file system does not know. */
static inline int64_t linux_creation_time(const char *path) {
  struct statx found = {0};
  long result = syscall(SYS_statx, AT_FDCWD, path, 0, STATX_BTIME, &found);
  return result == 0 && found.stx_mask & STATX_BTIME ? found.stx_btime.tv_sec : 0;
}

/* Keys of the type "user" in the session's keyring, by the system's own calls: the C library has none for
 * them. A number below zero is a failure, told by errno. */
/* To add a key to "the session's" keyring would give a thread that has none one of its own, which other
 * threads and programs do not see. By its number the keyring is that of the user. */
static inline int linux_key_add(const char *description, const void *bytes, size_t count) {
  long keyring = syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0);
  return keyring < 0 ? -1 : (int)syscall(SYS_add_key, "user", description, bytes, count, keyring);
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

/* Keeps the memory of the process out of core dumps, and from programs that would trace it. */
static inline void linux_forbid_dumps(void) {
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/* 0 after `linux_forbid_dumps`. */
static inline int linux_allows_dumps(void) {
  return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
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

/* The process and the user at the other end of a Unix socket; -1 where the system does not say. The C library
 * has the kernel's `struct ucred` for _GNU_SOURCE only. */
static inline int linux_peer(int socket, int *process, unsigned *user) {
  struct {
    int process;
    unsigned user, group;
  } peer;
  socklen_t size = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || size < sizeof peer)
    return -1;
  *process = peer.process;
  *user = peer.user;
  return 0;
}

/* A Unix stream socket that does not block and that no program inherits. */
static inline int linux_unix_socket(void) {
  return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/* A pair of such sockets, connected with each other. */
static inline int linux_unix_pair(int out[2]) {
  return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, out);
}

/* Waiting for many sockets, by the system's own calls: <sys/epoll.h> has the types of <time.h> in it, which
 * belong to Swift's import of the C library. */
enum {
  LINUX_READABLE = 0x2001, /* or ended by the other side */
  LINUX_WRITABLE = 0x4,
  LINUX_BROKEN = 0x18, /* reported in any case */
};

struct linux_event {
  uint32_t kinds;
  uint64_t socket;
}
#ifdef __x86_64__
__attribute__((packed))
#endif
;

static inline int linux_epoll(void) {
  return (int)syscall(SYS_epoll_create1, O_CLOEXEC);
}

/* Has the system tell once when a socket is ready for one of these kinds. */
static inline int linux_epoll_watch(int epoll, int socket, int is_new, unsigned kinds) {
  enum { ADD = 1, CHANGE = 3, ONCE = 1 << 30 };
  struct linux_event event = {.kinds = kinds | ONCE, .socket = (uint64_t)socket};
  return (int)syscall(SYS_epoll_ctl, epoll, is_new ? ADD : CHANGE, socket, &event);
}

static inline int linux_epoll_forget(int epoll, int socket) {
  enum { REMOVE = 2 };
  struct linux_event event = {.kinds = 0};
  return (int)syscall(SYS_epoll_ctl, epoll, REMOVE, socket, &event);
}

/* Waits for events, and returns how many there are, or -1. */
static inline int linux_epoll_wait(int epoll, struct linux_event *out, int capacity) {
  return (int)syscall(SYS_epoll_pwait, epoll, out, capacity, -1, NULL, 0);
}

/* A file in memory, without a name. */
static inline int linux_memory_file(void) {
  enum { CLOSE_ON_EXEC = 1 };
  return (int)syscall(SYS_memfd_create, "session", CLOSE_ON_EXEC);
}

/* Accepts a connection. */
int accept4(int socket, struct sockaddr *address, socklen_t *size, int flags);

static inline int linux_accept(int socket) {
  return accept4(socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

/* The most descriptors that go with one piece of data. */
enum { LINUX_MAX_PASSED = 32 };

/* Sends bytes, and descriptors with the first of them. Returns how many bytes were sent, or -1. */
static inline long linux_send(int socket, const void *bytes, size_t size, const int *descriptors,
                              size_t count) {
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int) * LINUX_MAX_PASSED)];
  } control;
  struct iovec piece = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = size};
  struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
  if (count > LINUX_MAX_PASSED)
    return -1;
  if (count > 0) {
    memset(&control, 0, sizeof control);
    message.msg_control = &control;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * count);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * count);
    memcpy(CMSG_DATA(header), descriptors, sizeof(int) * count);
  }
  return sendmsg(socket, &message, MSG_NOSIGNAL);
}

/* Receives bytes, and the descriptors that came with them, of which there is room for LINUX_MAX_PASSED.
 * `is_cut` is set if the system dropped some. Returns how many bytes were received, 0 at the end, or -1. */
static inline long linux_receive(int socket, void *out, size_t capacity, int *descriptors, size_t *count,
                                 int *is_cut) {
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int) * LINUX_MAX_PASSED)];
  } control;
  struct iovec piece = {.iov_base = out, .iov_len = capacity};
  struct msghdr message = {
      .msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  enum { CLOSE_ON_EXEC = 0x40000000 };
  *count = 0;
  *is_cut = 0;
  const long received = recvmsg(socket, &message, CLOSE_ON_EXEC);
  if (received < 0)
    return received;
  *is_cut = (message.msg_flags & MSG_CTRUNC) != 0;
  for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header != NULL;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
      continue;
    const size_t passed = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < passed && *count < LINUX_MAX_PASSED; i++)
      memcpy(&descriptors[(*count)++], CMSG_DATA(header) + i * sizeof(int), sizeof(int));
  }
  return received;
}
