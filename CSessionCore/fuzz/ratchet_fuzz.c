/* Two devices write to each other over a network that obeys the input: each byte sends a message, starts
 * another session, or loses, delays, repeats, changes, mixes or delivers what is under way.
 *
 * Under every network, a device reads only messages of the other device, each once; it never mistakes an
 * attack for a broken session; a call that fails changes no session; and a message that was left alone is
 * always read. */
#include "sealed.h"

enum {
  most_under_way = 12,
  most_steps = 40,
  most_starts = 3, /* of each device */
  most_sessions = 2 * most_starts,
  most_messages = 256,
  now_s = 1800000000,
  head_bytes = 68,
  short_slot_bytes = 132,
  long_slot_bytes = 1414,
};

typedef struct party {
  sc_account account;
  sc_ratchet_device device;
  sc_ratchet_prekeys prekeys;
  sc_buffer published;
  sc_buffer states[most_sessions]; /* saved after each use */
  sc_buffer skipped[most_sessions];
  bool confirmed[most_sessions];
  size_t session_count;
  size_t starts;
  bool was_opened[most_messages]; /* by number */
} party;

typedef struct delivery {
  bool to_bob;
  uint8_t number; /* in the body */
  bool changed;
  sc_buffer message;
} delivery;

typedef struct world {
  party alice;
  party bob;
  delivery under_way[most_under_way];
  size_t count;
  unsigned sent;
} world;

/* Differs with each draw, and is the same in each run. */
static void counted_random(void *user, uint8_t *out, size_t len) {
  static uint64_t state;
  if (user != NULL && out == NULL) {
    state = 0;
    return;
  }
  for (size_t i = 0; i < len; i++) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    out[i] = (uint8_t)(state >> 33);
  }
}

static const sc_env *counted_env(void) {
  static sc_env env;
  env = *sc_env_default();
  env.random = counted_random;
  return &env;
}

static void publish(party *p) {
  sc_ratchet_public_prekeys prekeys;
  sc_ratchet_prekeys_public(&prekeys, &p->prekeys);
  const sc_ratchet_bundle bundle = {
      .sequence = 1,
      .signed_s = now_s,
      .generation = 1,
      .capabilities = SC_RATCHET_RECEIVES,
      .signed_prekey = SC_BYTES(prekeys.signed_prekey),
      .kem_key = SC_BYTES(prekeys.kem_key),
      .one_time = sc_bytes_make(prekeys.one_time, prekeys.one_time_bytes),
      .roster = SC_BYTES(p->device.keys.ed.public_key),
  };
  REQUIRE(sc_ratchet_bundle_write(&p->published, &bundle, &p->device, &p->account) == SC_OK);
}

static void party_init(party *out, uint8_t number) {
  const uint8_t account_seed[SC_SEED_BYTES] = {number}, device_seed[SC_KEY_BYTES] = {number};
  memset(out, 0, sizeof *out);
  sc_account_from_seed(&out->account, account_seed);
  sc_ratchet_device_make(&out->device, &out->account, device_seed, now_s);
  sc_ratchet_prekeys_generate(&out->prekeys, counted_env(), 1, 1);
  publish(out);
}

static void party_forget(party *p) {
  for (size_t i = 0; i < p->session_count; i++) {
    sc_buffer_free(&p->states[i]);
    sc_buffer_free(&p->skipped[i]);
  }
  p->session_count = 0;
  p->starts = 0;
  memset(p->confirmed, 0, sizeof p->confirmed);
  memset(p->was_opened, 0, sizeof p->was_opened);
}

static sc_ratchet_session *load(const party *p, size_t i) {
  sc_ratchet_session *session;
  const sc_ratchet_skipped *skipped = (const sc_ratchet_skipped *)(const void *)p->skipped[i].ptr;
  REQUIRE(sc_ratchet_session_load(&session, counted_env(), sc_buffer_bytes(&p->states[i]), skipped,
                                  p->skipped[i].len / sizeof *skipped) == SC_OK);
  return session;
}

