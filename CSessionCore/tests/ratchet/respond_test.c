#include "scene.h"

/* Alice has started a session, and Bob found it. */
static sc_status find_start(scene *s, const sc_env *env) {
  sc_status status = scene_start(s, env);
  if (status == SC_OK)
    status = seal_hello(s, s->from_alice);
  if (status == SC_OK)
    status = sc_ratchet_starts(s->starts, &s->start_count, &s->envelope, &s->bob.device);
  return status != SC_OK || s->start_count == 1 ? status : SC_ERR_RATCHET_OTHER;
}

static sc_status open_start_with(scene *s, const sc_ratchet_prekeys *prekeys) {
  sc_ratchet_session *made;
  sc_status status = sc_ratchet_open_start(&s->opened, &made, &s->sender, s->env, &s->envelope, &s->starts[0],
                                           &s->bob.device, prekeys, &s->options);
  sc_ratchet_session_free(made);
  return status;
}

static bool tells_nothing(const scene *s) {
  static const sc_ratchet_certificate no_sender;
  return memcmp(&s->sender, &no_sender, sizeof no_sender) == 0 && s->opened.len == 0;
}

static void only_the_device_it_is_for_finds_a_start(sc_test *t) {
  scene s;
  OK(find_start(&s, t->env));
  CHECK(s.starts[0].generation == 1 && s.starts[0].one_time == 0 && s.starts[0].started_s == now_s);
  OK(sc_ratchet_starts(s.starts, &s.start_count, &s.envelope, &s.alice.device));
  CHECK(s.start_count == 0);
done:
  scene_free(&s);
}

static void short_slots_have_no_starts(sc_test *t) {
  scene s;
  OK(scene_meet(&s, t->env));
  OK(seal_hello(&s, s.from_bob));
  OK(sc_ratchet_starts(s.starts, &s.start_count, &s.envelope, &s.alice.device));
  CHECK(s.start_count == 0);
done:
  scene_free(&s);
}

static void an_ephemeral_key_of_small_order_is_damage(sc_test *t) {
  scene s;
  OK(find_start(&s, t->env));
  memset(s.sealed.ptr + 4, 0, SC_KEY_BYTES);
  OK(parse_sealed(&s));
  FAILS(SC_ERR_RATCHET_DAMAGED, sc_ratchet_starts(s.starts, &s.start_count, &s.envelope, &s.bob.device));
  CHECK(s.start_count == 0);
done:
  scene_free(&s);
}

static void a_start_without_a_one_time_prekey_opens(sc_test *t) {
  scene s;
  OK(scene_start(&s, t->env));
  OK(sc_ratchet_session_start(&s.other, t->env, &s.alice.device, &s.bob.bundle, SC_RATCHET_NO_ONE_TIME,
                              now_s));
  OK(seal_hello(&s, s.other));
  OK(open_first_start(&s));
  SAME(sc_bytes_text(hello), sc_buffer_bytes(&s.opened));
done:
  scene_free(&s);
}

static void starts_whose_prekeys_are_gone_are_lost(sc_test *t) {
  scene s;
  OK(find_start(&s, t->env));
  FAILS(SC_ERR_RATCHET_LOST_START, open_start_with(&s, NULL));
  sc_ratchet_prekeys prekeys = s.bob.prekeys;
  prekeys.generation = 2;
  FAILS(SC_ERR_RATCHET_LOST_START, open_start_with(&s, &prekeys));
  prekeys = s.bob.prekeys;
  sc_ratchet_prekeys_erase(&prekeys, 0);
  FAILS(SC_ERR_RATCHET_LOST_START, open_start_with(&s, &prekeys));
  static const uint16_t beyond[] = {one_time_keys, SC_RATCHET_MAX_ONE_TIME, 65534};
  for (size_t i = 0; i < sizeof beyond / sizeof beyond[0]; i++) {
    s.starts[0].one_time = beyond[i];
    FAILS(SC_ERR_RATCHET_LOST_START, open_start_with(&s, &s.bob.prekeys));
  }
  CHECK(tells_nothing(&s));
done:
  scene_free(&s);
}

static void starts_of_the_future_are_lost(sc_test *t) {
  scene s;
  OK(find_start(&s, t->env));
  s.options.now_s = now_s - 600;
  OK(open_start_with(&s, &s.bob.prekeys));
  s.options.now_s = now_s - 601;
  FAILS(SC_ERR_RATCHET_LOST_START, open_start_with(&s, &s.bob.prekeys));
  s.starts[0].started_s = 0;
  FAILS(SC_ERR_RATCHET_LOST_START, open_start_with(&s, &s.bob.prekeys));
done:
  scene_free(&s);
}

/* A start that is older than a session they have opens, and comes before it. */
static void an_older_start_opens(sc_test *t) {
  scene s;
  OK(scene_meet(&s, t->env));
  OK(sc_ratchet_session_start(&s.other, t->env, &s.alice.device, &s.bob.bundle, 1, now_s - 100));
  sc_ratchet_session *newer = s.from_bob;
  s.from_bob = NULL;
  sc_ratchet_session_free(s.from_alice);
  s.from_alice = newer;
  OK(seal_hello(&s, s.other));
  OK(open_first_start(&s));
  CHECK(sc_ratchet_session_compare(s.from_bob, newer) < 0);
done:
  scene_free(&s);
}

