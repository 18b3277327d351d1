/* One turn: wait, run commands, receive, send, and compute the next wake-up.
 *
 * Each part is bounded, so that none can starve the others. The next turn finds the rest: sockets and the
 * command queue stay readable, and a guest with more to send has a deadline in the past. */
#include "loop.h"

#include <sys/epoll.h>

#include "session-core/runtime/clock.h"
#include "system.h"

enum { most_events = 64 };

/* The runtime whose turn this thread is in the middle of. */
static _Thread_local const sc_runtime *turning;

bool sc_loop_is_here(const sc_runtime *runtime) {
  return turning == runtime;
}

/* The source of an event: the queue, the alarm, the link, or the socket whose address it carries. */
static void note_event(sc_runtime *runtime, const struct epoll_event *event, bool *commands) {
  if (event->data.ptr == &runtime->queue) {
    *commands = true;
  } else if (event->data.ptr == &runtime->alarm) {
    sc_alarm_rang(&runtime->alarm);
  } else if (event->data.ptr == &runtime->link) {
    runtime->link_told = true;
  } else {
    sc_guest_socket *socket = event->data.ptr;
    /* An error is a report that reading takes off the socket. */
    socket->readable = (event->events & (EPOLLIN | EPOLLERR)) != 0;
    if ((event->events & EPOLLOUT) != 0)
      sc_guest_wait_for_room(socket, &runtime->io, false);
  }
}

static size_t run_commands(sc_runtime *runtime, uint64_t now) {
  sc_queued_command commands[SC_RUNTIME_COMMANDS_PER_TURN];
  size_t count = sc_command_queue_take(commands, SC_RUNTIME_COMMANDS_PER_TURN, &runtime->queue);
  for (size_t i = 0; i < count; i++)
    commands[i].run(commands[i].user, now);
  runtime->commands_left = count == SC_RUNTIME_COMMANDS_PER_TURN;
  sc_tally_add(&runtime->tally.commands, count);
  return count;
}

bool sc_loop_watch_link(sc_runtime *runtime, void (*changed)(void *user, uint64_t now, bool is_up),
                        void *user) {
  sc_link_watch_open(&runtime->link);
  if (runtime->link.fd >= 0 && sc_system_watch(runtime->epoll, runtime->link.fd, &runtime->link) != SC_OK)
    sc_link_watch_close(&runtime->link);
  runtime->link_changed = changed;
  runtime->link_user = user;
  return sc_link_watch_is_up(&runtime->link);
}

static bool take_link(sc_runtime *runtime, uint64_t now) {
  if (!runtime->link_told)
    return false;
  runtime->link_told = false;
  if (!sc_link_watch_read(&runtime->link))
    return false;
  runtime->link_changed(runtime->link_user, now, sc_link_watch_is_up(&runtime->link));
  return true;
}

/* Lets every guest receive before any sends: what one of them does may concern another. */
static bool serve_guests(sc_runtime *runtime) {
  bool any = false;
  bool received[SC_RUNTIME_MAX_GUESTS] = {false};
  uint64_t now = sc_clock_now();
  size_t count = runtime->guest_count; /* those that come meanwhile wait for the next turn */
  for (size_t i = 0; i < count; i++)
    any |= received[i] = sc_guest_receive(runtime->guests[i], &runtime->io, now);
  now = sc_clock_now();
  for (size_t i = 0; i < count; i++) {
    sc_guest *guest = runtime->guests[i];
    if (guest->gone || (!received[i] && sc_guest_deadline(guest) > now))
      continue;
    sc_guest_send(guest, &runtime->io, now);
    any = true;
  }
  return any;
}

void sc_loop_forget_gone(sc_runtime *runtime) {
  if (!runtime->some_gone)
    return;
  runtime->some_gone = false;
  size_t kept = 0;
  for (size_t i = 0; i < runtime->guest_count; i++) {
    sc_guest *guest = runtime->guests[i];
    if (guest->gone)
      sc_release(runtime->env, guest);
    else
      runtime->guests[kept++] = guest;
  }
  runtime->guest_count = kept;
}

void sc_loop_find_deadline(sc_runtime *runtime) {
  uint64_t earliest = runtime->give_up;
  for (size_t i = 0; i < runtime->guest_count; i++) {
    uint64_t deadline = sc_guest_deadline(runtime->guests[i]);
    earliest = deadline < earliest ? deadline : earliest;
  }
  runtime->deadline = earliest;
}

static void count_turn(sc_runtime *runtime, bool waited, bool did_something) {
  sc_tally_add(&runtime->tally.turns, 1);
  if (waited)
    sc_tally_add(did_something ? &runtime->tally.wakes : &runtime->tally.idle_wakes, 1);
}

void sc_loop_turn(sc_runtime *runtime, bool wait) {
  const sc_runtime *outer = turning;
  turning = runtime;
  struct epoll_event events[most_events];
  int count = epoll_wait(runtime->epoll, events, most_events, wait ? -1 : 0);
  bool commands = false, did_something = false;
  for (int i = 0; i < count; i++)
    note_event(runtime, &events[i], &commands);
  runtime->commands_left = false;
  if (commands)
    did_something = run_commands(runtime, sc_clock_now()) > 0;
  did_something |= take_link(runtime, sc_clock_now());
  did_something |= serve_guests(runtime);
  sc_loop_forget_gone(runtime);
  sc_loop_find_deadline(runtime);
  count_turn(runtime, wait, did_something);
  turning = outer;
}

void sc_loop_set_alarm(sc_runtime *runtime) {
  sc_alarm_set(&runtime->alarm, runtime->deadline);
}

static void run_all_commands(sc_runtime *runtime) {
  do
    sc_loop_turn(runtime, false);
  while (runtime->commands_left);
}

static void ask_to_close(sc_runtime *runtime) {
  const sc_runtime *outer = turning;
  turning = runtime;
  uint64_t now = sc_clock_now();
  for (size_t i = 0; i < runtime->guest_count; i++) {
    sc_guest *guest = runtime->guests[i];
    if (!guest->gone && guest->close != NULL)
      guest->close(guest->user, now);
  }
  sc_loop_forget_gone(runtime);
  turning = outer;
}

static bool all_closed(const sc_runtime *runtime, uint64_t now) {
  for (size_t i = 0; i < runtime->guest_count; i++)
    if (!sc_guest_is_closed(runtime->guests[i], now))
      return false;
  return true;
}

sc_status sc_loop_wind_down(sc_runtime *runtime, uint64_t grace) {
  /* The loop may get here before the thread that stops it has closed the queue; no posts after this. */
  sc_command_queue_close(&runtime->queue);
  run_all_commands(runtime);
  runtime->closing = true;
  ask_to_close(runtime);
  uint64_t now = sc_clock_now();
  runtime->give_up = grace < SC_NEVER - now ? now + grace : SC_NEVER;
  sc_loop_turn(runtime, false);
  while (!all_closed(runtime, now = sc_clock_now())) {
    if (now >= runtime->give_up)
      return SC_ERR_RUNTIME_GRACE;
    sc_loop_set_alarm(runtime);
    sc_loop_turn(runtime, runtime->deadline > now);
  }
  return SC_OK;
}
