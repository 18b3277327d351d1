/* Encoding: one function per destination, from the bytes of a content to what is stored or posted.
 *
 * `content` is what sc_message_body_write gives; it is parsed first, so nothing unreadable is ever sent.
 * `pro` is the rotating pair of the sender's proof, or NULL: then a decoy stands where the signature goes, or
 * nothing in communities. sc_message_body_check_sending tells first whether a message may go there. */
#ifndef SC_MESSAGE_ENCODE_H
#define SC_MESSAGE_ENCODE_H

#include "../base/api.h"
#include "../base/bytes.h"
#include "../crypto/id.h"
#include "../crypto/keys.h"

SC_API_BEGIN

/* What a storage node takes, decoded. */
#define SC_STORED_MAX_BYTES 76800

/* For the swarm of a contact; for the copy to the own devices, `to` is the own id. In this order:
 * SC_ERR_ID_KIND unless 05, what sc_content_parse says, SC_ERR_MESSAGE_TIME for 0, more than 2^53 or another
 * time than the content's own, SC_ERR_KEY_INVALID, SC_ERR_TOO_LARGE over SC_STORED_MAX_BYTES. */
SC_API SC_NODISCARD sc_status sc_encode_for_contact(sc_buffer *out, const sc_env *env, const sc_keypair *from,
                                                    const sc_id *to, sc_bytes content, uint64_t sent_ms,
                                                    const sc_ed25519_pair *pro);

/* For the swarm of a group. `key` is the group's current key. SC_ERR_ID_KIND unless 03, content and time as
 * above, SC_ERR_KEY_SIZE, SC_ERR_TOO_LARGE. */
SC_API SC_NODISCARD sc_status sc_encode_for_group(sc_buffer *out, const sc_env *env, const sc_keypair *from,
                                                  const sc_id *group, sc_bytes key, sc_bytes content,
                                                  uint64_t sent_ms, const sc_ed25519_pair *pro);

/* For a community's room. What sc_content_parse says; SC_ERR_PRO_SIGNATURE_TWICE when the content carries a
 * signature already. With `pro` the content is written anew, its fields in ascending order, as peers verify
 * it. */
SC_API SC_NODISCARD sc_status sc_encode_for_community(sc_buffer *out, const sc_env *env, sc_bytes content,
                                                      const sc_ed25519_pair *pro);

/* For a community's inbox: the same, sealed for the blinded id `to`; then what sc_blinded_seal says. */
SC_API SC_NODISCARD sc_status sc_encode_for_inbox(sc_buffer *out, const sc_env *env, const sc_keypair *from,
                                                  const uint8_t server[SC_AT_LEAST(32)], const sc_id *to,
                                                  sc_bytes content, const sc_ed25519_pair *pro);

SC_API_END

#endif
