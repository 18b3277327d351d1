#define _GNU_SOURCE /* struct mmsghdr */

#include "faulty_send.h"

#include <errno.h>
#include <sys/socket.h>

static _Thread_local size_t good_calls;
static _Thread_local size_t bad_calls;
static _Thread_local int bad_error;
static _Thread_local unsigned most_messages;

void faulty_send_after(size_t good, size_t times, int error) {
  good_calls = good;
  bad_calls = times;
  bad_error = error;
}

void faulty_send_at_most(unsigned messages) {
  most_messages = messages;
}

int __real_sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags);
int __wrap_sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags);

int __wrap_sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags) {
  if (bad_calls > 0 && good_calls == 0) {
    bad_calls--;
    errno = bad_error;
    return -1;
  }
  if (good_calls > 0)
    good_calls--;
  if (most_messages > 0 && count > most_messages)
    count = most_messages;
  most_messages = 0;
  return __real_sendmmsg(fd, messages, count, flags);
}
