/* Session Pro in the profile config: the credential all devices of an account share, and how long there is
 * access. For clients that implement Pro; others leave all of it alone, and everything else does so too.
 *
 * A credential is a plain value that holds a secret; wipe it. `wall_ms` is the wall clock in milliseconds. */
#ifndef SC_CONFIG_PROFILE_PRO_H
#define SC_CONFIG_PROFILE_PRO_H

#include <stdbool.h>

#include "../base/api.h"
#include "../message/pro.h"
#include "user_profile.h"

SC_API_BEGIN

/* Seconds after which a request for a refund, or the mark of a purchase, counts no more. */
#define SC_PROFILE_PRO_STALE_S (7 * 24 * 60 * 60)

/* A proof and the seed of the key that signs with it. */
typedef struct sc_pro_credential {
  uint8_t seed[SC_ED25519_SEED_BYTES];
  sc_pro_proof proof;
} sc_pro_credential;

SC_API void sc_pro_credential_wipe(sc_pro_credential *credential);

/* When its proof ends, in seconds whatever its generation. */
SC_API int64_t sc_pro_credential_expiry_s(const sc_pro_credential *credential);

typedef struct sc_profile_pro {
  bool has_credential;
  sc_pro_credential credential;
  int64_t access_expiry_s;    /* 0 when unknown, as the following */
  int64_t grace_s;            /* how much longer there is access while a renewal is tried */
  bool renews;                /* by itself */
  int64_t refund_requested_s; /* unless long ago, as the following */
  int64_t purchase_begun_s;   /* of one that is not settled */
} sc_profile_pro;

/* Reads what the config has of any generation; what cannot be read is no credential. Nothing is judged. Wipe
 * it. */
SC_API void sc_user_profile_get_pro(sc_profile_pro *out, const sc_user_profile *profile, uint64_t wall_ms);
SC_API void sc_profile_pro_wipe(sc_profile_pro *pro);

/* Stores a credential, in the form of its generation. One that has not ended settles a purchase.
 * SC_ERR_KEY_MISMATCH unless the seed is that of the proof's key; SC_ERR_PRO_PROOF for an end beyond all
 * time. */
SC_API SC_NODISCARD sc_status sc_user_profile_set_credential(sc_user_profile *profile,
                                                             const sc_pro_credential *credential,
                                                             uint64_t wall_ms);
SC_API SC_NODISCARD sc_status sc_user_profile_remove_credential(sc_user_profile *profile);

/* Until when there is access, or that this is not known (0), which the grace period then is not either.
 * Access in the future settles a purchase, and a refund that was asked for long ago. */
SC_API SC_NODISCARD sc_status sc_user_profile_set_access_expiry(sc_user_profile *profile, int64_t expiry_s,
                                                                uint64_t wall_ms);
SC_API SC_NODISCARD sc_status sc_user_profile_set_renews(sc_user_profile *profile, bool renews);
SC_API SC_NODISCARD sc_status sc_user_profile_set_grace(sc_user_profile *profile, int64_t grace_s);

/* 0 for none. */
SC_API SC_NODISCARD sc_status sc_user_profile_set_refund_requested(sc_user_profile *profile, int64_t when_s,
                                                                   uint64_t wall_ms);
/* 0 for none. Ignored while there is a credential, or access in the future. */
SC_API SC_NODISCARD sc_status sc_user_profile_set_purchase_begun(sc_user_profile *profile, int64_t when_s,
                                                                 uint64_t wall_ms);

/* Turns one bit of the profile's features on or off. SC_ERR_ARGUMENT unless it is one bit. */
SC_API SC_NODISCARD sc_status sc_user_profile_set_feature(sc_user_profile *profile, uint64_t feature, bool on,
                                                          uint64_t wall_ms);

SC_API_END

#endif