static void save(party *p, size_t i, const sc_ratchet_session *session) {
  size_t count;
  const sc_ratchet_skipped *skipped = sc_ratchet_session_skipped(session, &count);
  REQUIRE(sc_ratchet_session_save(&p->states[i], session) == SC_OK);
  sc_buffer_clear(&p->skipped[i]);
  REQUIRE(sc_buffer_append(&p->skipped[i], sc_bytes_make(skipped, count * sizeof *skipped)) == SC_OK);
}

/* True if the session is as it was saved. */
static bool is_as_saved(const party *p, size_t i, const sc_ratchet_session *session) {
  sc_buffer state = {0};
  size_t count;
  const sc_ratchet_skipped *skipped = sc_ratchet_session_skipped(session, &count);
  REQUIRE(sc_ratchet_session_save(&state, session) == SC_OK);
  bool same = sc_bytes_same(sc_buffer_bytes(&state), sc_buffer_bytes(&p->states[i])) &&
              sc_bytes_same(sc_bytes_make(skipped, count * sizeof *skipped), sc_buffer_bytes(&p->skipped[i]));
  sc_buffer_free(&state);
  return same;
}

static bool start(party *from, const party *to) {
  sc_ratchet_bundle bundle;
  sc_ratchet_session *session;
  if (from->starts == most_starts)
    return false;
  REQUIRE(sc_ratchet_bundle_open(&bundle, counted_env(), sc_buffer_bytes(&to->published), &to->account.id,
                                 now_s) == SC_OK);
  REQUIRE(sc_ratchet_session_start(&session, counted_env(), &from->device, &bundle,
                                   sc_ratchet_bundle_pick(&bundle, counted_env()),
                                   (uint32_t)(now_s + from->starts)) == SC_OK);
  from->starts++;
  save(from, from->session_count++, session);
  sc_ratchet_session_free(session);
  return true;
}

/* The newest confirmed session, or the newest. */
static size_t choose(const party *p) {
  sc_ratchet_session *best = NULL;
  size_t chosen = SIZE_MAX;
  for (size_t i = 0; i < p->session_count; i++) {
    sc_ratchet_session *session = load(p, i);
    bool is_better =
        best == NULL || (p->confirmed[i] && !p->confirmed[chosen]) ||
        (p->confirmed[i] == p->confirmed[chosen] && sc_ratchet_session_compare(session, best) > 0);
    if (sc_ratchet_session_can_send(session) && is_better) {
      sc_ratchet_session_free(best);
      best = session;
      chosen = i;
    } else {
      sc_ratchet_session_free(session);
    }
  }
  sc_ratchet_session_free(best);
  return chosen;
}

static void send(world *w, bool to_bob) {
  party *from = to_bob ? &w->alice : &w->bob;
  size_t chosen = choose(from);
  if (w->count == most_under_way || w->sent == most_messages)
    return;
  if (chosen == SIZE_MAX) {
    REQUIRE(start(from, to_bob ? &w->bob : &w->alice));
    chosen = from->session_count - 1;
  }
  delivery *d = &w->under_way[w->count++];
  *d = (delivery){.to_bob = to_bob, .number = (uint8_t)w->sent++};
  uint8_t body[] = {'d', '1', ':', 'c', '1', ':', d->number, 'e'};
  sc_ratchet_session *session = load(from, chosen);
  REQUIRE(sc_ratchet_seal(&d->message, counted_env(), &session, 1, SC_BYTES(body), NULL) == SC_OK);
  save(from, chosen, session);
  sc_ratchet_session_free(session);
}

static void check_body(party *reader, const delivery *d, const sc_buffer *body) {
  REQUIRE(body->len == 8 && body->ptr[6] == d->number);
  REQUIRE(!reader->was_opened[d->number]);
  reader->was_opened[d->number] = true;
}

