#include "ratchet/payload.h"
#include "scene.h"

/* The state that a failed opening must not change. */
typedef struct snapshot {
  sc_ratchet_state state;
  size_t skipped;
} snapshot;

static snapshot snapshot_of(const sc_ratchet_session *session) {
  return (snapshot){session->state, session->skipped.len};
}

static bool is_as_in(const sc_ratchet_session *session, const snapshot *before) {
  return memcmp(&session->state, &before->state, sizeof before->state) == 0 &&
         session->skipped.len == before->skipped;
}

static void messages_for_others_are_not_opened(sc_test *t) {
  scene s;
  OK(scene_meet(&s, t->env));
  OK(sc_ratchet_session_start(&s.other, t->env, &s.alice.device, &s.bob.bundle, 1, now_s + 1));
  OK(seal_hello(&s, s.from_alice));
  FAILS(SC_ERR_RATCHET_OTHER, open_sealed(&s, s.other));
  FAILS(SC_ERR_RATCHET_OTHER, open_sealed(&s, s.from_alice));
  CHECK(s.opened.len == 0);
done:
  scene_free(&s);
}

static void a_slot_that_only_has_the_tag_is_damaged(sc_test *t) {
  uint8_t message[SC_RATCHET_MIN_MESSAGE_BYTES], tag_key[SC_RATCHET_TAG_KEY_BYTES];
  scene s;
  OK(scene_meet(&s, t->env));
  sc_random(t->env, message, sizeof message);
  memcpy(message, "\x00\xd1\x01\x04", 4);
  sc_ratchet_tag_key(tag_key, s.from_bob->state.header_r);
  sc_ratchet_tag(message + 68 + 132, tag_key, message + 4);
  OK(sc_ratchet_envelope_parse(&s.envelope, SC_BYTES(message)));
  const snapshot before = snapshot_of(s.from_bob);
  FAILS(SC_ERR_RATCHET_DAMAGED, open_sealed(&s, s.from_bob));
  CHECK(is_as_in(s.from_bob, &before));
done:
  scene_free(&s);
}

/* The parts of a message, and what a change of one of their bytes comes to. */
static bool is_expected(size_t at, size_t slot, sc_status status) {
  const size_t slots_end = 68 + 4 * 132;
  if (at < 4)
    return status == SC_ERR_RATCHET_FORMAT || status == SC_ERR_RATCHET_OTHER ||
           status == SC_ERR_RATCHET_DAMAGED;
  if (at < 36)
    return status == SC_ERR_RATCHET_OTHER;
  if (at < 68 || at >= slots_end)
    return status == SC_ERR_RATCHET_DAMAGED;
  if ((at - 68) / 132 != slot)
    return status == SC_OK;
  return status == ((at - 68) % 132 < 4 ? SC_ERR_RATCHET_OTHER : SC_ERR_RATCHET_DAMAGED);
}

static void any_changed_byte_of_head_slot_or_payload_is_noticed(sc_test *t) {
  scene s;
  sc_buffer state;
  sc_buffer_init(&state, t->env);
  OK(scene_meet(&s, t->env));
  OK(seal_hello(&s, s.from_alice));
  OK(sc_ratchet_session_save(&state, s.from_bob));
  const size_t slot = slot_of(&s, s.from_bob), step = t->torture ? 200 : 1;
  for (size_t at = 0; at < s.sealed.len; at += step) {
    OK(sc_ratchet_session_load(&s.other, t->env, sc_buffer_bytes(&state), NULL, 0));
    const snapshot before = snapshot_of(s.other);
    s.sealed.ptr[at] ^= 0x10;
    sc_status status = parse_sealed(&s);
    if (status == SC_OK)
      status = open_sealed(&s, s.other);
    FAILS(status == SC_ERR_NO_MEMORY ? SC_OK : status, status);
    CHECK(is_expected(at, slot, status));
    CHECK(status == SC_OK || is_as_in(s.other, &before));
    s.sealed.ptr[at] ^= 0x10;
    sc_ratchet_session_free(s.other);
    s.other = NULL;
  }
done:
  sc_buffer_free(&state);
  scene_free(&s);
}

