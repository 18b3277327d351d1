#include "command_queue.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "system.h"

sc_status sc_command_queue_init(sc_command_queue *queue, const sc_env *env) {
  int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (event < 0)
    return sc_system_status(errno);
  sc_queued_command *ring = sc_allocate(env, SC_RUNTIME_MAX_COMMANDS * sizeof *ring);
  if (ring == NULL) {
    close(event);
    return SC_ERR_NO_MEMORY;
  }
  *queue = (sc_command_queue){.ring = ring, .event = event};
  pthread_mutex_init(&queue->mutex, NULL); /* cannot fail on Linux with default attributes */
  return SC_OK;
}

void sc_command_queue_finish(sc_command_queue *queue, const sc_env *env) {
  pthread_mutex_destroy(&queue->mutex);
  close(queue->event);
  sc_release(env, queue->ring);
}

/* Reading or writing under the mutex keeps the eventfd and `signalled` the same at all times. Neither call
 * can fail: the counter is 0 or 1. */
static void set_signal(sc_command_queue *queue, bool on) {
  if (queue->signalled == on)
    return;
  queue->signalled = on;
  uint64_t value = 1;
  ssize_t moved = on ? write(queue->event, &value, sizeof value) : read(queue->event, &value, sizeof value);
  (void)moved;
}

sc_status sc_command_queue_post(sc_command_queue *queue, sc_command run, void *user) {
  sc_status status = SC_OK;
  pthread_mutex_lock(&queue->mutex);
  if (queue->closed) {
    status = SC_ERR_RUNTIME_STOPPED;
  } else if (queue->count == SC_RUNTIME_MAX_COMMANDS) {
    status = SC_ERR_RUNTIME_BUSY;
  } else {
    size_t at = (queue->first + queue->count++) % SC_RUNTIME_MAX_COMMANDS;
    queue->ring[at] = (sc_queued_command){.run = run, .user = user};
    set_signal(queue, true);
  }
  pthread_mutex_unlock(&queue->mutex);
  return status;
}

void sc_command_queue_close(sc_command_queue *queue) {
  pthread_mutex_lock(&queue->mutex);
  queue->closed = true;
  set_signal(queue, true);
  pthread_mutex_unlock(&queue->mutex);
}

size_t sc_command_queue_take(sc_queued_command *out, size_t capacity, sc_command_queue *queue) {
  pthread_mutex_lock(&queue->mutex);
  size_t taken = queue->count < capacity ? queue->count : capacity;
  for (size_t i = 0; i < taken; i++)
    out[i] = queue->ring[(queue->first + i) % SC_RUNTIME_MAX_COMMANDS];
  queue->first = (queue->first + taken) % SC_RUNTIME_MAX_COMMANDS;
  queue->count -= taken;
  if (queue->count == 0)
    set_signal(queue, false);
  pthread_mutex_unlock(&queue->mutex);
  return taken;
}
