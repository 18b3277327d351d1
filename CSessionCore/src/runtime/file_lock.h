/* A lock between processes, based on a file. It is released when its process ends. */
#ifndef SC_SRC_RUNTIME_FILE_LOCK_H
#define SC_SRC_RUNTIME_FILE_LOCK_H

#include "session-core/base/status.h"

/* Never waits. SC_ERR_RUNTIME_BUSY if the lock is taken, SC_ERR_SYSTEM. */
SC_NODISCARD sc_status sc_file_lock_take(int *out, const char *path);
void sc_file_lock_release(int lock);

#endif