static void a_message_is_opened_once(sc_test *t) {
  scene s;
  OK(scene_meet(&s, t->env));
  OK(seal_hello(&s, s.from_alice));
  OK(open_sealed(&s, s.from_bob));
  SAME(sc_bytes_text(hello), sc_buffer_bytes(&s.opened));
  const snapshot before = snapshot_of(s.from_bob);
  s.options.was_opened = true;
  FAILS(SC_ERR_RATCHET_DUPLICATE, open_sealed(&s, s.from_bob));
  CHECK(is_as_in(s.from_bob, &before) && s.opened.len == 0);
done:
  scene_free(&s);
}

/* If a node alters a message that was opened, the reader must not mistake it for a device that was rolled
 * back. */
static void an_opened_message_that_was_altered_is_a_duplicate(sc_test *t) {
  scene s;
  OK(scene_meet(&s, t->env));
  OK(seal_hello(&s, s.from_alice));
  const size_t slot = slot_of(&s, s.from_bob);
  CHECK(slot < 4);
  OK(open_sealed(&s, s.from_bob));
  s.options.was_opened = true;
  *slot_byte(&s, (slot + 1) % 4, 20) ^= 1;
  FAILS(SC_ERR_RATCHET_DUPLICATE, open_sealed(&s, s.from_bob));
  *slot_byte(&s, slot, 131) ^= 1;
  FAILS(SC_ERR_RATCHET_DUPLICATE, open_sealed(&s, s.from_bob));
  *slot_byte(&s, slot, 30) ^= 1;
  FAILS(SC_ERR_RATCHET_DAMAGED, open_sealed(&s, s.from_bob));
done:
  scene_free(&s);
}

static void a_peer_that_was_rolled_back_is_broken(sc_test *t) {
  scene s;
  OK(scene_meet(&s, t->env));
  const sc_ratchet_state old = s.from_alice->state;
  OK(seal_hello(&s, s.from_alice));
  OK(open_sealed(&s, s.from_bob));
  s.from_alice->state = old;
  OK(seal_hello(&s, s.from_alice));
  const snapshot before = snapshot_of(s.from_bob);
  FAILS(SC_ERR_RATCHET_BROKEN, open_sealed(&s, s.from_bob));
  CHECK(is_as_in(s.from_bob, &before));
done:
  scene_free(&s);
}

static void a_gap_of_a_thousand_is_bridged(sc_test *t) {
  scene s;
  size_t count;
  OK(scene_meet(&s, t->env));
  send_nothing(s.from_alice, 1000);
  OK(seal_hello(&s, s.from_alice));
  OK(open_sealed(&s, s.from_bob));
  (void)sc_ratchet_session_added(s.from_bob, &count);
  CHECK(count == 1000);
done:
  scene_free(&s);
}

static void a_longer_gap_is_broken(sc_test *t) {
  scene s;
  OK(scene_meet(&s, t->env));
  send_nothing(s.from_alice, 1001);
  OK(seal_hello(&s, s.from_alice));
  const snapshot before = snapshot_of(s.from_bob);
  FAILS(SC_ERR_RATCHET_BROKEN, open_sealed(&s, s.from_bob));
  CHECK(is_as_in(s.from_bob, &before));
done:
  scene_free(&s);
}

static void a_gap_in_the_previous_chain_counts_too(sc_test *t) {
  scene s;
  OK(scene_meet(&s, t->env));
  s.from_alice->state.previous = 1 + 1000;
  OK(seal_hello(&s, s.from_alice));
  OK(open_sealed(&s, s.from_bob));
  OK(seal_hello(&s, s.from_bob));
  OK(open_sealed(&s, s.from_alice));
  s.from_alice->state.previous = 1 + 1001;
  OK(seal_hello(&s, s.from_alice));
  const snapshot before = snapshot_of(s.from_bob);
  FAILS(SC_ERR_RATCHET_BROKEN, open_sealed(&s, s.from_bob));
  CHECK(is_as_in(s.from_bob, &before));
done:
  scene_free(&s);
}

