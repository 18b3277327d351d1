/* System calls used in more than one place, and their errors as a status. */
#ifndef SC_RUNTIME_SYSTEM_H
#define SC_RUNTIME_SYSTEM_H

#include "session-core/base/status.h"

/* Converts the errno of a call that makes a descriptor, a thread or a socket; SC_ERR_SYSTEM for any other. */
sc_status sc_system_status(int error);

/* Watches `fd` for reading; events carry `what`. Closing `fd` ends the watch. */
SC_NODISCARD sc_status sc_system_watch(int epoll, int fd, void *what);

#endif
