/* Bundles and saved states from outside. The first byte chooses: a bundle as it is; a genuine one that was
 * changed; a state; or a body. */
#include "sealed.h"

enum { now_s = 1800000000 };

static sc_account account;
static sc_ratchet_device device;
static sc_buffer genuine;

static void make_genuine(void) {
  const uint8_t seed[SC_SEED_BYTES] = {1}, device_seed[SC_KEY_BYTES] = {2};
  sc_ratchet_prekeys prekeys;
  sc_ratchet_public_prekeys published;
  sc_account_from_seed(&account, seed);
  sc_ratchet_device_make(&device, &account, device_seed, now_s);
  sc_ratchet_prekeys_generate(&prekeys, fuzz_env(), 1, 2);
  sc_ratchet_prekeys_public(&published, &prekeys);
  const sc_ratchet_bundle bundle = {
      .sequence = 1,
      .signed_s = now_s,
      .generation = 1,
      .signed_prekey = SC_BYTES(published.signed_prekey),
      .kem_key = SC_BYTES(published.kem_key),
      .one_time = sc_bytes_make(published.one_time, published.one_time_bytes),
      .roster = SC_BYTES(device.keys.ed.public_key),
  };
  REQUIRE(sc_ratchet_bundle_write(&genuine, &bundle, &device, &account) == SC_OK);
}

static sc_status open_bundle(sc_ratchet_bundle *out, sc_bytes message) {
  sc_status status = sc_ratchet_bundle_open(out, fuzz_env(), message, &account.id, now_s);
  REQUIRE((status == SC_OK) == (out->device.len == SC_KEY_BYTES));
  return status;
}

static void check_changed(sc_bytes script) {
  sc_buffer changed;
  sc_ratchet_bundle bundle;
  sc_buffer_init(&changed, fuzz_env());
  REQUIRE(sc_buffer_append(&changed, sc_buffer_bytes(&genuine)) == SC_OK);
  bool differs = fuzz_change(&changed, script);
  REQUIRE((open_bundle(&bundle, sc_buffer_bytes(&changed)) == SC_OK) == !differs);
  sc_buffer_free(&changed);
}

/* Saving a loaded session gives the same bytes. */
static void check_state(sc_bytes bytes) {
  sc_ratchet_session *session;
  sc_buffer saved;
  sc_buffer_init(&saved, fuzz_env());
  if (sc_ratchet_session_load(&session, fuzz_env(), bytes, NULL, 0) == SC_OK) {
    REQUIRE(sc_ratchet_session_save(&saved, session) == SC_OK);
    REQUIRE(sc_bytes_same(bytes, sc_buffer_bytes(&saved)));
  }
  sc_ratchet_session_free(session);
  sc_buffer_free(&saved);
}

/* A body that was read can be written, and reads back the same. */
static void check_body(sc_bytes bytes) {
  sc_ratchet_body body, again;
  sc_buffer written;
  sc_buffer_init(&written, fuzz_env());
  if (sc_ratchet_body_read(&body, bytes) == SC_OK && sc_ratchet_body_write(&written, &body) == SC_OK) {
    REQUIRE(sc_ratchet_body_read(&again, sc_buffer_bytes(&written)) == SC_OK);
    REQUIRE(sc_bytes_same(body.content, again.content) && sc_bytes_same(body.link, again.link));
    REQUIRE(body.sent_ms == again.sent_ms && body.resend_count == again.resend_count);
    REQUIRE(body.is_ping == again.is_ping && body.wants_resend == again.wants_resend);
    REQUIRE(body.verification_count == again.verification_count);
  }
  sc_buffer_free(&written);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static bool ready;
  if (!ready) {
    make_genuine();
    ready = true;
  }
  sc_bytes input = sc_bytes_make(data, size);
  sc_ratchet_bundle bundle;
  switch (fuzz_take_byte(&input) % 4) {
  case 0:
    (void)!open_bundle(&bundle, input);
    break;
  case 1:
    check_changed(input);
    break;
  case 2:
    check_state(input);
    break;
  default:
    check_body(input);
  }
  return 0;
}
