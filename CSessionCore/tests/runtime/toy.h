/* A driven object controlled by the test: it can echo, send on its own, and have deadlines. */
#ifndef SC_TESTS_TOY_H
#define SC_TESTS_TOY_H

#include <pthread.h>

#include "loopback.h"

enum { toy_queue_bytes = 1 << 20, toy_queue_runs = 512 };

/* A counter that other threads can wait for. */
typedef struct toy_latch {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  uint64_t value;
} toy_latch;

#define TOY_LATCH                                                                                            \
  { .mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER }

static inline void toy_latch_add(toy_latch *latch, uint64_t n) {
  pthread_mutex_lock(&latch->mutex);
  latch->value += n;
  pthread_cond_broadcast(&latch->changed);
  pthread_mutex_unlock(&latch->mutex);
}

/* Waits, up to the time limit, until the counter is at least `n`. */
static inline bool toy_latch_wait(toy_latch *latch, uint64_t n) {
  struct timespec until;
  timespec_get(&until, TIME_UTC);
  until.tv_sec += loopback_patience_ms / 1000;
  int error = 0;
  pthread_mutex_lock(&latch->mutex);
  while (latch->value < n && error == 0)
    error = pthread_cond_timedwait(&latch->changed, &latch->mutex, &until);
  bool reached = latch->value >= n;
  pthread_mutex_unlock(&latch->mutex);
  return reached;
}

typedef struct toy {
  bool echo;         /* sends back what it receives */
  uint64_t deadline; /* its deadline; it becomes SC_NEVER when reached */
  uint64_t endless;  /* if not 0, it always has a run of one byte to send, to `endless_peer` */
  sc_address endless_peer;
  void (*on_receive)(void *user);
  void *user;

  toy_latch received; /* datagrams */
  uint64_t received_bytes;
  sc_datagrams last;
  uint64_t due;   /* times it was called at or after its deadline */
  uint64_t sends; /* times it was called */
  uint64_t closes;
  bool closed;

  sc_datagrams runs[toy_queue_runs];
  size_t first_run;
  size_t run_count;
  uint8_t bytes[toy_queue_bytes];
  size_t len;
} toy;

/* Queues a run for sending; a run that does not fit is dropped. */
static inline void toy_queue(toy *self, const sc_datagrams *run) {
  if (self->first_run == self->run_count) {
    self->first_run = self->run_count = 0;
    self->len = 0;
  }
  if (self->run_count == toy_queue_runs || toy_queue_bytes - self->len < run->bytes.len)
    return;
  if (run->bytes.len > 0)
    memcpy(self->bytes + self->len, run->bytes.ptr, run->bytes.len);
  sc_datagrams *queued = &self->runs[self->run_count++];
  *queued = *run;
  queued->bytes = sc_bytes_make(self->bytes + self->len, run->bytes.len);
  self->len += run->bytes.len;
}

static inline void toy_receive(void *user, uint64_t now, const sc_datagrams *runs, size_t count) {
  (void)now;
  toy *self = user;
  uint64_t datagrams = 0;
  for (size_t i = 0; i < count; i++) {
    const sc_datagrams *run = &runs[i];
    datagrams += run->segment == 0 ? 1 : (run->bytes.len + run->segment - 1) / run->segment;
    self->received_bytes += run->bytes.len;
    self->last = *run;
    if (self->echo)
      toy_queue(self, run);
  }
  if (self->on_receive != NULL)
    self->on_receive(self->user);
  toy_latch_add(&self->received, datagrams);
}

static inline void toy_put(sc_outbox *out, const sc_datagrams *run) {
  uint8_t *at = out->bytes + out->len;
  memcpy(at, run->bytes.ptr, run->bytes.len);
  out->runs[out->run_count] = *run;
  out->runs[out->run_count++].bytes = sc_bytes_make(at, run->bytes.len);
  out->len += run->bytes.len;
}

static inline void toy_send(void *user, uint64_t now, sc_outbox *out) {
  toy *self = user;
  self->sends++;
  if (self->deadline <= now) {
    self->due++;
    self->deadline = SC_NEVER;
  }
  sc_outbox_clear(out);
  for (; self->first_run < self->run_count && out->run_count < out->run_capacity; self->first_run++) {
    const sc_datagrams *run = &self->runs[self->first_run];
    if (out->capacity - out->len < run->bytes.len)
      break;
    toy_put(out, run);
  }
  if (self->endless > 0 && out->run_count < out->run_capacity) {
    self->endless--;
    const sc_datagrams run = loopback_run(&self->endless_peer, (const uint8_t *)"!", 1, 1);
    toy_put(out, &run);
  }
}

static inline uint64_t toy_deadline(const void *user) {
  const toy *self = user;
  return self->first_run < self->run_count || self->endless > 0 ? 0 : self->deadline;
}

static inline void toy_close(void *user, uint64_t now) {
  (void)now;
  ((toy *)user)->closes++;
}

static inline bool toy_closed(const void *user) {
  return ((const toy *)user)->closed;
}

static inline sc_driven toy_driven(toy *self) {
  static const sc_driven_methods methods = {toy_receive, toy_send, toy_deadline};
  return (sc_driven){.self = self, .methods = &methods};
}

/* A toy is large, so tests share these; each test begins with clean ones. */
static inline toy *toy_fresh(size_t which) {
  static toy toys[3];
  toy *self = &toys[which];
  *self = (toy){.received = TOY_LATCH, .deadline = SC_NEVER, .closed = true};
  return self;
}

/* A guest with one socket at an address. */
SC_NODISCARD static inline sc_status toy_host(sc_guest **out, sc_runtime *runtime, toy *self,
                                              sc_address address) {
  const sc_guest_options options = {
      .driven = toy_driven(self),
      .addresses = &address,
      .address_count = 1,
      .dual = true,
      .close = toy_close,
      .closed = toy_closed,
      .user = self,
  };
  return sc_guest_new(out, runtime, &options);
}

/* The address of a guest's first socket. */
static inline sc_address toy_address(const sc_guest *guest) {
  sc_address address = {0};
  if (sc_guest_address(&address, guest, 0) != SC_OK)
    address.family = SC_ADDRESS_NONE;
  return address;
}

/* Makes the toy send `len` zeros to a guest, as a run. */
static inline void toy_send_to(toy *self, const sc_guest *to, size_t len, uint16_t segment) {
  static const uint8_t zeros[SC_RUN_MAX_BYTES];
  sc_address peer = toy_address(to);
  const sc_datagrams run = loopback_run(&peer, zeros, len, segment);
  toy_queue(self, &run);
}

/* Steps, waiting for each turn but the first, until the toy has received that much. */
static inline bool toy_step_until(sc_runtime *runtime, const toy *self, uint64_t datagrams) {
  while (sc_runtime_step(runtime, false) == SC_OK && self->received.value < datagrams)
    if (!loopback_readable(sc_runtime_descriptor(runtime)))
      return false;
  return self->received.value == datagrams;
}

static inline sc_runtime_counts toy_counts(const sc_runtime *runtime) {
  sc_runtime_counts counts;
  sc_runtime_read_counts(&counts, runtime);
  return counts;
}

#endif
