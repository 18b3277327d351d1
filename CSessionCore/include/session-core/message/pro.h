/* Session Pro in messages: a proof issued by a backend, and a signature that binds it to one message.
 *
 * There are two generations of proofs; the form of a proof shows its generation. */
#ifndef SC_MESSAGE_PRO_H
#define SC_MESSAGE_PRO_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"
#include "../crypto/keys.h"

SC_API_BEGIN

typedef enum sc_pro_generation {
  SC_PRO_GENERATION_A, /* has a version, times in milliseconds */
  SC_PRO_GENERATION_B, /* times in seconds */
} sc_pro_generation;

typedef struct sc_pro_proof {
  sc_pro_generation generation;
  uint32_t version;         /* only in generation A */
  uint8_t tag[32];          /* named by revocations */
  uint8_t rotating_key[32]; /* signs messages */
  uint64_t expiry;          /* in the unit of the generation */
  uint8_t signature[64];    /* by the backend */
} sc_pro_proof;

typedef enum sc_pro_status {
  SC_PRO_NONE = 0,
  SC_PRO_FORGED = 1, /* not issued by the backend */
  SC_PRO_STOLEN = 2, /* the message was not signed by the proof's key */
  SC_PRO_VALID = 3,
  SC_PRO_EXPIRED = 4,  /* sent after the proof ended */
  SC_PRO_NO_PROOF = 5, /* Pro data without a proof, or one of an unknown version */
} sc_pro_status;

/* Judges a proof for something done at `time_s`: first the backend's signature, then, unless `signature` is
 * empty, the message's signature of `signed_bytes`, then the time. */
SC_API sc_pro_status sc_pro_judge(const sc_pro_proof *proof, const uint8_t backend[SC_AT_LEAST(32)],
                                  sc_bytes signed_bytes, sc_bytes signature, uint64_t time_s);

/* Derive an account's Pro keys: the one known to the backend, and the rotating one for the week of `now_s`.
 * Wipe them. */
SC_API void sc_pro_master_pair(sc_ed25519_pair *out, const sc_keypair *account);
SC_API void sc_pro_rotating_pair(sc_ed25519_pair *out, const sc_ed25519_pair *master, uint64_t now_s);

/* Issues a proof as a backend does: signs the filled-in fields. */
SC_API void sc_pro_issue(sc_pro_proof *proof, const sc_ed25519_pair *backend);

/* Writes a decoy signature: 64 bytes that look like one, for messages without Pro. */
SC_API void sc_pro_decoy(uint8_t out[SC_AT_LEAST(64)], const sc_env *env);

#define SC_PRO_STANDARD_CHARACTERS 2000
#define SC_PRO_MAX_CHARACTERS 10000
#define SC_PRO_MESSAGE_10K ((uint64_t)1)
#define SC_PRO_PROFILE_BADGE ((uint64_t)1)
#define SC_PRO_PROFILE_ANIMATED ((uint64_t)2)

/* Returns the message feature bits that a text of this many code points needs. SC_ERR_MESSAGE_LENGTH. */
SC_API SC_NODISCARD sc_status sc_pro_features_for(uint64_t *out, size_t code_points);

/* Counts code points. SC_ERR_UTF8. */
SC_API SC_NODISCARD sc_status sc_code_points(size_t *out, sc_bytes text);

SC_API_END

#endif
