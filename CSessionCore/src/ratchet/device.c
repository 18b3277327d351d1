#include "session-core/ratchet/device.h"

#include <assert.h>

#include "../base/little.h"
#include "session-core/base/secret.h"
#include "signed.h"

enum {
  device_at = SC_KEY_BYTES,
  created_at = 2 * SC_KEY_BYTES,
  signature_at = created_at + 8,
  most_ahead_s = 3600,
};

_Static_assert(signature_at + SC_SIGNATURE_BYTES == SC_RATCHET_CERTIFICATE_BYTES,
               "two keys, a time, a signature");

static const char label[] = "SwarmRatchet1 device";

void sc_ratchet_device_make(sc_ratchet_device *out, const sc_account *account, const uint8_t seed[static 32],
                            uint64_t created_s) {
  sc_keypair_from_seed(&out->keys, seed);
  out->account = account->id;
  memcpy(out->certificate, account->keys.ed.public_key, SC_KEY_BYTES);
  memcpy(out->certificate + device_at, out->keys.ed.public_key, SC_KEY_BYTES);
  sc_store_u64(out->certificate + created_at, created_s);
  uint8_t text[sizeof label + signature_at];
  sc_ratchet_labelled(text, label, sc_bytes_make(out->certificate, signature_at));
  sc_ed25519_sign(out->certificate + signature_at, &account->keys.ed, SC_BYTES(text));
}

void sc_ratchet_device_wipe(sc_ratchet_device *device) {
  sc_wipe(device, sizeof *device);
}

static bool is_genuine(sc_bytes certificate) {
  uint8_t text[sizeof label + signature_at];
  sc_ratchet_labelled(text, label, sc_bytes_make(certificate.ptr, signature_at));
  return sc_ed25519_verify(sc_bytes_make(certificate.ptr, SC_KEY_BYTES), SC_BYTES(text),
                           sc_bytes_make(certificate.ptr + signature_at, SC_SIGNATURE_BYTES)) == SC_OK;
}

sc_status sc_ratchet_certificate_verify(sc_ratchet_certificate *out, sc_bytes certificate, uint64_t now_s) {
  memset(out, 0, sizeof *out);
  if (certificate.len != SC_RATCHET_CERTIFICATE_BYTES)
    return SC_ERR_RATCHET_CERTIFICATE;
  uint8_t account[SC_KEY_BYTES], device[SC_KEY_BYTES];
  sc_bytes device_id = sc_bytes_make(certificate.ptr + device_at, SC_KEY_BYTES);
  uint64_t created_s = sc_load_u64(certificate.ptr + created_at);
  if (created_s > now_s && created_s - now_s > most_ahead_s)
    return SC_ERR_RATCHET_CERTIFICATE;
  if (sc_x25519_from_ed25519(account, sc_bytes_make(certificate.ptr, SC_KEY_BYTES)) != SC_OK ||
      sc_x25519_from_ed25519(device, device_id) != SC_OK || !is_genuine(certificate))
    return SC_ERR_RATCHET_CERTIFICATE;
  sc_id_make(&out->account, SC_ID_STANDARD, account);
  memcpy(out->account_key, certificate.ptr, SC_KEY_BYTES);
  memcpy(out->device, device_id.ptr, SC_KEY_BYTES);
  out->created_s = created_s;
  return SC_OK;
}

void sc_ratchet_prekeys_generate(sc_ratchet_prekeys *out, const sc_env *env, uint32_t generation,
                                 size_t one_time_count) {
  assert(one_time_count <= SC_RATCHET_MAX_ONE_TIME);
  memset(out, 0, sizeof *out);
  out->generation = generation;
  sc_random(env, out->secret, sizeof out->secret);
  sc_random(env, out->kem_seed, sizeof out->kem_seed);
  for (size_t i = 0; i < one_time_count; i++) {
    sc_random(env, out->one_time[i], SC_KEY_BYTES);
    out->one_time_kept |= (uint32_t)1 << i;
  }
}

void sc_ratchet_prekeys_public(sc_ratchet_public_prekeys *out, const sc_ratchet_prekeys *prekeys) {
  memset(out, 0, sizeof *out);
  sc_x25519_pair pair;
  sc_x25519_pair_from_secret(&pair, prekeys->secret);
  memcpy(out->signed_prekey, pair.public_key, SC_KEY_BYTES);
  for (size_t i = 0; i < SC_RATCHET_MAX_ONE_TIME; i++) {
    if ((prekeys->one_time_kept >> i & 1) == 0)
      continue;
    sc_x25519_pair_from_secret(&pair, prekeys->one_time[i]);
    memcpy(out->one_time + out->one_time_bytes, pair.public_key, SC_KEY_BYTES);
    out->one_time_bytes += SC_KEY_BYTES;
  }
  uint8_t kem_secret[SC_MLKEM768_SECRET_BYTES];
  sc_mlkem768_from_seed(out->kem_key, kem_secret, prekeys->kem_seed);
  sc_x25519_pair_wipe(&pair);
  sc_wipe(kem_secret, sizeof kem_secret);
}

void sc_ratchet_prekeys_erase(sc_ratchet_prekeys *prekeys, size_t place) {
  if (place >= SC_RATCHET_MAX_ONE_TIME)
    return;
  sc_wipe(prekeys->one_time[place], SC_KEY_BYTES);
  prekeys->one_time_kept &= ~((uint32_t)1 << place);
}

void sc_ratchet_prekeys_wipe(sc_ratchet_prekeys *prekeys) {
  sc_wipe(prekeys, sizeof *prekeys);
}