static void the_largest_numbers_are_broken(sc_test *t) {
  scene s;
  OK(scene_meet(&s, t->env));
  const sc_ratchet_state old = s.from_alice->state;
  s.from_alice->state.previous = UINT32_MAX;
  OK(seal_hello(&s, s.from_alice));
  FAILS(SC_ERR_RATCHET_BROKEN, open_sealed(&s, s.from_bob));
  s.from_alice->state = old;
  OK(seal_hello(&s, s.from_alice));
  OK(open_sealed(&s, s.from_bob));
  s.from_bob->state.received = UINT32_MAX - 5;
  s.from_alice->state.sent = SC_RATCHET_MAX_CHAIN - 1;
  OK(seal_hello(&s, s.from_alice));
  FAILS(SC_ERR_RATCHET_BROKEN, open_sealed(&s, s.from_bob));
done:
  scene_free(&s);
}

static void another_ratchet_key_in_one_chain_is_broken(sc_test *t) {
  scene s;
  OK(scene_meet(&s, t->env));
  OK(seal_hello(&s, s.from_alice));
  OK(open_sealed(&s, s.from_bob));
  s.from_alice->own_key[0] ^= 1;
  OK(seal_hello(&s, s.from_alice));
  const snapshot before = snapshot_of(s.from_bob);
  FAILS(SC_ERR_RATCHET_BROKEN, open_sealed(&s, s.from_bob));
  CHECK(is_as_in(s.from_bob, &before));
done:
  scene_free(&s);
}

static void a_ratchet_key_of_small_order_changes_nothing(sc_test *t) {
  scene s;
  OK(scene_meet(&s, t->env));
  memset(s.from_alice->own_key, 0, SC_KEY_BYTES);
  s.from_alice->has_own_key = true;
  OK(seal_hello(&s, s.from_alice));
  const snapshot before = snapshot_of(s.from_bob);
  FAILS(SC_ERR_RATCHET_DAMAGED, open_sealed(&s, s.from_bob));
  CHECK(is_as_in(s.from_bob, &before));
done:
  scene_free(&s);
}

static void a_skipped_key_is_used_once(sc_test *t) {
  scene s;
  sc_buffer late;
  sc_buffer_init(&late, t->env);
  OK(scene_meet(&s, t->env));
  OK(seal_hello(&s, s.from_alice));
  OK(sc_buffer_append(&late, sc_buffer_bytes(&s.sealed)));
  OK(seal_hello(&s, s.from_alice)); /* lost, so that a key of the chain stays */
  OK(seal_hello(&s, s.from_alice));
  OK(open_sealed(&s, s.from_bob));
  OK(seal_hello(&s, s.from_bob));
  OK(open_sealed(&s, s.from_alice));
  OK(seal_hello(&s, s.from_alice));
  OK(open_sealed(&s, s.from_bob));
  OK(sc_ratchet_envelope_parse(&s.envelope, sc_buffer_bytes(&late)));
  OK(open_sealed(&s, s.from_bob));
  FAILS(SC_ERR_RATCHET_BROKEN, open_sealed(&s, s.from_bob));
  s.options.was_opened = true;
  FAILS(SC_ERR_RATCHET_DUPLICATE, open_sealed(&s, s.from_bob));
done:
  sc_buffer_free(&late);
  scene_free(&s);
}

static void of_two_slots_with_the_tag_one_opens(sc_test *t) {
  scene s;
  OK(scene_meet(&s, t->env));
  OK(seal_hello(&s, s.from_alice));
  const size_t slot = slot_of(&s, s.from_bob);
  CHECK(slot < 4);
  for (size_t i = 0; i < 4; i++)
    memcpy(slot_byte(&s, i, 0), slot_byte(&s, slot, 0), 4);
  OK(open_sealed(&s, s.from_bob));
done:
  scene_free(&s);
}

