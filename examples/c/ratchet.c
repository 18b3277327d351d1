/* Two devices talk with forward secrecy: Bob's device publishes prekeys, Alice's starts a session with it,
 * and both answer each other. A program stores what is kept here in variables: the state of a session after
 * each use, and for the prekeys' life the start keys it has seen. */
#include <session-core/session-core.h>
#include <stdio.h>
#include <stdlib.h>

static const uint64_t now_s = 1800000000;

static void stop_unless(sc_status status, const char *what) {
  if (status == SC_OK)
    return;
  fprintf(stderr, "%s: %s\n", what, sc_status_text(status));
  exit(EXIT_FAILURE);
}

/* Publishes one device's prekeys: what others fetch before they write to it. */
static void publish(sc_buffer *out, const sc_ratchet_prekeys *prekeys, const sc_ratchet_device *device,
                    const sc_account *account) {
  sc_ratchet_public_prekeys keys;
  sc_ratchet_prekeys_public(&keys, prekeys);
  const sc_ratchet_bundle bundle = {
      .sequence = 1,
      .signed_s = now_s,
      .generation = prekeys->generation,
      .capabilities = SC_RATCHET_RECEIVES | SC_RATCHET_CLOSED_ROSTER,
      .signed_prekey = SC_BYTES(keys.signed_prekey),
      .kem_key = SC_BYTES(keys.kem_key),
      .one_time = sc_bytes_make(keys.one_time, keys.one_time_bytes),
      .roster = SC_BYTES(device->keys.ed.public_key),
  };
  stop_unless(sc_ratchet_bundle_write(out, &bundle, device, account), "publishing");
}

static void seal(sc_buffer *stored, sc_ratchet_session *session, const char *text) {
  const sc_ratchet_body body = {.content = sc_bytes_text(text)};
  sc_buffer bytes = {0};
  stop_unless(sc_ratchet_body_write(&bytes, &body), "writing");
  stop_unless(sc_ratchet_seal(stored, NULL, &session, 1, sc_buffer_bytes(&bytes), NULL), "sealing");
  sc_buffer_free(&bytes);
}

static void print(const char *reader, const sc_buffer *opened) {
  sc_ratchet_body body;
  stop_unless(sc_ratchet_body_read(&body, sc_buffer_bytes(opened)), "reading");
  printf("%s reads: %.*s\n", reader, (int)body.content.len, (const char *)body.content.ptr);
}

/* Opens a message of a device that was not heard before. */
static sc_ratchet_session *open_first(const sc_buffer *stored, const sc_ratchet_device *own,
                                      const sc_ratchet_prekeys *prekeys) {
  const sc_ratchet_open_options options = {.now_s = now_s};
  sc_ratchet_envelope envelope;
  sc_ratchet_start starts[SC_RATCHET_MAX_SLOTS];
  sc_ratchet_certificate sender;
  sc_ratchet_session *session = NULL;
  sc_buffer opened = {0};
  size_t count;
  stop_unless(sc_ratchet_envelope_parse(&envelope, sc_buffer_bytes(stored)), "parsing");
  stop_unless(sc_ratchet_starts(starts, &count, &envelope, own), "looking for a start");
  for (size_t i = 0; i < count && session == NULL; i++)
    stop_unless(sc_ratchet_open_start(&opened, &session, &sender, NULL, &envelope, &starts[i], own, prekeys,
                                      &options),
                "opening the start");
  if (session == NULL)
    stop_unless(SC_ERR_RATCHET_OTHER, "opening the start");
  print("Bob", &opened);
  sc_buffer_free(&opened);
  return session;
}

static void open_next(const sc_buffer *stored, sc_ratchet_session *session, const char *reader) {
  const sc_ratchet_open_options options = {.now_s = now_s};
  sc_ratchet_envelope envelope;
  sc_buffer opened = {0};
  size_t index;
  stop_unless(sc_ratchet_envelope_parse(&envelope, sc_buffer_bytes(stored)), "parsing");
  stop_unless(sc_ratchet_open(&opened, &index, NULL, &envelope, &session, 1, &options), "opening");
  print(reader, &opened);
  sc_buffer_free(&opened);
}

int main(void) {
  stop_unless(sc_init(), "preparing");

  sc_account alice, bob;
  sc_ratchet_device from, to;
  sc_ratchet_prekeys prekeys;
  uint8_t seed[SC_KEY_BYTES];
  sc_account_generate(&alice, NULL);
  sc_account_generate(&bob, NULL);
  sc_random(NULL, seed, sizeof seed);
  sc_ratchet_device_make(&from, &alice, seed, now_s);
  sc_random(NULL, seed, sizeof seed);
  sc_ratchet_device_make(&to, &bob, seed, now_s);
  sc_ratchet_prekeys_generate(&prekeys, NULL, 1, SC_RATCHET_MAX_ONE_TIME);

  sc_buffer published = {0}, stored = {0}, state = {0};
  publish(&published, &prekeys, &to, &bob);

  sc_ratchet_bundle bundle;
  sc_ratchet_session *with_bob, *with_alice;
  stop_unless(sc_ratchet_bundle_open(&bundle, NULL, sc_buffer_bytes(&published), &bob.id, now_s), "fetching");
  const uint16_t one_time = sc_ratchet_bundle_pick(&bundle, NULL);
  stop_unless(sc_ratchet_session_start(&with_bob, NULL, &from, &bundle, one_time, (uint32_t)now_s),
              "starting");
  seal(&stored, with_bob, "hello from Alice");

  with_alice = open_first(&stored, &to, &prekeys);
  seal(&stored, with_alice, "hello from Bob");
  open_next(&stored, with_bob, "Alice");

  /* Between two messages a session lies in the program's store. */
  stop_unless(sc_ratchet_session_save(&state, with_alice), "saving");
  sc_ratchet_session_free(with_alice);
  stop_unless(sc_ratchet_session_load(&with_alice, NULL, sc_buffer_bytes(&state), NULL, 0), "loading");
  seal(&stored, with_bob, "how are you?");
  open_next(&stored, with_alice, "Bob");

  sc_ratchet_session_free(with_alice);
  sc_ratchet_session_free(with_bob);
  sc_buffer_free(&published);
  sc_buffer_free(&stored);
  sc_buffer_free(&state);
  sc_ratchet_prekeys_wipe(&prekeys);
  sc_ratchet_device_wipe(&from);
  sc_ratchet_device_wipe(&to);
  sc_account_wipe(&alice);
  sc_account_wipe(&bob);
  sc_wipe(seed, sizeof seed);
  return EXIT_SUCCESS;
}
