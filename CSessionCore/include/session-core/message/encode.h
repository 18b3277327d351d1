/* Encoding: one function for each destination, from the bytes of a content to what is stored or posted.
 *
 * `content` comes from sc_message_body_write; it is parsed first, so nothing unreadable is sent. `pro` is the
 * rotating pair of the sender's proof, or NULL; without one, messages carry a decoy signature, and none in
 * communities. Call sc_message_body_check_sending first to check that the message may be sent there. */
#ifndef SC_MESSAGE_ENCODE_H
#define SC_MESSAGE_ENCODE_H

#include "../base/api.h"
#include "../base/bytes.h"
#include "../crypto/id.h"
#include "../crypto/keys.h"

SC_API_BEGIN

/* The size limit of a stored message, decoded. */
#define SC_STORED_MAX_BYTES 76800

/* Encodes for the swarm of a contact; for the copy to the account's own devices `to` is the own id.
 * Failures, in this order: SC_ERR_ID_KIND unless 05, the statuses of sc_content_parse, SC_ERR_MESSAGE_TIME
 * for 0, more than 2^53 or a time other than the content's, SC_ERR_KEY_INVALID, SC_ERR_TOO_LARGE over
 * SC_STORED_MAX_BYTES. */
SC_API SC_NODISCARD sc_status sc_encode_for_contact(sc_buffer *out, const sc_env *env, const sc_keypair *from,
                                                    const sc_id *to, sc_bytes content, uint64_t sent_ms,
                                                    const sc_ed25519_pair *pro);

/* Encodes for the swarm of a group. `key` is the group's current key. SC_ERR_ID_KIND unless 03, content and
 * time as above, SC_ERR_KEY_SIZE, SC_ERR_TOO_LARGE. */
SC_API SC_NODISCARD sc_status sc_encode_for_group(sc_buffer *out, const sc_env *env, const sc_keypair *from,
                                                  const sc_id *group, sc_bytes key, sc_bytes content,
                                                  uint64_t sent_ms, const sc_ed25519_pair *pro);

/* Encodes for a community's room. The statuses of sc_content_parse; SC_ERR_PRO_SIGNATURE_TWICE if the
 * content already has a signature. With `pro` the content is rewritten with fields in ascending order, as
 * others verify it. */
SC_API SC_NODISCARD sc_status sc_encode_for_community(sc_buffer *out, const sc_env *env, sc_bytes content,
                                                      const sc_ed25519_pair *pro);

/* Encodes for a community's inbox: as for a room, then encrypted for the blinded id `to`, with the statuses
 * of sc_blinded_seal. */
SC_API SC_NODISCARD sc_status sc_encode_for_inbox(sc_buffer *out, const sc_env *env, const sc_keypair *from,
                                                  const uint8_t server[SC_AT_LEAST(32)], const sc_id *to,
                                                  sc_bytes content, const sc_ed25519_pair *pro);

SC_API_END

#endif