/* Opens with a session of which the message has the tag; SC_ERR_RATCHET_OTHER if there is none. */
static sc_status open_with_sessions(party *reader, const delivery *d, const sc_ratchet_envelope *envelope,
                                    const sc_ratchet_open_options *options) {
  sc_ratchet_session *sessions[most_sessions];
  sc_buffer body = {0};
  size_t index;
  for (size_t i = 0; i < reader->session_count; i++)
    sessions[i] = load(reader, i);
  sc_status status =
      sc_ratchet_open(&body, &index, counted_env(), envelope, sessions, reader->session_count, options);
  for (size_t i = 0; i < reader->session_count; i++) {
    if (status == SC_OK && i == index) {
      check_body(reader, d, &body);
      reader->confirmed[i] = sc_ratchet_session_is_initiator(sessions[i]) || !envelope->has_starts;
      save(reader, i, sessions[i]);
    } else {
      REQUIRE(is_as_saved(reader, i, sessions[i]));
    }
    sc_ratchet_session_free(sessions[i]);
  }
  REQUIRE(status == SC_OK || body.len == 0);
  sc_buffer_free(&body);
  return status;
}

/* The index of the session that the start began; SIZE_MAX if it is not there. */
static size_t session_of(const party *reader, const sc_ratchet_start *start) {
  size_t found = SIZE_MAX;
  for (size_t i = 0; i < reader->session_count && found == SIZE_MAX; i++) {
    sc_ratchet_session *session = load(reader, i);
    if (memcmp(sc_ratchet_session_start_key(session), start->start_key, SC_KEY_BYTES) == 0)
      found = i;
    sc_ratchet_session_free(session);
  }
  return found;
}

/* A start that was repeated, by a device that has not heard an answer. */
static sc_status open_again(party *reader, const delivery *d, const sc_ratchet_envelope *envelope,
                            size_t slot, size_t i, const sc_ratchet_open_options *options) {
  sc_buffer body = {0};
  sc_ratchet_session *session = load(reader, i);
  sc_status status = sc_ratchet_open_slot(&body, counted_env(), envelope, slot, session, options);
  if (status == SC_OK) {
    check_body(reader, d, &body);
    save(reader, i, session);
  } else {
    REQUIRE(is_as_saved(reader, i, session) && body.len == 0);
  }
  sc_ratchet_session_free(session);
  sc_buffer_free(&body);
  return status;
}

static sc_status open_start(party *reader, const party *writer, const delivery *d,
                            const sc_ratchet_envelope *envelope, const sc_ratchet_start *start,
                            const sc_ratchet_open_options *options) {
  sc_ratchet_session *session;
  sc_ratchet_certificate sender;
  sc_buffer body = {0};
  const size_t held = session_of(reader, start);
  if (held != SIZE_MAX)
    return open_again(reader, d, envelope, start->slot, held, options);
  sc_status status = sc_ratchet_open_start(&body, &session, &sender, counted_env(), envelope, start,
                                           &reader->device, &reader->prekeys, options);
  REQUIRE((status == SC_OK) == (session != NULL) && (status == SC_OK || body.len == 0));
  if (status == SC_OK) {
    REQUIRE(memcmp(sender.device, writer->device.keys.ed.public_key, SC_KEY_BYTES) == 0);
    REQUIRE(memcmp(sc_ratchet_session_peer(session), &writer->account.id, SC_ID_BYTES) == 0);
    REQUIRE(reader->session_count < most_sessions);
    check_body(reader, d, &body);
    save(reader, reader->session_count++, session);
    sc_ratchet_session_free(session);
  }
  sc_buffer_free(&body);
  return status;
}

static sc_status open_starts(party *reader, const party *writer, const delivery *d,
                             const sc_ratchet_envelope *envelope, const sc_ratchet_open_options *options) {
  sc_ratchet_start starts[SC_RATCHET_MAX_SLOTS];
  size_t count;
  sc_status status = sc_ratchet_starts(starts, &count, envelope, &reader->device);
  if (status == SC_OK)
    status = SC_ERR_RATCHET_OTHER;
  for (size_t i = 0; i < count && status != SC_OK; i++)
    status = open_start(reader, writer, d, envelope, &starts[i], options);
  return status;
}

