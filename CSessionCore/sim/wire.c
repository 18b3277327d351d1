#include "wire.h"

#include <stdlib.h>

#include "memory.h"

static const uint64_t usual_connect_timeout = 3 * SIM_SECOND;
static const uint64_t first_pause = SIM_SECOND / 4; /* before a message that cannot pass is tried again */
static const uint64_t longest_pause = 2 * SIM_SECOND;
enum { overhead_bytes = 80 };
static const uint32_t no_slot = UINT32_MAX;

struct wire_slot {
  uint32_t generation;
  uint32_t next_free;
  bool used;
  bool arrived;  /* the request */
  bool answered; /* the reply is on its way */
  bool is_error;
  wire_host from, to;
  uint32_t from_life, to_life;
  uint64_t tag;
  uint64_t pause;
  uint64_t ends; /* when it has timed out */
  blob *body;    /* of the request, then of the reply */
  wire_done done;
  void *user;
  char command[wire_command_chars];
};

void wire_init(wire *w, agenda *agenda, uint64_t seed) {
  *w = (wire){.agenda = agenda, .chance = draws_from(seed), .free_slot = no_slot};
}

void wire_free(wire *w) {
  for (size_t i = 0; i < w->slot_count; i++)
    blob_drop(w->slots[i].body);
  free(w->slots);
  free(w->ends);
}

wire_host wire_add(wire *w, wire_handler handle, void *user) {
  w->ends = memory_grow(w->ends, w->end_count, &w->end_capacity, sizeof *w->ends);
  wire_end *end = &w->ends[w->end_count];
  *end = (wire_end){.alive = true, .life = 1, .handle = handle, .user = user};
  link_end_draw(&end->link, &w->chance);
  return (wire_host)w->end_count++;
}

void wire_kill(wire *w, wire_host host) {
  w->ends[host].alive = false;
}

void wire_revive(wire *w, wire_host host) {
  w->ends[host].alive = true;
  w->ends[host].life++;
}

/* Slots */

static wire_call number_of(const wire *w, uint32_t index) {
  return (uint64_t)w->slots[index].generation << 32 | index;
}

static wire_slot *find(wire *w, wire_call call) {
  uint32_t index = (uint32_t)call;
  if (index >= w->slot_count || !w->slots[index].used || w->slots[index].generation != call >> 32)
    return NULL;
  return &w->slots[index];
}

static uint32_t take_slot(wire *w) {
  uint32_t index = w->free_slot;
  if (index == no_slot) {
    w->slots = memory_grow(w->slots, w->slot_count, &w->slot_capacity, sizeof *w->slots);
    index = (uint32_t)w->slot_count++;
    w->slots[index] = (wire_slot){0};
  } else {
    w->free_slot = w->slots[index].next_free;
  }
  w->open++;
  w->most_open = w->open > w->most_open ? w->open : w->most_open;
  return index;
}

static void give_back(wire *w, wire_slot *slot) {
  blob_drop(slot->body);
  slot->body = NULL;
  slot->used = false;
  slot->next_free = w->free_slot;
  w->free_slot = (uint32_t)(slot - w->slots);
  w->open--;
}

static void end_call(wire *w, wire_slot *slot, wire_outcome outcome) {
  const wire_end *from = &w->ends[slot->from];
  wire_done done = slot->done;
  void *user = slot->user;
  blob *body = slot->body;
  bool gone = !from->alive || from->life != slot->from_life;
  bool has_body = !gone && (outcome == WIRE_ANSWERED || outcome == WIRE_FAILED);
  const wire_reply reply = {
      .call = number_of(w, (uint32_t)(slot - w->slots)),
      .outcome = gone ? WIRE_GONE : outcome,
      .body = has_body ? body : NULL,
  };
  slot->body = NULL;
  give_back(w, slot);
  if (done != NULL)
    done(user, &reply);
  blob_drop(body);
}

void wire_kill_all(wire *w) {
  for (size_t i = 0; i < w->end_count; i++)
    w->ends[i].alive = false;
  for (size_t i = 0; i < w->slot_count; i++)
    if (w->slots[i].used)
      end_call(w, &w->slots[i], WIRE_GONE);
}

/* Sending */

static void send_request(void *user, uint64_t call);
static void send_reply(void *user, uint64_t call);

static bool carry(uint64_t *arrival, wire *w, wire_host from, wire_host to, const blob *body) {
  uint64_t bytes = (body == NULL ? 0 : body->len) + overhead_bytes;
  w->bytes += bytes;
  return link_carry(arrival, &w->ends[from].link, &w->ends[to].link, w->agenda->now, bytes, &w->chance);
}

