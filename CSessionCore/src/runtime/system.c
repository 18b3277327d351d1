#include "system.h"

#include <errno.h>
#include <sys/epoll.h>

sc_status sc_system_status(int error) {
  switch (error) {
  case EMFILE:
  case ENFILE:
  case EAGAIN: /* pthread_create: too many threads */
  case ENOSPC: /* epoll_ctl: too many watches */
    return SC_ERR_SYSTEM_LIMIT;
  case ENOMEM:
  case ENOBUFS:
    return SC_ERR_NO_MEMORY;
  case EADDRINUSE:
    return SC_ERR_SOCKET_IN_USE;
  case EADDRNOTAVAIL:
  case EAFNOSUPPORT:
  case ENODEV:
    return SC_ERR_SOCKET_ADDRESS;
  case EACCES:
  case EPERM:
    return SC_ERR_SOCKET_PERMISSION;
  default:
    return SC_ERR_SYSTEM;
  }
}

sc_status sc_system_watch(int epoll, int fd, void *what) {
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = what};
  return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0 ? SC_OK : sc_system_status(errno);
}
