/* A device of an account, and the prekeys from which others start sessions with it.
 *
 * A device has its own key pair, derived from a random 32-byte seed that never leaves it; the public key is
 * its id. Both structs are plain values with secrets: wipe them. */
#ifndef SC_RATCHET_DEVICE_H
#define SC_RATCHET_DEVICE_H

#include "../base/api.h"
#include "../base/bytes.h"
#include "../crypto/account.h"
#include "../crypto/mlkem.h"

SC_API_BEGIN

#define SC_RATCHET_CERTIFICATE_BYTES 136
#define SC_RATCHET_MAX_ONE_TIME 32
/* The place that stands for no one-time prekey. */
#define SC_RATCHET_NO_ONE_TIME 65535

typedef struct sc_ratchet_device {
  sc_keypair keys;                                   /* the id is keys.ed.public_key */
  sc_id account;                                     /* 05… */
  uint8_t certificate[SC_RATCHET_CERTIFICATE_BYTES]; /* the account's signature of the device */
} sc_ratchet_device;

/* The verified content of a certificate. */
typedef struct sc_ratchet_certificate {
  sc_id account;
  uint8_t account_key[SC_KEY_BYTES]; /* Ed25519 */
  uint8_t device[SC_KEY_BYTES];
  uint64_t created_s;
} sc_ratchet_certificate;

/* Makes a device of an account; the same seed and time give the same device. */
SC_API void sc_ratchet_device_make(sc_ratchet_device *out, const sc_account *account,
                                   const uint8_t seed[SC_AT_LEAST(32)], uint64_t created_s);
SC_API void sc_ratchet_device_wipe(sc_ratchet_device *device);

/* Verifies a certificate at `now_s`. SC_ERR_RATCHET_CERTIFICATE if its size, keys or signature are wrong, or
 * it was made more than an hour from now. */
SC_API SC_NODISCARD sc_status sc_ratchet_certificate_verify(sc_ratchet_certificate *out, sc_bytes certificate,
                                                            uint64_t now_s);

/* One generation of prekeys, with its secrets. The place of a one-time prekey is its index. */
typedef struct sc_ratchet_prekeys {
  uint32_t generation;
  uint8_t secret[SC_KEY_BYTES]; /* of the signed prekey, X25519 */
  uint8_t kem_seed[SC_MLKEM768_SEED_BYTES];
  uint8_t one_time[SC_RATCHET_MAX_ONE_TIME][SC_KEY_BYTES];
  uint32_t one_time_kept; /* bit j is set if one_time[j] exists and was not erased */
} sc_ratchet_prekeys;

/* The public half, for bundles. */
typedef struct sc_ratchet_public_prekeys {
  uint8_t signed_prekey[SC_KEY_BYTES];
  uint8_t kem_key[SC_MLKEM768_PUBLIC_BYTES];
  uint8_t one_time[SC_RATCHET_MAX_ONE_TIME * SC_KEY_BYTES];
  size_t one_time_bytes; /* 32 for each kept key; a generation is published before keys are erased */
} sc_ratchet_public_prekeys;

/* Draws a generation with `one_time_count` one-time prekeys, SC_RATCHET_MAX_ONE_TIME at most. `generation`
 * must be higher than all earlier ones. */
SC_API void sc_ratchet_prekeys_generate(sc_ratchet_prekeys *out, const sc_env *env, uint32_t generation,
                                        size_t one_time_count);
SC_API void sc_ratchet_prekeys_public(sc_ratchet_public_prekeys *out, const sc_ratchet_prekeys *prekeys);

/* Erases a one-time prekey. */
SC_API void sc_ratchet_prekeys_erase(sc_ratchet_prekeys *prekeys, size_t place);
SC_API void sc_ratchet_prekeys_wipe(sc_ratchet_prekeys *prekeys);

SC_API_END

#endif
