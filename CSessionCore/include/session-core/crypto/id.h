/* Ids: a byte for the kind and a 32-byte key, written as 66 lower-case hexadecimal digits. */
#ifndef SC_CRYPTO_ID_H
#define SC_CRYPTO_ID_H

#include "../base/api.h"
#include "../base/bytes.h"

SC_API_BEGIN

#define SC_ID_BYTES 33
#define SC_ID_CHARS 66

typedef enum sc_id_kind {
  SC_ID_UNBLINDED = 0x00,  /* a user's Ed25519 key, for communities without blinding */
  SC_ID_GROUP = 0x03,      /* a group's Ed25519 key */
  SC_ID_STANDARD = 0x05,   /* a user's X25519 key: the account id ("Session ID") */
  SC_ID_VERSION = 0x07,    /* a key derived one-way from the seed, for version checks */
  SC_ID_BLINDED_15 = 0x15, /* a user's id in one community */
  SC_ID_BLINDED_25 = 0x25, /* the same, second version */
} sc_id_kind;

typedef struct sc_id {
  uint8_t bytes[SC_ID_BYTES];
} sc_id;

SC_API void sc_id_make(sc_id *out, sc_id_kind kind, const uint8_t key[SC_AT_LEAST(32)]);

/* Makes an id of 33 bytes. SC_ERR_ID_LENGTH for another length, SC_ERR_ID_PREFIX for an unknown kind. */
SC_API SC_NODISCARD sc_status sc_id_from_bytes(sc_id *out, sc_bytes bytes);

/* Reads the text form in either case. Checks in this order: SC_ERR_ID_LENGTH, SC_ERR_ID_HEX,
 * SC_ERR_ID_PREFIX. */
SC_API SC_NODISCARD sc_status sc_id_parse(sc_id *out, sc_bytes text);

/* Writes SC_ID_CHARS digits and a NUL. */
SC_API void sc_id_format(char out[SC_AT_LEAST(67)], const sc_id *id);

SC_API sc_id_kind sc_id_kind_of(const sc_id *id);

/* Returns the 32-byte key, valid as long as `id`. */
SC_API const uint8_t *sc_id_key(const sc_id *id);

SC_API_END

#endif
