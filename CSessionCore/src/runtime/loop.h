/* The state of a runtime between turns. */
#ifndef SC_RUNTIME_LOOP_INSIDE_H
#define SC_RUNTIME_LOOP_INSIDE_H

#include <pthread.h>
#include <stdatomic.h>

#include "alarm.h"
#include "command_queue.h"
#include "hosting.h"
#include "link_watch.h"
#include "session-core/runtime/loop.h"

typedef enum sc_runtime_phase {
  SC_PHASE_STEPPED, /* the program's thread runs turns */
  SC_PHASE_THREADED,
  SC_PHASE_STOPPED,
} sc_runtime_phase;

struct sc_runtime {
  const sc_env *env;
  sc_runtime_options options;
  int epoll;
  sc_command_queue queue;
  sc_alarm alarm;
  sc_io io;
  sc_tally tally;

  /* For the thread that runs turns. */
  sc_guest *guests[SC_RUNTIME_MAX_GUESTS];
  size_t guest_count;
  uint64_t deadline; /* earliest deadline of the guests, after the last turn */
  uint64_t give_up;  /* the end of the grace period; SC_NEVER before stopping */
  bool some_gone;
  bool commands_left; /* the last turn reached its limit of commands */
  bool closing;
  sc_link_watch link;
  bool link_told;                                             /* by the kernel, in this turn … */
  void (*link_changed)(void *user, uint64_t now, bool is_up); /* … for others; NULL for none */
  void *link_user;

  /* For the threads that start and stop the runtime. */
  pthread_mutex_t life;
  _Atomic sc_runtime_phase phase;
  pthread_t thread;
  atomic_bool stop_wanted;
  uint64_t grace;
  sc_status stop_result;
};

/* Runs one turn on the calling thread, waiting for work first if requested. */
void sc_loop_turn(sc_runtime *runtime, bool wait);

/* Recomputes the earliest deadline, as guests may have been called since the last turn. */
void sc_loop_find_deadline(sc_runtime *runtime);

/* Releases guests that were freed; outside of a turn. */
void sc_loop_forget_gone(sc_runtime *runtime);

/* Sets the alarm for the next turn, after a turn. */
void sc_loop_set_alarm(sc_runtime *runtime);

/* Has `changed` called in a turn when this machine has another link to other networks, or none any more; once
 * for a runtime, before it starts. Returns if there is a link. */
bool sc_loop_watch_link(sc_runtime *runtime, void (*changed)(void *user, uint64_t now, bool is_up),
                        void *user);

/* True if the calling thread is inside a turn of the runtime. */
bool sc_loop_is_here(const sc_runtime *runtime);

/* Runs waiting commands, closes all guests, and continues until they are closed or the grace period has
 * passed. */
sc_status sc_loop_wind_down(sc_runtime *runtime, uint64_t grace);

#endif
