/* The envelope of configs: from the bytes of one config message to what is stored in a swarm, and back.
 *
 *   message  ->  packed: compressed if that is smaller  ->  padded  ->  encrypted  ->  stored
 *
 * Everything is deterministic: equal messages become equal bytes, on every device. A user's configs are also
 * wrapped as old clients expect them (legacy_wrap.h); a message too large to be stored whole is stored in
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

/* The length a message of `len` bytes is padded to, so that with `overhead` more bytes it is a multiple of
 * 256, and of more the longer it is. */
SC_API size_t sc_config_padded_len(size_t len, size_t overhead);

/* Replaces `out` with as many zeros as are due, and the message. */
SC_API SC_NODISCARD sc_status sc_config_pad(sc_buffer *out, sc_bytes message, size_t overhead);

/* The message without the zeros before it; empty when there is nothing else. */
SC_API sc_bytes sc_config_unpadded(sc_bytes padded);

/* Replaces `out` with the compressed message if that is smaller, else with the message. */
SC_API SC_NODISCARD sc_status sc_config_pack(sc_buffer *out, sc_bytes message);

/* Replaces `out` with the message from its packed form, padded or not. SC_ERR_FORMAT when there is none or it
 * does not begin as config messages do, SC_ERR_VERSION for a form that is not known; SC_ERR_COMPRESSION;
 * SC_ERR_TOO_LARGE over SC_CONFIG_MAX_BYTES. */
SC_API SC_NODISCARD sc_status sc_config_unpack(sc_buffer *out, sc_bytes padded);

/* Encrypts with a key of 32 bytes. SC_ERR_ARGUMENT for the length of the domain, SC_ERR_KEY_SIZE. */
SC_API SC_NODISCARD sc_status sc_config_encrypt(sc_buffer *out, sc_bytes key, sc_bytes domain,
                                                sc_bytes message);

/* Decrypts with the first of `keys` that fits. As above, then SC_ERR_TRUNCATED below
 * SC_CONFIG_ENCRYPT_OVERHEAD, SC_ERR_NO_KEY. */
SC_API SC_NODISCARD sc_status sc_config_decrypt(sc_buffer *out, const sc_bytes *keys, size_t key_count,
                                                sc_bytes domain, sc_bytes encrypted);

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

SC_API void sc_config_stored_init(sc_config_stored *stored, const sc_env *env);
SC_API void sc_config_stored_free(sc_config_stored *stored);

/* How many messages there are to store, and each of them until `stored` changes. `index` is less than that.
 */
SC_API size_t sc_config_stored_count(const sc_config_stored *stored);
SC_API sc_bytes sc_config_stored_message(const sc_config_stored *stored, size_t index);

/* Replaces `out` with the stored form of a config message: wrapped if it is to be and then still fits, in
 * parts if it would not fit whole. `seqno` is the message's own, for the wrapping. SC_ERR_ARGUMENT for what
 * does not begin as config messages do, for an envelope without a key, and for the length of its domain;
 * SC_ERR_KEY_SIZE; SC_ERR_TOO_LARGE over SC_CONFIG_MAX_BYTES, or SC_CONFIG_MAX_PADDED_BYTES when padded. */
SC_API SC_NODISCARD sc_status sc_config_seal(sc_config_stored *out, const sc_config_envelope *envelope,
                                             int64_t seqno, sc_bytes message);

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
