/* The runtime: a loop that drives sans-IO things (network/driven.h) over UDP sockets, on one thread.
 *
 * It runs on a thread of its own (sc_runtime_start), or is stepped by the program, which may wait for
 * sc_runtime_descriptor() in a loop of its own. All that the runtime drives lives on that thread: other
 * threads reach it by posting commands. Before sc_runtime_start, and after sc_runtime_stop, the program's own
 * thread takes its place.
 *
 * Any thread: sc_runtime_post, sc_runtime_read_counts; sc_runtime_stop from any but the runtime's own. The
 * environment's functions run on the threads of callers and on the runtime's. */
#ifndef SC_RUNTIME_LOOP_H
#define SC_RUNTIME_LOOP_H

#include <stdbool.h>
#include <stddef.h>

#include "../base/api.h"
#include "../base/env.h"
#include "counts.h"

SC_API_BEGIN

/* Commands that wait to be run; those that one turn runs before sockets and deadlines have theirs. */
#define SC_RUNTIME_MAX_COMMANDS 4096
#define SC_RUNTIME_COMMANDS_PER_TURN 64
/* Things that are driven, and sockets of one. */
#define SC_RUNTIME_MAX_GUESTS 256
#define SC_GUEST_MAX_SOCKETS 4
/* Messages read from one socket in a turn. Each is a datagram, or up to 64 KiB of them where the system joins
 * what arrives together; more of those would leave the processor's cache before they are looked at. */
#define SC_RUNTIME_MESSAGES_PER_TURN 8
/* Times one guest may fill the outbox in a turn. */
#define SC_RUNTIME_SENDS_PER_TURN 12

typedef struct sc_runtime sc_runtime;

typedef struct sc_runtime_options {
  bool no_segmentation; /* send datagrams one by one, for networks that dislike bursts */
  bool no_coalescing;   /* receive datagrams one by one */
  int receive_buffer;   /* bytes asked of the system for each socket; 0: 4 MiB */
  int send_buffer;      /* 0: 1 MiB; of both the system gives what its own limits allow */
} sc_runtime_options;

/* `options` may be NULL. SC_ERR_NO_MEMORY; SC_ERR_SYSTEM_LIMIT when the process has too many open files. */
SC_API SC_NODISCARD sc_status sc_runtime_new(sc_runtime **out, const sc_env *env,
                                             const sc_runtime_options *options);

/* Stops without grace if that was not done (commands that wait are run), and frees guests that are left. NULL
 * is allowed. Never on the runtime's own thread. */
SC_API void sc_runtime_free(sc_runtime *runtime);

/* Gives the runtime a thread of its own, which takes no signals. SC_ERR_STATE when it has one or was stopped;
 * SC_ERR_SYSTEM_LIMIT when the system has no thread to give. */
SC_API SC_NODISCARD sc_status sc_runtime_start(sc_runtime *runtime);

/* One turn on the caller's thread: runs commands, receives, does what is due, sends. With `wait` it first
 * waits until there is something to do. SC_ERR_STATE when the runtime has a thread of its own or was stopped,
 * and inside a turn. */
SC_API SC_NODISCARD sc_status sc_runtime_step(sc_runtime *runtime, bool wait);

/* A descriptor that is readable when a step has something to do. The runtime owns it. What calls between two
 * steps change about guests it learns at the next step: make one without waiting after such calls. */
SC_API int sc_runtime_descriptor(const sc_runtime *runtime);

/* Runs once, inside a turn of the runtime; `now` is that turn's time. */
typedef void (*sc_command)(void *user, uint64_t now);

/* Has `command` run on the runtime's thread, after those posted before. When it fails, it will not run:
 * SC_ERR_RUNTIME_BUSY when SC_RUNTIME_MAX_COMMANDS wait, SC_ERR_RUNTIME_STOPPED once stopping has begun. */
SC_API SC_NODISCARD sc_status sc_runtime_post(sc_runtime *runtime, sc_command command, void *user);

/* Ends the runtime: refuses further commands, runs those that wait, has every guest close, and turns on until
 * all have closed or `grace` nanoseconds are over. When it returns, the thread has ended.
 * SC_ERR_RUNTIME_GRACE when a guest had not closed by then; it is stopped all the same.
 * SC_ERR_RUNTIME_THREAD, and nothing happens, on the runtime's own thread or inside a step. Later calls
 * return what the first did. A runtime that is stepped is stopped by the thread that steps it. */
SC_API SC_NODISCARD sc_status sc_runtime_stop(sc_runtime *runtime, uint64_t grace);

/* What was done so far. While the runtime turns, the numbers may be of slightly different moments. */
SC_API void sc_runtime_read_counts(sc_runtime_counts *out, const sc_runtime *runtime);

SC_API_END

#endif
