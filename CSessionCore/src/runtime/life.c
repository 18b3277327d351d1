#define _GNU_SOURCE /* pthread_setname_np */

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "loop.h"
#include "session-core/runtime/clock.h"
#include "system.h"

static sc_status assemble(sc_runtime *r) {
  r->epoll = epoll_create1(EPOLL_CLOEXEC);
  if (r->epoll < 0)
    return sc_system_status(errno);
  sc_status status = sc_command_queue_init(&r->queue, r->env);
  if (status != SC_OK)
    goto close_epoll;
  status = sc_alarm_init(&r->alarm);
  if (status != SC_OK)
    goto finish_queue;
  status = sc_io_init(&r->io, r->env, r->epoll, !r->options.no_coalescing, &r->tally);
  if (status != SC_OK)
    goto finish_alarm;
  status = sc_system_watch(r->epoll, r->queue.event, &r->queue);
  if (status == SC_OK)
    status = sc_system_watch(r->epoll, r->alarm.fd, &r->alarm);
  if (status == SC_OK)
    return SC_OK;
  sc_io_finish(&r->io);
finish_alarm:
  sc_alarm_finish(&r->alarm);
finish_queue:
  sc_command_queue_finish(&r->queue, r->env);
close_epoll:
  close(r->epoll);
  return status;
}

static void disassemble(sc_runtime *r) {
  sc_link_watch_close(&r->link);
  sc_io_finish(&r->io);
  sc_alarm_finish(&r->alarm);
  sc_command_queue_finish(&r->queue, r->env);
  close(r->epoll);
}

sc_status sc_runtime_new(sc_runtime **out, const sc_env *env, const sc_runtime_options *options) {
  *out = NULL;
  sc_runtime *r = sc_allocate(env, sizeof *r);
  if (r == NULL)
    return SC_ERR_NO_MEMORY;
  memset(r, 0, sizeof *r);
  r->env = env;
  if (options != NULL)
    r->options = *options;
  r->deadline = SC_NEVER;
  r->give_up = SC_NEVER;
  r->link.fd = -1;
  sc_status status = assemble(r);
  if (status != SC_OK) {
    sc_release(env, r);
    return status;
  }
  pthread_mutex_init(&r->life, NULL); /* cannot fail on Linux with default attributes */
  *out = r;
  return SC_OK;
}

void sc_runtime_free(sc_runtime *runtime) {
  if (runtime == NULL)
    return;
  sc_status status = sc_runtime_stop(runtime, 0);
  (void)status; /* guests that did not close in time are freed here anyway */
  while (runtime->guest_count > 0)
    sc_guest_free(runtime->guests[runtime->guest_count - 1]);
  disassemble(runtime);
  pthread_mutex_destroy(&runtime->life);
  sc_release(runtime->env, runtime);
}

static void *run(void *user) {
  sc_runtime *runtime = user;
  sc_loop_find_deadline(runtime);
  pthread_setname_np(pthread_self(), "sc-runtime");
  while (!atomic_load(&runtime->stop_wanted)) {
    bool due = runtime->deadline <= sc_clock_now();
    if (!due)
      sc_loop_set_alarm(runtime);
    sc_loop_turn(runtime, !due);
  }
  runtime->stop_result = sc_loop_wind_down(runtime, runtime->grace);
  return NULL;
}

/* Signals are for the program's own threads. */
static int create_thread(sc_runtime *runtime) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = pthread_create(&runtime->thread, NULL, run, runtime);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return error;
}

sc_status sc_runtime_start(sc_runtime *runtime) {
  if (sc_loop_is_here(runtime))
    return SC_ERR_STATE;
  sc_status status = SC_ERR_STATE;
  pthread_mutex_lock(&runtime->life);
  if (atomic_load(&runtime->phase) == SC_PHASE_STEPPED) {
    int error = create_thread(runtime);
    status = error == 0 ? SC_OK : sc_system_status(error);
    if (status == SC_OK)
      atomic_store(&runtime->phase, SC_PHASE_THREADED);
  }
  pthread_mutex_unlock(&runtime->life);
  return status;
}

sc_status sc_runtime_step(sc_runtime *runtime, bool wait) {
  if (atomic_load(&runtime->phase) != SC_PHASE_STEPPED || sc_loop_is_here(runtime))
    return SC_ERR_STATE;
  /* Calls into a guest since the last turn may have changed when it is due. */
  sc_loop_find_deadline(runtime);
  sc_loop_set_alarm(runtime);
  sc_loop_turn(runtime, wait);
  sc_loop_set_alarm(runtime);
  return SC_OK;
}

int sc_runtime_descriptor(const sc_runtime *runtime) {
  return runtime->epoll;
}

sc_status sc_runtime_post(sc_runtime *runtime, sc_command command, void *user) {
  return sc_command_queue_post(&runtime->queue, command, user);
}

static void stop(sc_runtime *runtime, uint64_t grace) {
  runtime->grace = grace;
  atomic_store(&runtime->stop_wanted, true);
  sc_command_queue_close(&runtime->queue); /* which wakes the thread, to find that it shall stop */
  if (atomic_load(&runtime->phase) == SC_PHASE_THREADED)
    pthread_join(runtime->thread, NULL);
  else
    runtime->stop_result = sc_loop_wind_down(runtime, grace);
  atomic_store(&runtime->phase, SC_PHASE_STOPPED);
}

sc_status sc_runtime_stop(sc_runtime *runtime, uint64_t grace) {
  if (sc_loop_is_here(runtime))
    return SC_ERR_RUNTIME_THREAD;
  pthread_mutex_lock(&runtime->life);
  if (atomic_load(&runtime->phase) != SC_PHASE_STOPPED)
    stop(runtime, grace);
  sc_status result = runtime->stop_result;
  pthread_mutex_unlock(&runtime->life);
  return result;
}

void sc_runtime_read_counts(sc_runtime_counts *out, const sc_runtime *runtime) {
  sc_tally_read(out, &runtime->tally);
}
