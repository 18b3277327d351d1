/* The stored form of configs: from the bytes of a config message to messages in a swarm, and back.
 *
 *   message  ->  packed: compressed if smaller  ->  padded  ->  encrypted  ->  stored
 *
 * Everything is deterministic: equal messages give equal bytes on every device. Configs of an account are
 * also wrapped like messages, for old clients. A message too large for one stored message is stored in parts
 * (multipart.h). Memory comes from the environment of the output. */
#ifndef SC_CONFIG_ENVELOPE_H
#define SC_CONFIG_ENVELOPE_H

#include "../base/api.h"
#include "../base/bytes.h"
#include "../crypto/keys.h"
#include "../message/encode.h"
#include "../message/kinds.h"

SC_API_BEGIN

/* The size limit of a config message. */
#define SC_CONFIG_MAX_BYTES (16 * 1024 * 1024)
/* The size limit of a padded message, which can be stored in parts. */
#define SC_CONFIG_MAX_PADDED_BYTES 5000000
/* The length of a domain, the name of a kind of config; at least 1. */
#define SC_CONFIG_MAX_DOMAIN_BYTES 24
/* The overhead of encryption: tag and nonce. */
#define SC_CONFIG_ENCRYPT_OVERHEAD 40
/* The name of a set of parts: the hash of the message. */
#define SC_CONFIG_SET_BYTES 32

/* Replaces `out` with the message from its packed form, padded or not. SC_ERR_FORMAT if there is none or it
 * does not start like a config message, SC_ERR_VERSION for an unknown form, SC_ERR_COMPRESSION,
 * SC_ERR_TOO_LARGE over SC_CONFIG_MAX_BYTES. */
SC_API SC_NODISCARD sc_status sc_config_unpack(sc_buffer *out, sc_bytes padded);

/* The keys of the stored messages of one config. It borrows everything it points to. */
typedef struct sc_config_envelope {
  sc_bytes domain;
  const sc_bytes *keys; /* 32 bytes each: the first encrypts, any can decrypt */
  size_t key_count;
  const sc_keypair
      *account; /* the account whose messages are wrapped; NULL if this config is never wrapped */
  sc_legacy_config_kind kind; /* the kind in the wrapping */
} sc_config_envelope;

/* The stored form of a message: one message, or several parts. The caller frees it. */
typedef struct sc_config_stored {
  sc_buffer bytes; /* the messages one after another, all but the last SC_STORED_MAX_BYTES long */
  uint8_t set[SC_CONFIG_SET_BYTES]; /* the name of the set of parts; zeros for a single message */
} sc_config_stored;

/* Return the number of messages to store, and one of them, borrowed until `stored` changes. `index` is less
 * than the number. */
SC_API size_t sc_config_stored_count(const sc_config_stored *stored);
SC_API sc_bytes sc_config_stored_message(const sc_config_stored *stored, size_t index);

typedef enum sc_config_form {
  SC_CONFIG_WHOLE = 1, /* the bytes of a config message */
  SC_CONFIG_PART = 2,  /* a part, for sc_config_parts_accept */
} sc_config_form;

/* Decrypts one stored message, wrapped or not; `*form` is the form of `out`. Leave a message that fails
 * where it is stored: it may have a newer form. SC_ERR_TOO_LARGE over SC_STORED_MAX_BYTES, SC_ERR_ARGUMENT
 * for the length of the domain, SC_ERR_KEY_SIZE, SC_ERR_TRUNCATED, SC_ERR_NO_KEY, then the statuses of
 * sc_config_unpack. */
SC_API SC_NODISCARD sc_status sc_config_open(sc_buffer *out, sc_config_form *form,
                                             const sc_config_envelope *envelope, sc_bytes stored);

SC_API_END

#endif
