/* Blinding: in each community a person has another id. Anyone can compute the account id behind an id of kind
 * 15; only those who know the account can recognise its id of kind 25.
 *
 * A blinded pair holds secrets; wipe it. `server` is the community server's 32-byte public key. */
#ifndef SC_CRYPTO_BLINDING_H
#define SC_CRYPTO_BLINDING_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"
#include "id.h"
#include "keys.h"

SC_API_BEGIN

typedef struct sc_blinded_pair {
  sc_id id;           /* 15 or 25, and the blinded public key */
  uint8_t scalar[32]; /* the blinded private scalar */
  uint8_t factor[32]; /* k; for 25 negated if the account's Ed25519 key is negative */
} sc_blinded_pair;

/* Derive the caller's own pair. SC_ERR_ID_BLIND if the result would be unsafe, which does not happen with
 * honest keys. */
SC_API SC_NODISCARD sc_status sc_blind15_pair(sc_blinded_pair *out, const sc_keypair *keys,
                                              const uint8_t server[SC_AT_LEAST(32)]);
SC_API SC_NODISCARD sc_status sc_blind25_pair(sc_blinded_pair *out, const sc_keypair *keys,
                                              const uint8_t server[SC_AT_LEAST(32)]);
SC_API void sc_blinded_pair_wipe(sc_blinded_pair *pair);

/* Derive ids of others. An account id has two candidates of kind 15, that of the positive key first, and one
 * of kind 25. SC_ERR_ID_KIND; SC_ERR_ID_BLIND if the account id is not a safe key. */
SC_API SC_NODISCARD sc_status sc_blind15_ids(sc_id out[SC_AT_LEAST(2)], const sc_id *account_id,
                                             const uint8_t server[SC_AT_LEAST(32)]);
SC_API SC_NODISCARD sc_status sc_blind25_id(sc_id *out, const sc_id *account_id,
                                            const uint8_t server[SC_AT_LEAST(32)]);
SC_API SC_NODISCARD sc_status sc_blind15_id_from_ed25519(sc_id *out, const uint8_t ed25519[SC_AT_LEAST(32)],
                                                         const uint8_t server[SC_AT_LEAST(32)]);
SC_API SC_NODISCARD sc_status sc_blind25_id_from_ed25519(sc_id *out, const uint8_t ed25519[SC_AT_LEAST(32)],
                                                         const uint8_t server[SC_AT_LEAST(32)]);

/* Checks if `blinded` is the id of `account_id` on `server`, to recognise contacts in a community.
 * SC_ERR_ID_KIND, SC_ERR_ID_BLIND. */
SC_API SC_NODISCARD sc_status sc_blind_matches(bool *out, const sc_id *account_id, const sc_id *blinded,
                                               const uint8_t server[SC_AT_LEAST(32)]);

/* Computes the account id behind an id of kind 15. SC_ERR_ID_KIND for another kind; SC_ERR_ID_BLIND if the id
 * is not a safe key. */
SC_API SC_NODISCARD sc_status sc_blind15_account(sc_id *out, const sc_id *blinded,
                                                 const uint8_t server[SC_AT_LEAST(32)]);

/* Signs as the blinded id; verify with sc_ed25519_verify and the id's key. `pair` must be made from `keys`;
 * `out` may overlap the message. */
SC_API void sc_blind_sign(uint8_t out[SC_AT_LEAST(64)], const sc_keypair *keys, const sc_blinded_pair *pair,
                          sc_bytes message);

/* Derives the pair for version checks. It cannot be linked to the account without the seed; its id has kind
 * 07. */
SC_API void sc_version_pair(sc_ed25519_pair *out, const sc_keypair *keys);

/* Signs an HTTP request: decimal timestamp ‖ method ‖ path with query ‖ body. */
SC_API SC_NODISCARD sc_status sc_version_sign_request(uint8_t out[SC_AT_LEAST(64)], const sc_env *env,
                                                      const sc_ed25519_pair *version_pair,
                                                      uint64_t timestamp_s, sc_bytes method, sc_bytes path,
                                                      sc_bytes body);

SC_API_END

#endif
