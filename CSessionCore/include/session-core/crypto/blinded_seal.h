/* Encryption for a community's inbox: between two blinded ids of one server, with proof of the sender's
 * account. */
#ifndef SC_CRYPTO_BLINDED_SEAL_H
#define SC_CRYPTO_BLINDED_SEAL_H

#include "../base/api.h"
#include "../base/bytes.h"
#include "id.h"
#include "keys.h"
#include "seal.h"

SC_API_BEGIN

/* The overhead of encryption: version, sender's key, tag, nonce. */
#define SC_BLINDED_SEAL_OVERHEAD 73

/* Encrypts from the caller's blinded id of the same kind as `recipient`. SC_ERR_ID_KIND unless that is 15 or
 * 25, SC_ERR_KEY_INVALID if its key is unsafe. */
SC_API SC_NODISCARD sc_status sc_blinded_seal(sc_buffer *out, const sc_env *env, const sc_keypair *from,
                                              const uint8_t server[SC_AT_LEAST(32)], const sc_id *recipient,
                                              sc_bytes message);

/* Decrypts a received message, or one that `me` sent from another device. SC_ERR_TRUNCATED; SC_ERR_VERSION;
 * SC_ERR_ID_KIND unless both ids have the same blinded kind; SC_ERR_KEY_INVALID if the other key is unsafe;
 * SC_ERR_DECRYPT, also for a message between two others; SC_ERR_SENDER if `sender_id` does not belong to the
 * account inside. */
SC_API SC_NODISCARD sc_status sc_blinded_open(sc_buffer *out, sc_sender *sender, const sc_keypair *me,
                                              const uint8_t server[SC_AT_LEAST(32)], const sc_id *sender_id,
                                              const sc_id *recipient_id, sc_bytes sealed);

SC_API_END

#endif