static void deliver(world *w, size_t at) {
  const delivery *d = &w->under_way[at];
  party *reader = d->to_bob ? &w->bob : &w->alice;
  const party *writer = d->to_bob ? &w->alice : &w->bob;
  sc_ratchet_envelope envelope;
  const bool was_opened = reader->was_opened[d->number];
  const sc_ratchet_open_options options = {.now_s = now_s + most_starts, .was_opened = was_opened};
  sc_status status = sc_ratchet_envelope_parse(&envelope, sc_buffer_bytes(&d->message));
  REQUIRE(d->changed || status == SC_OK);
  if (status != SC_OK)
    return;
  status = open_with_sessions(reader, d, &envelope, &options);
  if (status == SC_ERR_RATCHET_OTHER || status == SC_ERR_RATCHET_DAMAGED)
    status = open_starts(reader, writer, d, &envelope, &options);
  REQUIRE(status != SC_ERR_RATCHET_BROKEN);
  REQUIRE(was_opened ? status != SC_OK : d->changed || status == SC_OK);
}

static void lose(world *w, size_t at) {
  sc_buffer_free(&w->under_way[at].message);
  w->under_way[at] = w->under_way[--w->count];
}

static void repeat(world *w, size_t at) {
  if (w->count == most_under_way)
    return;
  delivery *copy = &w->under_way[w->count++];
  *copy = w->under_way[at];
  copy->message = (sc_buffer){0};
  REQUIRE(sc_buffer_append(&copy->message, sc_buffer_bytes(&w->under_way[at].message)) == SC_OK);
}

static void delay(world *w, size_t at) {
  delivery first = w->under_way[at];
  w->under_way[at] = w->under_way[w->count - 1];
  w->under_way[w->count - 1] = first;
}

/* Puts a slot of one message into another. */
static void mix(world *w, size_t at, sc_bytes *input) {
  delivery *to = &w->under_way[at];
  const delivery *from = &w->under_way[fuzz_take_byte(input) % w->count];
  size_t slots = fuzz_take_byte(input);
  bool is_long = to->message.len > 4 && from->message.len > 4 && to->message.ptr[2] == 2;
  size_t size = is_long ? long_slot_bytes : short_slot_bytes;
  if (to->message.len < head_bytes + 4 * size || from->message.len < head_bytes + 4 * size || to == from)
    return;
  memcpy(to->message.ptr + head_bytes + (slots % 4) * size,
         from->message.ptr + head_bytes + (slots / 4 % 4) * size, size);
  to->changed = true;
}

static void step(world *w, sc_bytes *input) {
  uint8_t choice = fuzz_take_byte(input);
  if (w->count == 0 || choice % 9 == 0) {
    send(w, choice >= 0x80);
    return;
  }
  size_t at = choice / 9 % w->count;
  switch (choice % 9) {
  case 1:
    lose(w, at);
    break;
  case 2:
    delay(w, at);
    break;
  case 3:
    repeat(w, at);
    break;
  case 4:
    w->under_way[at].changed |= fuzz_change(&w->under_way[at].message, fuzz_take(input, 4));
    break;
  case 5:
    mix(w, at, input);
    break;
  case 6:
    (void)(choice >= 0x80 ? start(&w->alice, &w->bob) : start(&w->bob, &w->alice));
    break;
  default:
    deliver(w, at);
    break;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static world w;
  static bool ready;
  sc_bytes input = sc_bytes_make(data, size);
  counted_random(&w, NULL, 0);
  if (!ready) {
    party_init(&w.alice, 1);
    party_init(&w.bob, 2);
    ready = true;
  }
  w.sent = 0;
  for (int i = 0; i < most_steps && input.len > 0; i++)
    step(&w, &input);
  /* In the end everything that is still under way arrives. */
  while (w.count > 0) {
    deliver(&w, w.count - 1);
    lose(&w, w.count - 1);
  }
  party_forget(&w.alice);
  party_forget(&w.bob);
  return 0;
}
