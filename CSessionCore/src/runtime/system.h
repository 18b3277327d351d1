/* System calls used in more than one place, and their errors as a status. */
#ifndef SC_RUNTIME_SYSTEM_H
#define SC_RUNTIME_SYSTEM_H

#include "session-core/base/status.h"

/* For an errno of a call that makes a descriptor, a thread or a socket; SC_ERR_SYSTEM for what has no name.
 */
sc_status sc_system_status(int error);

/* Has the epoll report when `fd` can be read, as an event about `what`. Closing `fd` ends it. */
SC_NODISCARD sc_status sc_system_watch(int epoll, int fd, void *what);

#endif
