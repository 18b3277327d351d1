#include "history.h"

#include <stdarg.h>
#include <stdio.h>

#include "receiving.h"

enum {
  first_s = 1800000000,
  most_of_account = 4,
  loss_percent = 5,
  double_percent = 5,
  one_time_keys = 4,
  settling_rounds = 4
};

void history_fail(history *h, const char *format, ...) {
  if (h->flaw[0] != '\0')
    return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(h->flaw, sizeof h->flaw, format, arguments);
  va_end(arguments);
}

static unsigned below(history *h, unsigned bound) {
  h->state = h->state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)((h->state >> 33) % bound);
}

static bool by_chance(history *h, unsigned percent) {
  return below(h, 100) < percent;
}

/* A call that cannot fail in a history. */
static void must(history *h, sc_status status, const char *what) {
  if (status != SC_OK)
    history_fail(h, "%s: %s", what, sc_status_text(status));
}

static void publish(history *h, device *d) {
  sc_ratchet_public_prekeys prekeys;
  sc_ratchet_prekeys_public(&prekeys, &d->prekeys);
  const sc_ratchet_bundle bundle = {
      .sequence = 1,
      .signed_s = first_s,
      .generation = d->prekeys.generation,
      .capabilities = SC_RATCHET_RECEIVES,
      .signed_prekey = SC_BYTES(prekeys.signed_prekey),
      .kem_key = SC_BYTES(prekeys.kem_key),
      .one_time = sc_bytes_make(prekeys.one_time, prekeys.one_time_bytes),
      .roster = SC_BYTES(d->keys.keys.ed.public_key),
  };
  must(h, sc_ratchet_bundle_write(&d->published, &bundle, &d->keys, &h->accounts[d->account]), "publishing");
}

static void add_device(history *h, size_t account) {
  device *d = &h->devices[h->device_count++];
  uint8_t seed[SC_KEY_BYTES];
  memset(d, 0, sizeof *d);
  sc_random(&h->env.env, seed, sizeof seed);
  d->account = account;
  d->last_start_s = first_s;
  sc_ratchet_device_make(&d->keys, &h->accounts[account], seed, first_s);
  sc_ratchet_prekeys_generate(&d->prekeys, &h->env.env, 1, one_time_keys);
  sc_buffer_init(&d->published, &h->env.env);
  publish(h, d);
}

static void begin(history *h, uint64_t seed) {
  const bool planted = h->planted;
  memset(h, 0, sizeof *h);
  h->planted = planted;
  h->state = seed * 2654435761u + 1;
  sc_test_env_init(&h->env, seed);
  h->now_s = first_s + 1;
  for (size_t account = 0; account < 2; account++) {
    uint8_t account_seed[SC_SEED_BYTES];
    sc_random(&h->env.env, account_seed, sizeof account_seed);
    sc_account_from_seed(&h->accounts[account], account_seed);
    for (unsigned devices = 1 + below(h, most_of_account); devices > 0; devices--)
      add_device(h, account);
  }
  h->victim = h->device_count;
  uses_begin();
}

static void end(history *h) {
  theft_end(h);
  for (size_t i = 0; i < h->device_count; i++) {
    for (size_t s = 0; s < h->devices[i].session_count; s++)
      sc_ratchet_session_free(h->devices[i].sessions[s].session);
    sc_buffer_free(&h->devices[i].published);
  }
  for (unsigned i = 0; i < h->sent; i++)
    sc_buffer_free(&h->messages[i]);
}

static held_session *start(history *h, device *from, size_t peer) {
  const device *to = &h->devices[peer];
  sc_ratchet_bundle bundle;
  sc_ratchet_session *session = NULL;
  if (from->session_count == most_sessions)
    return NULL;
  must(h,
       sc_ratchet_bundle_open(&bundle, &h->env.env, sc_buffer_bytes(&to->published),
                              &h->accounts[to->account].id, h->now_s),
       "opening a bundle");
  from->last_start_s = from->last_start_s >= h->now_s ? from->last_start_s + 1 : h->now_s;
  must(h,
       sc_ratchet_session_start(&session, &h->env.env, &from->keys, &bundle,
                                sc_ratchet_bundle_pick(&bundle, &h->env.env), from->last_start_s),
       "starting a session");
  if (session == NULL)
    return NULL;
  h->sums.started++;
  held_session *held = &from->sessions[from->session_count++];
  *held = (held_session){.peer = peer, .session = session};
  return held;
}

/* The newest confirmed session with a device, or the newest. */
static held_session *choose(device *from, size_t peer) {
  held_session *best = NULL;
  for (size_t i = 0; i < from->session_count; i++) {
    held_session *held = &from->sessions[i];
    if (held->peer != peer || !sc_ratchet_session_can_send(held->session))
      continue;
    bool newer = best == NULL || sc_ratchet_session_compare(held->session, best->session) > 0;
    if (best == NULL || (held->confirmed && !best->confirmed) ||
        (held->confirmed == best->confirmed && newer))
      best = held;
  }
  return best;
}

static void put_on_its_way(history *h, delivery d) {
  if (!h->settles && by_chance(h, loss_percent)) {
    h->sums.lost++;
    return;
  }
  unsigned copies = by_chance(h, double_percent) ? 2 : 1;
  h->sums.doubled += copies - 1;
  for (; copies > 0 && h->count < most_under_way; copies--)
    h->under_way[h->count++] = d;
}