/* Each field of a start, changed after it was unmasked. */
static void any_changed_field_of_a_start_is_damage(sc_test *t) {
  scene s;
  OK(find_start(&s, t->env));
  const sc_ratchet_start genuine = s.starts[0];
  sc_ratchet_start changed[6];
  for (size_t i = 0; i < 6; i++)
    changed[i] = genuine;
  changed[0].started_s--;
  changed[1].one_time = 1;
  changed[2].start_key[5] ^= 1;
  memset(changed[3].start_key, 0, SC_KEY_BYTES);
  changed[4].ciphertext[100] ^= 1;
  changed[5].identity[100] ^= 1;
  for (size_t i = 0; i < 6; i++) {
    s.starts[0] = changed[i];
    FAILS(SC_ERR_RATCHET_DAMAGED, open_start_with(&s, &s.bob.prekeys));
    CHECK(tells_nothing(&s));
  }
  s.starts[0] = genuine;
  OK(open_start_with(&s, &s.bob.prekeys));
done:
  scene_free(&s);
}

/* The start is genuine, and the slot's end is not: it was made without the sender's identity. */
static void a_start_with_a_damaged_message_reveals_nothing(sc_test *t) {
  scene s;
  OK(find_start(&s, t->env));
  const size_t slot = s.starts[0].slot;
  static const size_t places[] = {1286, 1300, 1310, 1366, 1413};
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    *slot_byte(&s, slot, places[i]) ^= 1;
    FAILS(SC_ERR_RATCHET_DAMAGED, open_start_with(&s, &s.bob.prekeys));
    CHECK(tells_nothing(&s));
    *slot_byte(&s, slot, places[i]) ^= 1;
  }
done:
  scene_free(&s);
}

/* Starts a session of a device with Bob whose certificate is not as it should be. */
static sc_status start_as(scene *s, const sc_ratchet_device *device) {
  sc_ratchet_session_free(s->other);
  s->other = NULL;
  sc_status status = sc_ratchet_session_start(&s->other, s->env, device, &s->bob.bundle, 1, now_s);
  if (status == SC_OK)
    status = seal_hello(s, s->other);
  return status;
}

static void starts_with_a_bad_certificate_are_damage(sc_test *t) {
  scene s;
  OK(scene_start(&s, t->env));
  sc_ratchet_device device = s.alice.device;
  device.certificate[135] ^= 1;
  OK(start_as(&s, &device));
  FAILS(SC_ERR_RATCHET_DAMAGED, open_first_start(&s));
  const uint8_t seed[SC_KEY_BYTES] = {9};
  sc_ratchet_device_make(&device, &s.alice.account, seed, now_s + 3601);
  OK(start_as(&s, &device));
  FAILS(SC_ERR_RATCHET_DAMAGED, open_first_start(&s));
  sc_ratchet_device_make(&device, &s.alice.account, seed, now_s + 3600);
  OK(start_as(&s, &device));
  OK(open_first_start(&s));
  /* The certificate of one device, and the keys of another. */
  memcpy(device.certificate, s.alice.device.certificate, sizeof device.certificate);
  OK(start_as(&s, &device));
  FAILS(SC_ERR_RATCHET_DAMAGED, open_first_start(&s));
done:
  scene_free(&s);
}

static void a_device_does_not_start_with_itself(sc_test *t) {
  scene s;
  OK(scene_start(&s, t->env));
  OK(start_as(&s, &s.bob.device));
  FAILS(SC_ERR_RATCHET_DAMAGED, open_first_start(&s));
  CHECK(tells_nothing(&s));
done:
  scene_free(&s);
}

static void a_bad_body_starts_nothing(sc_test *t) {
  scene s;
  OK(scene_start(&s, t->env));
  OK(seal_body(&s, s.from_alice, sc_bytes_text("de")));
  FAILS(SC_ERR_RATCHET_BODY, open_first_start(&s));
  CHECK(s.from_bob == NULL && tells_nothing(&s));
done:
  scene_free(&s);
}

/* The header opened, so the sender did it. */
static void a_first_chain_after_another_is_broken(sc_test *t) {
  scene s;
  OK(scene_start(&s, t->env));
  s.from_alice->state.previous = 1;
  OK(seal_hello(&s, s.from_alice));
  FAILS(SC_ERR_RATCHET_BROKEN, open_first_start(&s));
  SAME(SC_BYTES(s.alice.device.keys.ed.public_key), SC_BYTES(s.sender.device));
  s.from_alice->state.previous = 0;
  s.from_alice->state.sent = 1001;
  OK(seal_hello(&s, s.from_alice));
  FAILS(SC_ERR_RATCHET_BROKEN, open_first_start(&s));
  CHECK(s.from_bob == NULL && s.opened.len == 0);
done:
  scene_free(&s);
}

SUITE(ratchet_respond, "ratchet/respond",
      {"only the device it is for finds a start", only_the_device_it_is_for_finds_a_start},
      {"short slots have no starts", short_slots_have_no_starts},
      {"an ephemeral key of small order is damage", an_ephemeral_key_of_small_order_is_damage},
      {"a start without a one-time prekey opens", a_start_without_a_one_time_prekey_opens},
      {"starts whose prekeys are gone are lost", starts_whose_prekeys_are_gone_are_lost},
      {"starts of the future are lost", starts_of_the_future_are_lost},
      {"an older start opens", an_older_start_opens},
      {"any changed field of a start is damage", any_changed_field_of_a_start_is_damage},
      {"a start with a damaged message reveals nothing", a_start_with_a_damaged_message_reveals_nothing},
      {"starts with a bad certificate are damage", starts_with_a_bad_certificate_are_damage},
      {"a device does not start with itself", a_device_does_not_start_with_itself},
      {"a bad body starts nothing", a_bad_body_starts_nothing},
      {"a first chain after another is broken", a_first_chain_after_another_is_broken});
