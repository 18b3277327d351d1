/* Session Pro in the profile config: the credential that all devices of an account share, and the end of
 * access. For clients that implement Pro; all other functions leave it alone.
 *
 * A credential is a plain value with a secret; wipe it. `wall_ms` is the wall clock in milliseconds. */
#ifndef SC_CONFIG_PROFILE_PRO_H
#define SC_CONFIG_PROFILE_PRO_H

#include <stdbool.h>

#include "../base/api.h"
#include "../message/pro.h"
#include "user_profile.h"

SC_API_BEGIN

/* Seconds after which a refund request, or the mark of a purchase, expires. */
#define SC_PROFILE_PRO_STALE_S (7 * 24 * 60 * 60)

/* A proof and the seed of its signing key. */
typedef struct sc_pro_credential {
  uint8_t seed[SC_ED25519_SEED_BYTES];
  sc_pro_proof proof;
} sc_pro_credential;

SC_API void sc_pro_credential_wipe(sc_pro_credential *credential);

/* Returns the end of its proof, in seconds for both generations. */
SC_API int64_t sc_pro_credential_expiry_s(const sc_pro_credential *credential);

typedef struct sc_profile_pro {
  bool has_credential;
  sc_pro_credential credential;
  int64_t access_expiry_s;    /* 0 if unknown, like grace_s */
  int64_t grace_s;            /* how long access continues while a renewal is tried */
  bool renews;                /* true if it renews automatically */
  int64_t refund_requested_s; /* 0 if long ago, like purchase_begun_s */
  int64_t purchase_begun_s;   /* start of an unfinished purchase */
} sc_profile_pro;

/* Reads the Pro data of the config, of either generation; an unreadable credential is left out. Nothing is
 * verified. Wipe the result. */
SC_API void sc_user_profile_get_pro(sc_profile_pro *out, const sc_user_profile *profile, uint64_t wall_ms);
SC_API void sc_profile_pro_wipe(sc_profile_pro *pro);

/* Stores a credential in the form of its generation. One that has not expired finishes a purchase.
 * SC_ERR_KEY_MISMATCH if the seed does not belong to the proof's key; SC_ERR_PRO_PROOF for an impossible
 * expiry. */
SC_API SC_NODISCARD sc_status sc_user_profile_set_credential(sc_user_profile *profile,
                                                             const sc_pro_credential *credential,
                                                             uint64_t wall_ms);
SC_API SC_NODISCARD sc_status sc_user_profile_remove_credential(sc_user_profile *profile);

/* Sets the end of access; 0 if unknown, which also clears the grace period. Access in the future finishes a
 * purchase and clears an old refund request. */
SC_API SC_NODISCARD sc_status sc_user_profile_set_access_expiry(sc_user_profile *profile, int64_t expiry_s,
                                                                uint64_t wall_ms);
SC_API SC_NODISCARD sc_status sc_user_profile_set_renews(sc_user_profile *profile, bool renews);
SC_API SC_NODISCARD sc_status sc_user_profile_set_grace(sc_user_profile *profile, int64_t grace_s);

/* 0 clears it. */
SC_API SC_NODISCARD sc_status sc_user_profile_set_refund_requested(sc_user_profile *profile, int64_t when_s,
                                                                   uint64_t wall_ms);
/* 0 clears it. Ignored while there is a credential or access in the future. */
SC_API SC_NODISCARD sc_status sc_user_profile_set_purchase_begun(sc_user_profile *profile, int64_t when_s,
                                                                 uint64_t wall_ms);

/* Sets or clears one bit of the profile's features. SC_ERR_ARGUMENT unless it is one bit. */
SC_API SC_NODISCARD sc_status sc_user_profile_set_feature(sc_user_profile *profile, uint64_t feature, bool on,
                                                          uint64_t wall_ms);

SC_API_END

#endif