static void try_again(wire *w, wire_slot *slot, wire_call call, agenda_act act) {
  agenda_add(w->agenda, w->agenda->now + slot->pause, act, w, call);
  slot->pause = 2 * slot->pause < longest_pause ? 2 * slot->pause : longest_pause;
}

static void request_arrives(void *user, uint64_t call) {
  wire *w = user;
  wire_slot *slot = find(w, call);
  if (slot == NULL || slot->arrived)
    return;
  const wire_end *to = &w->ends[slot->to];
  if (!to->alive) {
    try_again(w, slot, call, send_request);
    return;
  }
  if (slot->to_life != 0 && slot->to_life != to->life) {
    end_call(w, slot, WIRE_RESET);
    return;
  }
  slot->arrived = true;
  slot->to_life = to->life;
  char command[wire_command_chars];
  memcpy(command, slot->command, sizeof command);
  blob *body = slot->body;
  slot->body = NULL;
  const wire_request request = {
      .call = call, .from = slot->from, .tag = slot->tag, .command = command, .body = body};
  to->handle(to->user, &request);
  blob_drop(body);
}

static void send_request(void *user, uint64_t call) {
  wire *w = user;
  wire_slot *slot = find(w, call);
  if (slot == NULL || slot->arrived)
    return;
  uint64_t arrival;
  if (carry(&arrival, w, slot->from, slot->to, slot->body))
    agenda_add(w->agenda, arrival + w->ends[slot->to].slowness, request_arrives, w, call);
  else
    try_again(w, slot, call, send_request);
}

static void reply_arrives(void *user, uint64_t call) {
  wire *w = user;
  wire_slot *slot = find(w, call);
  if (slot != NULL)
    end_call(w, slot, slot->is_error ? WIRE_FAILED : WIRE_ANSWERED);
}

static void send_reply(void *user, uint64_t call) {
  wire *w = user;
  wire_slot *slot = find(w, call);
  if (slot == NULL)
    return;
  uint64_t arrival;
  if (carry(&arrival, w, slot->to, slot->from, slot->body))
    agenda_add(w->agenda, arrival, reply_arrives, w, call);
  else
    try_again(w, slot, call, send_reply);
}

static void times_out(void *user, uint64_t call) {
  wire *w = user;
  wire_slot *slot = find(w, call);
  if (slot == NULL)
    return;
  if (!slot->arrived)
    end_call(w, slot, WIRE_UNREACHABLE);
  else if (w->agenda->now >= slot->ends)
    end_call(w, slot, WIRE_TIMED_OUT);
  else
    agenda_add(w->agenda, slot->ends, times_out, w, call);
}

wire_call wire_begin_call(wire *w, const wire_call_options *options) {
  uint32_t index = take_slot(w);
  wire_slot *slot = &w->slots[index];
  const wire_end *from = &w->ends[options->from];
  uint64_t connect = options->connect_timeout != 0 ? options->connect_timeout : usual_connect_timeout;
  *slot = (wire_slot){
      .generation = slot->generation + 1,
      .used = true,
      .from = options->from,
      .to = options->to,
      .from_life = from->life,
      .to_life = options->life,
      .tag = options->tag,
      .pause = first_pause,
      .ends = w->agenda->now + options->timeout,
      .body = options->body == NULL ? NULL : blob_share(options->body),
      .done = options->done,
      .user = options->user,
  };
  strncpy(slot->command, options->command, sizeof slot->command - 1);
  wire_call call = number_of(w, index);
  w->calls++;
  agenda_add(w->agenda, w->agenda->now + (connect < options->timeout ? connect : options->timeout), times_out,
             w, call);
  send_request(w, call);
  return call;
}

void wire_forget(wire *w, wire_call call) {
  wire_slot *slot = find(w, call);
  if (slot != NULL)
    give_back(w, slot);
}

void wire_answer_blob(wire *w, wire_call call, bool is_error, blob *body) {
  wire_slot *slot = find(w, call);
  if (slot == NULL || !slot->arrived || slot->answered)
    return;
  const wire_end *to = &w->ends[slot->to];
  if (!to->alive || to->life != slot->to_life)
    return;
  slot->answered = true;
  slot->is_error = is_error;
  slot->body = blob_share(body);
  slot->pause = first_pause;
  send_reply(w, call);
}

void wire_answer(wire *w, wire_call call, bool is_error, sc_bytes body) {
  blob *copy = blob_make(body);
  wire_answer_blob(w, call, is_error, copy);
  blob_drop(copy);
}
