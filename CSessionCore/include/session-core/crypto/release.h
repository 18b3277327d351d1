/* Signed releases: signatures of minisign, and lists of SHA-256 sums.
 *
 * Reading is apart from believing: what sc_minisign_signature_read returns is unverified, and its comment is
 * only true once sc_minisign_verify succeeded. Nothing allocates. Texts that are returned borrow from those
 * that were read. Distinct values are independent of each other. */
#ifndef SC_CRYPTO_RELEASE_H
#define SC_CRYPTO_RELEASE_H

#include "../base/api.h"
#include "../base/bytes.h"

SC_API_BEGIN

#define SC_MINISIGN_KEY_ID_BYTES 8
/* The longest key or signature, as text. */
#define SC_MINISIGN_MAX_TEXT 4096
/* The longest list of sums, and name in one. */
#define SC_SUMS_MAX_TEXT 1048576
#define SC_SUMS_MAX_NAME 255

typedef struct sc_minisign_key {
  uint8_t id[8];
  uint8_t key[32];
} sc_minisign_key;

/* Reads a public key: its line of base64, or a file of minisign, which has a comment before it.
 * SC_ERR_FILE_FORMAT. */
SC_API SC_NODISCARD sc_status sc_minisign_key_read(sc_minisign_key *out, sc_bytes text);

typedef struct sc_minisign_signature {
  uint8_t key_id[8];
  uint8_t signature[64];
  uint8_t comment_signature[64];
  sc_bytes trusted_comment; /* one line of UTF-8; unverified */
} sc_minisign_signature;

/* Reads a signature file of minisign. SC_ERR_FILE_FORMAT; SC_ERR_VERSION for the older form, which does not
 * hash the file first. */
SC_API SC_NODISCARD sc_status sc_minisign_signature_read(sc_minisign_signature *out, sc_bytes text);

/* Verifies the signature of a file and of the comment. SC_ERR_SIGNATURE, also for a signature by another key,
 * whose id differs. */
SC_API SC_NODISCARD sc_status sc_minisign_verify(const sc_minisign_signature *signature,
                                                 const sc_minisign_key *key, sc_bytes file);

/* Finds the SHA-256 sum of a file in a list of lines `HEX  NAME`, in the strict order of the names, each with
 * a line feed. Reads all of the list, whatever it finds. SC_ERR_FILE_FORMAT for any other list,
 * SC_ERR_NOT_FOUND. */
SC_API SC_NODISCARD sc_status sc_sums_find(uint8_t out[SC_AT_LEAST(32)], sc_bytes list, sc_bytes name);

SC_API_END

#endif
