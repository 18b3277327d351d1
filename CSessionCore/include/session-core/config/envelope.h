/* The envelope of configs: from the bytes of one config message to what is stored in a swarm, and back.
 *
 *   message  ->  packed: compressed if that is smaller  ->  padded  ->  encrypted  ->  stored
 *
 * Everything is deterministic: equal messages become equal bytes, on every device. A user's configs are also
 * wrapped as old clients expect them; a message too large to be stored whole is stored in
 * parts (multipart.h). Memory comes from the environment of what is written to. */
#ifndef SC_CONFIG_ENVELOPE_H
#define SC_CONFIG_ENVELOPE_H

#include "../base/api.h"
#include "../base/bytes.h"
#include "../crypto/keys.h"
#include "../message/encode.h"
#include "../message/kinds.h"

SC_API_BEGIN

/* Bytes of a config message, at most. */
#define SC_CONFIG_MAX_BYTES (16 * 1024 * 1024)
/* Bytes of a padded message, at most: what may be stored in parts. */
#define SC_CONFIG_MAX_PADDED_BYTES 5000000
/* Bytes of a domain, the name of a kind of config; it has one at least. */
#define SC_CONFIG_MAX_DOMAIN_BYTES 24
/* What encryption adds: tag and nonce. */
#define SC_CONFIG_ENCRYPT_OVERHEAD 40
/* What a set of parts is named with: the hash of what they make up. */
#define SC_CONFIG_SET_BYTES 32

/* Replaces `out` with the message from its packed form, padded or not. SC_ERR_FORMAT when there is none or it
 * does not begin as config messages do, SC_ERR_VERSION for a form that is not known; SC_ERR_COMPRESSION;
 * SC_ERR_TOO_LARGE over SC_CONFIG_MAX_BYTES. */
SC_API SC_NODISCARD sc_status sc_config_unpack(sc_buffer *out, sc_bytes padded);

/* What the messages of one config are sealed with. It borrows all it points to. */
typedef struct sc_config_envelope {
  sc_bytes domain;
  const sc_bytes *keys; /* of 32 bytes: the first seals, each may open */
  size_t key_count;
  const sc_keypair *account;  /* whose messages are wrapped; NULL when this config is never wrapped */
  sc_legacy_config_kind kind; /* what the wrapping says it holds */
} sc_config_envelope;

/* The form in which a message is stored: whole, or in parts. The caller's, to be freed. */
typedef struct sc_config_stored {
  sc_buffer bytes; /* one message behind the other, all but the last SC_STORED_MAX_BYTES long */
  uint8_t set[SC_CONFIG_SET_BYTES]; /* the name of the parts; zeros when there is one message */
} sc_config_stored;

/* How many messages there are to store, and each of them until `stored` changes. `index` is less than that.
 */
SC_API size_t sc_config_stored_count(const sc_config_stored *stored);
SC_API sc_bytes sc_config_stored_message(const sc_config_stored *stored, size_t index);

typedef enum sc_config_form {
  SC_CONFIG_WHOLE = 1, /* the bytes of a config message */
  SC_CONFIG_PART = 2,  /* a part, for sc_config_parts_accept */
} sc_config_form;

/* Opens one stored message, whether it was wrapped or not; `*form` says what `out` then holds. A message that
 * does not open is to be left where it is stored: it may be of a form that is yet to come.
 * SC_ERR_TOO_LARGE over SC_STORED_MAX_BYTES, then what sc_config_decrypt and sc_config_unpack say. */
SC_API SC_NODISCARD sc_status sc_config_open(sc_buffer *out, sc_config_form *form,
                                             const sc_config_envelope *envelope, sc_bytes stored);

SC_API_END

#endif
