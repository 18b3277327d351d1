/* The runtime: a loop that drives sans-IO endpoints (network/driven.h) over UDP sockets, on one thread.
 *
 * It runs on its own thread (sc_runtime_start), or is stepped by the program, which may wait for
 * sc_runtime_descriptor() in its own loop. Everything it drives belongs to that thread: other threads post
 * commands to it. Before sc_runtime_start and after sc_runtime_stop, the program's thread takes its place.
 *
 * Any thread: sc_runtime_post, sc_runtime_read_counts, and, except for the runtime's own thread,
 * sc_runtime_stop. The environment's functions run on the threads of callers and on the runtime's thread. */
#ifndef SC_RUNTIME_LOOP_H
#define SC_RUNTIME_LOOP_H

#include <stdbool.h>
#include <stddef.h>

#include "../base/api.h"
#include "../base/env.h"
#include "counts.h"

SC_API_BEGIN

/* Waiting commands, and those that one turn runs before it serves sockets and deadlines. */
#define SC_RUNTIME_MAX_COMMANDS 4096
#define SC_RUNTIME_COMMANDS_PER_TURN 64
/* Guests, and sockets of one guest. */
#define SC_RUNTIME_MAX_GUESTS 256
#define SC_GUEST_MAX_SOCKETS 4
/* Messages read from one socket in a turn. Each is a datagram, or up to 64 KiB of joined ones; more would be
 * evicted from the processor's cache before they are processed. */
#define SC_RUNTIME_MESSAGES_PER_TURN 8
/* The number of times that one guest may fill the outbox in a turn. */
#define SC_RUNTIME_SENDS_PER_TURN 12

typedef struct sc_runtime sc_runtime;

typedef struct sc_runtime_options {
  bool no_segmentation; /* send datagrams one by one, for networks that handle bursts badly */
  bool no_coalescing;   /* receive datagrams one by one */
  int receive_buffer;   /* size requested for each socket; 0: 4 MiB */
  int send_buffer;      /* 0: 1 MiB; the system may grant less */
} sc_runtime_options;

/* Creates a runtime. `options` may be NULL. SC_ERR_NO_MEMORY; SC_ERR_SYSTEM_LIMIT if the process has too
 * many open files. */
SC_API SC_NODISCARD sc_status sc_runtime_new(sc_runtime **out, const sc_env *env,
                                             const sc_runtime_options *options);

/* Stops without a grace period unless stopped (waiting commands still run), and frees remaining guests. NULL
 * is allowed. Never on the runtime's own thread. */
SC_API void sc_runtime_free(sc_runtime *runtime);

/* Gives the runtime its own thread, which receives no signals. SC_ERR_STATE if it has one or was stopped;
 * SC_ERR_SYSTEM_LIMIT if the system has no more threads. */
SC_API SC_NODISCARD sc_status sc_runtime_start(sc_runtime *runtime);

/* Runs one turn on the caller's thread: commands, receiving, due work, sending. With `wait` it first waits
 * for work. SC_ERR_STATE if the runtime has its own thread or was stopped, and inside a turn. */
SC_API SC_NODISCARD sc_status sc_runtime_step(sc_runtime *runtime, bool wait);

/* Returns a descriptor that is readable when a step has work. The runtime owns it. Changes to guests between
 * two steps take effect at the next step: after such calls make a step without waiting. */
SC_API int sc_runtime_descriptor(const sc_runtime *runtime);

/* Runs once, during a turn of the runtime; `now` is the time of the turn. */
typedef void (*sc_command)(void *user, uint64_t now);

/* Queues `command` to run on the runtime's thread, after those posted before. After a failure it will not
 * run: SC_ERR_RUNTIME_BUSY if SC_RUNTIME_MAX_COMMANDS are waiting, SC_ERR_RUNTIME_STOPPED after stopping has
 * begun. */
SC_API SC_NODISCARD sc_status sc_runtime_post(sc_runtime *runtime, sc_command command, void *user);

/* Stops the runtime: refuses further commands, runs the waiting ones, closes every guest, and continues
 * until all are closed or `grace` nanoseconds have passed. The thread has ended when it returns.
 * SC_ERR_RUNTIME_GRACE if a guest was not closed by then; the runtime is stopped anyway.
 * SC_ERR_RUNTIME_THREAD, without effect, on the runtime's own thread or inside a step. Later calls return
 * the first result. A stepped runtime is stopped by the thread that steps it. */
SC_API SC_NODISCARD sc_status sc_runtime_stop(sc_runtime *runtime, uint64_t grace);

/* Reads the counters. While the runtime is active, they may be from slightly different moments. */
SC_API void sc_runtime_read_counts(sc_runtime_counts *out, const sc_runtime *runtime);

SC_API_END

#endif