/* One message for all other devices of an account. */
static void send(history *h, size_t from, size_t account) {
  sc_ratchet_session *sessions[most_of_account];
  held_session *held[most_of_account];
  size_t count = 0;
  if (h->sent == most_messages)
    return;
  for (size_t peer = 0; peer < h->device_count; peer++) {
    if (peer == from || h->devices[peer].account != account)
      continue;
    held[count] = choose(&h->devices[from], peer);
    if (held[count] == NULL)
      held[count] = start(h, &h->devices[from], peer);
    if (held[count] == NULL)
      return;
    sessions[count] = held[count]->session;
    count++;
  }
  if (count == 0)
    return;
  unsigned number = h->sent++;
  char body[32];
  snprintf(body, sizeof body, "d1:c5:%05ue", number);
  sc_buffer *message = &h->messages[number];
  sc_buffer_init(message, &h->env.env);
  must(h, sc_ratchet_seal(message, &h->env.env, sessions, count, sc_bytes_text(body), NULL), "sealing");
  h->sums.sealed++;
  for (size_t i = 0; i < count; i++)
    put_on_its_way(h, (delivery){from, held[i]->peer, number, held[i]->half_trips, sc_buffer_bytes(message)});
}

static void check_opened(history *h, device *reader, held_session *used, const delivery *d,
                         const sc_buffer *body) {
  char expected[32];
  snprintf(expected, sizeof expected, "d1:c5:%05ue", d->number);
  if (!sc_bytes_same(sc_buffer_bytes(body), sc_bytes_text(expected)))
    history_fail(h, "message %u opens to something else", d->number);
  if (reader->was_opened[d->number])
    history_fail(h, "message %u was opened twice", d->number);
  if (used->peer != d->from)
    history_fail(h, "message %u came in a session with another device", d->number);
  reader->was_opened[d->number] = !h->planted;
  if (used->half_trips <= d->half_trips)
    used->half_trips = d->half_trips + 1;
  h->sums.opened++;
}

static void deliver(history *h, size_t at) {
  delivery d = h->under_way[at];
  h->under_way[at] = h->under_way[--h->count];
  device *reader = &h->devices[d.to];
  const bool was_opened = reader->was_opened[d.number];
  sc_ratchet_envelope envelope;
  sc_buffer body;
  held_session *used;
  sc_buffer_init(&body, &h->env.env);
  must(h, sc_ratchet_envelope_parse(&envelope, d.message), "parsing a message");
  theft_see(h, &d, &envelope);
  sc_status status = receive(h, reader, &used, &body, &envelope, was_opened, &d);
  if (status == SC_OK)
    check_opened(h, reader, used, &d, &body);
  else if (!was_opened)
    history_fail(h, "message %u does not open: %s", d.number, sc_status_text(status));
  sc_buffer_free(&body);
}

static void restart(history *h, device *d) {
  for (size_t i = 0; i < d->session_count && h->flaw[0] == '\0'; i++)
    reload(h, &d->sessions[i]);
}

static size_t other_device(history *h, size_t than) {
  size_t found = below(h, (unsigned)h->device_count - 1);
  return found >= than ? found + 1 : found;
}

static void step(history *h) {
  size_t acting = below(h, (unsigned)h->device_count);
  unsigned choice = below(h, 100);
  h->now_s += below(h, 3);
  if (choice < 40 || (choice < 90 && h->count == 0))
    send(h, acting, below(h, 4) == 0 ? h->devices[acting].account : 1 - h->devices[acting].account);
  else if (choice < 90)
    deliver(h, below(h, (unsigned)h->count));
  else if (choice < 94)
    (void)start(h, &h->devices[acting], other_device(h, acting));
  else
    restart(h, &h->devices[acting]);
}

/* Both sides of each pair of devices that have heard each other write in the same session. */
static void check_choices(history *h) {
  for (size_t a = 0; a < h->device_count; a++)
    for (size_t b = 0; b < a; b++) {
      const held_session *of_a = choose(&h->devices[a], b), *of_b = choose(&h->devices[b], a);
      if (of_a == NULL || of_b == NULL || !of_a->confirmed || !of_b->confirmed)
        continue;
      if (memcmp(sc_ratchet_session_start_key(of_a->session), sc_ratchet_session_start_key(of_b->session),
                 SC_KEY_BYTES) != 0)
        history_fail(h, "devices %zu and %zu chose different sessions", a, b);
    }
}

/* Nothing is lost any more: everybody writes to everybody until all have heard all. */
static void settle(history *h) {
  h->settles = true;
  for (int round = 0; round <= settling_rounds && h->flaw[0] == '\0'; round++) {
    while (h->count > 0 && h->flaw[0] == '\0')
      deliver(h, h->count - 1);
    for (size_t from = 0; from < h->device_count && round < settling_rounds; from++)
      for (size_t account = 0; account < 2; account++)
        send(h, from, account);
  }
}

bool history_run(history *h, uint64_t seed, unsigned steps, history_sums *sums) {
  begin(h, seed);
  unsigned theft_at = steps / 4 + below(h, steps / 2 + 1);
  for (unsigned i = 0; i < steps && h->flaw[0] == '\0'; i++) {
    if (i == theft_at)
      theft_begin(h, below(h, (unsigned)h->device_count));
    step(h);
  }
  settle(h);
  check_choices(h);
  if (uses_repeat())
    history_fail(h, "a key was used twice with one nonce");
  sums->sealed += h->sums.sealed;
  sums->opened += h->sums.opened;
  sums->started += h->sums.started;
  sums->lost += h->sums.lost;
  sums->doubled += h->sums.doubled;
  sums->stolen += h->sums.stolen;
  sums->closed += h->sums.closed;
  sums->keys += uses_count();
  end(h);
  return h->flaw[0] == '\0';
}
