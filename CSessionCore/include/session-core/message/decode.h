/* Decoding: one function for each place where messages are found, from stored bytes to a content with a
 * verified sender.
 *
 * The result was decrypted, its signatures were checked and its sender is verified, except in a community's
 * room, where the server names the sender. The caller still applies the rules of receiving: duplicates,
 * blocked senders, the rules of each kind. In addition to the listed failures, each function returns
 * SC_ERR_TOO_LARGE for input larger than any message. */
#ifndef SC_MESSAGE_DECODE_H
#define SC_MESSAGE_DECODE_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"
#include "../crypto/id.h"
#include "../crypto/keys.h"
#include "../crypto/seal.h"
#include "content.h"
#include "pro.h"

SC_API_BEGIN

typedef enum sc_envelope_flag {
  SC_ENVELOPE_SOURCE = 1,
  SC_ENVELOPE_SOURCE_DEVICE = 2,
  SC_ENVELOPE_SERVER_TIMESTAMP = 4,
  SC_ENVELOPE_PRO_SIGNATURE = 8, /* a signature is present, and the content has Pro data */
  SC_ENVELOPE_TIMESTAMP = 16,
} sc_envelope_flag;

/* The time of a message in a community's room or inbox is that of posting, from the server. */
typedef struct sc_envelope {
  unsigned flags; /* the fields below that were present */
  sc_id source;   /* unverified, for information only */
  uint32_t source_device;
  uint64_t timestamp_ms;
  uint64_t server_timestamp_ms;
} sc_envelope;

typedef struct sc_message_pro {
  sc_pro_status status;
  bool has_proof;
  sc_pro_proof proof;        /* if has_proof */
  uint64_t profile_features; /* valid only if the status is SC_PRO_VALID */
  uint64_t message_features;
} sc_message_pro;

typedef struct sc_message sc_message;

/* Decodes a message from the account's own swarm, sent by a contact or by another own device. `keys` are
 * tried in order. Failures, in this order: SC_ERR_WRAPPING, SC_ERR_WRAPPING_EMPTY, SC_ERR_ENVELOPE,
 * SC_ERR_ENVELOPE_SOURCE, SC_ERR_ENVELOPE_EMPTY, SC_ERR_NO_KEY (or, with a single key, the status of
 * sc_seal_open), the statuses of sc_content_parse, SC_ERR_PRO_SIGNATURE_SIZE, SC_ERR_PRO_TIME,
 * SC_ERR_PRO_PROOF; SC_ERR_MESSAGE_TIME unless the time on the envelope is possible and equal to the time
 * inside, which old clients leave out. */
SC_API SC_NODISCARD sc_status sc_decode_from_contact(sc_message **out, const sc_env *env,
                                                     const sc_x25519_pair *keys, size_t key_count,
                                                     const uint8_t pro_backend[SC_AT_LEAST(32)],
                                                     sc_bytes stored);

/* Decodes a message from a group's swarm. `keys` are the group's, tried in order; after SC_ERR_NO_KEY keep
 * the message until new keys arrive. SC_ERR_ID_KIND unless `group` begins with 03, the statuses of
 * sc_group_open, then as for contacts from SC_ERR_ENVELOPE on. */
SC_API SC_NODISCARD sc_status sc_decode_from_group(sc_message **out, const sc_env *env, const sc_id *group,
                                                   const sc_bytes *keys, size_t key_count,
                                                   const uint8_t pro_backend[SC_AT_LEAST(32)],
                                                   sc_bytes stored);

/* Decodes a message from a community's room, posted at `posted_s`: a content, or an envelope around one. Its
 * sender is not verified. Failures, in this order: SC_ERR_ENVELOPE_SOURCE, the statuses of sc_content_parse,
 * SC_ERR_PRO_SIGNATURE_TWICE, SC_ERR_PRO_SIGNATURE_SIZE, SC_ERR_PRO_PROOF; SC_ERR_MESSAGE_TIME unless the
 * time inside, if any, is within six hours of `posted_s`. */
SC_API SC_NODISCARD sc_status sc_decode_from_community(sc_message **out, const sc_env *env,
                                                       const uint8_t pro_backend[SC_AT_LEAST(32)],
                                                       uint64_t posted_s, sc_bytes data);

/* Decodes a message from a community's inbox or outbox. The statuses of sc_blinded_open, then as for a room.
 */
SC_API SC_NODISCARD sc_status sc_decode_from_inbox(sc_message **out, const sc_env *env, const sc_keypair *me,
                                                   const uint8_t server[SC_AT_LEAST(32)],
                                                   const sc_id *sender_id, const sc_id *recipient_id,
                                                   const uint8_t pro_backend[SC_AT_LEAST(32)],
                                                   uint64_t posted_s, sc_bytes data);

SC_API void sc_message_free(sc_message *message);

/* Return the parts, valid as long as the message. */
SC_API sc_bytes sc_message_content(const sc_message *message);
/* Returns the UTF-8 text of the message; empty if it has none. */
SC_API sc_bytes sc_message_text(const sc_message *message);
SC_API const sc_envelope *sc_message_envelope(const sc_message *message);
SC_API const sc_message_pro *sc_message_pro_data(const sc_message *message);
/* Returns the verified sender; NULL for a message from a community's room. */
SC_API const sc_sender *sc_message_sender(const sc_message *message);

SC_API_END

#endif