/* A slot is bound to its payload: on another message it is damage, and never a broken session. */
static void a_slot_of_another_message_is_damaged(sc_test *t) {
  uint8_t slot_bytes[132];
  scene s;
  OK(scene_meet(&s, t->env));
  OK(seal_hello(&s, s.from_alice));
  const size_t first = slot_of(&s, s.from_bob);
  CHECK(first < 4);
  memcpy(slot_bytes, slot_byte(&s, first, 0), sizeof slot_bytes);
  OK(open_sealed(&s, s.from_bob));
  OK(seal_hello(&s, s.from_alice));
  const size_t second = slot_of(&s, s.from_bob);
  CHECK(second < 4);
  memcpy(slot_byte(&s, second, 4), slot_bytes + 4, sizeof slot_bytes - 4);
  FAILS(SC_ERR_RATCHET_DAMAGED, open_sealed(&s, s.from_bob));
done:
  scene_free(&s);
}

static void a_bad_body_changes_nothing(sc_test *t) {
  static uint8_t large[76020] = "d1:c76001:";
  large[10 + 76001] = 'e';
  const sc_bytes bodies[] = {sc_bytes_text(""), sc_bytes_text("de"), sc_bytes_text("hello"),
                             sc_bytes_make(large, 10 + 76001 + 1)};
  scene s;
  OK(scene_meet(&s, t->env));
  const snapshot before = snapshot_of(s.from_bob);
  for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
    OK(seal_body(&s, s.from_alice, bodies[i]));
    FAILS(SC_ERR_RATCHET_BODY, open_sealed(&s, s.from_bob));
    CHECK(is_as_in(s.from_bob, &before) && s.opened.len == 0);
  }
done:
  scene_free(&s);
}

static void a_key_that_the_message_does_not_commit_to_is_refused(sc_test *t) {
  static const uint8_t key[SC_KEY_BYTES] = {1};
  scene s;
  OK(scene_meet(&s, t->env));
  OK(seal_hello(&s, s.from_alice));
  FAILS(SC_ERR_RATCHET_DAMAGED, sc_ratchet_payload_open(&s.opened, &s.envelope, key));
done:
  scene_free(&s);
}

static void the_session_that_broke_is_named(sc_test *t) {
  scene s;
  size_t index = 0;
  OK(scene_meet(&s, t->env));
  OK(sc_ratchet_session_start(&s.other, t->env, &s.alice.device, &s.bob.bundle, 1, now_s + 1));
  sc_ratchet_session *const sessions[] = {s.other, s.from_bob};
  OK(seal_hello(&s, s.from_alice));
  OK(sc_ratchet_open(&s.opened, &index, t->env, &s.envelope, sessions, 2, &s.options));
  CHECK(index == 1);
  index = 0;
  FAILS(SC_ERR_RATCHET_BROKEN,
        sc_ratchet_open(&s.opened, &index, t->env, &s.envelope, sessions, 2, &s.options));
  CHECK(index == 1);
done:
  scene_free(&s);
}

SUITE(ratchet_open, "ratchet/open",
      {"messages for others are not opened", messages_for_others_are_not_opened},
      {"a slot that only has the tag is damaged", a_slot_that_only_has_the_tag_is_damaged},
      {"any changed byte of head, slot or payload is noticed",
       any_changed_byte_of_head_slot_or_payload_is_noticed},
      {"a message is opened once", a_message_is_opened_once},
      {"an opened message that was altered is a duplicate",
       an_opened_message_that_was_altered_is_a_duplicate},
      {"a peer that was rolled back is broken", a_peer_that_was_rolled_back_is_broken},
      {"a gap of a thousand is bridged", a_gap_of_a_thousand_is_bridged},
      {"a longer gap is broken", a_longer_gap_is_broken},
      {"a gap in the previous chain counts too", a_gap_in_the_previous_chain_counts_too},
      {"the largest numbers are broken", the_largest_numbers_are_broken},
      {"another ratchet key in one chain is broken", another_ratchet_key_in_one_chain_is_broken},
      {"a ratchet key of small order changes nothing", a_ratchet_key_of_small_order_changes_nothing},
      {"a skipped key is used once", a_skipped_key_is_used_once},
      {"of two slots with the tag one opens", of_two_slots_with_the_tag_one_opens},
      {"a slot of another message is damaged", a_slot_of_another_message_is_damaged},
      {"a bad body changes nothing", a_bad_body_changes_nothing},
      {"a key that the message does not commit to is refused",
       a_key_that_the_message_does_not_commit_to_is_refused},
      {"the session that broke is named", the_session_that_broke_is_named});
