/* The queue of commands for the runtime's thread: a bounded ring with a mutex, and an eventfd.
 *
 * The eventfd is readable exactly while commands wait (or the queue was woken), so one write serves any
 * number of commands. Any thread may post and close; only one takes. */
#ifndef SC_RUNTIME_COMMAND_QUEUE_H
#define SC_RUNTIME_COMMAND_QUEUE_H

#include <pthread.h>
#include <stdbool.h>

#include "session-core/runtime/loop.h"

typedef struct sc_queued_command {
  sc_command run;
  void *user;
} sc_queued_command;

typedef struct sc_command_queue {
  pthread_mutex_t mutex;
  sc_queued_command *ring; /* SC_RUNTIME_MAX_COMMANDS of them */
  size_t first;
  size_t count;
  bool closed;
  bool signalled; /* the eventfd is readable */
  int event;
} sc_command_queue;

/* SC_ERR_NO_MEMORY, SC_ERR_SYSTEM_LIMIT; the queue does not move afterwards. */
SC_NODISCARD sc_status sc_command_queue_init(sc_command_queue *queue, const sc_env *env);

/* The queue must be empty. */
void sc_command_queue_finish(sc_command_queue *queue, const sc_env *env);

/* Posts a command. SC_ERR_RUNTIME_STOPPED if closed, SC_ERR_RUNTIME_BUSY if full. */
SC_NODISCARD sc_status sc_command_queue_post(sc_command_queue *queue, sc_command run, void *user);

/* Refuses posts from now on, and wakes the thread that waits for the eventfd. */
void sc_command_queue_close(sc_command_queue *queue);

/* Takes up to `capacity` commands in the order they were posted; the eventfd stays readable while any are
 * left. */
size_t sc_command_queue_take(sc_queued_command *out, size_t capacity, sc_command_queue *queue);

#endif
