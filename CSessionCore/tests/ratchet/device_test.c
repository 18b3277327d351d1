#include "scene.h"

enum { created_at = 64, hour_s = 3600 };

static void a_certificate_names_account_and_device(sc_test *t) {
  party p;
  sc_ratchet_certificate certificate;
  OK(party_make(&p, t->env, 1));
  OK(sc_ratchet_certificate_verify(&certificate, SC_BYTES(p.device.certificate), now_s));
  SAME(SC_BYTES(p.account.id.bytes), SC_BYTES(certificate.account.bytes));
  SAME(SC_BYTES(p.account.keys.ed.public_key), SC_BYTES(certificate.account_key));
  SAME(SC_BYTES(p.device.keys.ed.public_key), SC_BYTES(certificate.device));
  CHECK(certificate.created_s == now_s);
done:
  sc_buffer_free(&p.published);
}

static void any_changed_byte_makes_a_certificate_invalid(sc_test *t) {
  party p;
  sc_ratchet_certificate certificate;
  OK(party_make(&p, t->env, 1));
  for (size_t i = 0; i < SC_RATCHET_CERTIFICATE_BYTES; i++) {
    p.device.certificate[i] ^= 1;
    FAILS(SC_ERR_RATCHET_CERTIFICATE,
          sc_ratchet_certificate_verify(&certificate, SC_BYTES(p.device.certificate), now_s));
    p.device.certificate[i] ^= 1;
  }
  FAILS(SC_ERR_RATCHET_CERTIFICATE,
        sc_ratchet_certificate_verify(&certificate, sc_bytes_make(p.device.certificate, 135), now_s));
done:
  sc_buffer_free(&p.published);
}

static void a_certificate_of_the_future_is_refused(sc_test *t) {
  party p;
  sc_ratchet_certificate certificate;
  OK(party_make(&p, t->env, 1));
  OK(sc_ratchet_certificate_verify(&certificate, SC_BYTES(p.device.certificate), now_s - hour_s));
  FAILS(SC_ERR_RATCHET_CERTIFICATE,
        sc_ratchet_certificate_verify(&certificate, SC_BYTES(p.device.certificate), now_s - hour_s - 1));
done:
  sc_buffer_free(&p.published);
}

/* A device whose id is no point, and signed for all the same. */
static void an_invalid_device_is_refused(sc_test *t) {
  sc_account account;
  const uint8_t seed[SC_SEED_BYTES] = {1};
  sc_account_from_seed(&account, seed);
  uint8_t text[20 + 72] = "SwarmRatchet1 device", certificate[SC_RATCHET_CERTIFICATE_BYTES] = {0};
  uint8_t labelled[sizeof "SwarmRatchet1 device" + 72];
  sc_ratchet_certificate out;
  memcpy(certificate, account.keys.ed.public_key, 32);
  memcpy(labelled, text, 20);
  labelled[20] = 0;
  memcpy(labelled + 21, certificate, 72);
  sc_ed25519_sign(certificate + 72, &account.keys.ed, SC_BYTES(labelled));
  FAILS(SC_ERR_RATCHET_CERTIFICATE, sc_ratchet_certificate_verify(&out, SC_BYTES(certificate), now_s));
done:;
}

static void an_erased_one_time_key_is_gone(sc_test *t) {
  static const uint8_t zeros[SC_KEY_BYTES];
  sc_ratchet_prekeys prekeys;
  sc_ratchet_public_prekeys published;
  sc_ratchet_prekeys_generate(&prekeys, t->env, 7, 3);
  CHECK(prekeys.generation == 7 && prekeys.one_time_kept == 7);
  sc_ratchet_prekeys_erase(&prekeys, 1);
  sc_ratchet_prekeys_erase(&prekeys, SC_RATCHET_MAX_ONE_TIME);
  CHECK(prekeys.one_time_kept == 5);
  SAME(SC_BYTES(zeros), SC_BYTES(prekeys.one_time[1]));
  sc_ratchet_prekeys_public(&published, &prekeys);
  CHECK(published.one_time_bytes == 2 * SC_KEY_BYTES);
done:;
}

SUITE(ratchet_device, "ratchet/device",
      {"a certificate names account and device", a_certificate_names_account_and_device},
      {"any changed byte makes a certificate invalid", any_changed_byte_makes_a_certificate_invalid},
      {"a certificate of the future is refused", a_certificate_of_the_future_is_refused},
      {"an invalid device is refused", an_invalid_device_is_refused},
      {"an erased one-time key is gone", an_erased_one_time_key_is_gone});
