#include "credentials.h"

#include "../crypto/birational.h"

enum { token_flags_at = 1, token_key_at = 4, standard_prefix = 0x05 };

/* The key that signs for the account: its own, or the one whose other form it is. That it is a safe key is
 * for the check of the signature to find out. */
static bool find_owner(sc_bytes *key, const uint8_t *account, const sc_storage_auth *auth) {
  *key = sc_bytes_make(account + 1, SC_KEY_BYTES);
  if (!auth->has_ed25519)
    return true;
  *key = SC_BYTES(auth->ed25519);
  return account[0] == standard_prefix && sc_x25519_is_form_of(account + 1, auth->ed25519);
}

static bool subaccount_may(const uint8_t *account, const uint8_t *token, uint8_t rights) {
  uint8_t flags = token[token_flags_at];
  bool for_this_kind = token[0] == account[0] || (flags & SC_SUBACCOUNT_ANY_PREFIX) != 0;
  return for_this_kind && (flags & rights) == rights;
}

static bool find_signer(sc_bytes *key, const uint8_t *account, const sc_storage_auth *auth, uint8_t rights,
                        bool ask_revoked, const sc_storage_judge *judge) {
  if (!find_owner(key, account, auth))
    return false;
  if (!auth->has_subaccount)
    return true;
  const uint8_t *token = auth->subaccount;
  if (ask_revoked && judge->is_revoked != NULL && judge->is_revoked(judge->user, account, token))
    return false;
  if (!subaccount_may(account, token, rights) ||
      sc_ed25519_verify(*key, SC_BYTES(auth->subaccount), SC_BYTES(auth->subaccount_signature)) != SC_OK)
    return false;
  *key = sc_bytes_make(token + token_key_at, SC_KEY_BYTES);
  return true;
}

sc_status sc_storage_credentials_check(const uint8_t *account, const sc_storage_auth *auth, uint8_t rights,
                                       bool ask_revoked, const sc_storage_judge *judge, sc_bytes message) {
  sc_bytes key;
  bool good = auth->has_signature && find_signer(&key, account, auth, rights, ask_revoked, judge) &&
              sc_ed25519_verify(key, message, SC_BYTES(auth->signature)) == SC_OK;
  return good ? SC_OK : SC_ERR_STORAGE_UNAUTHORIZED;
}
