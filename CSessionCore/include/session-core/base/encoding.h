/* Text encodings of bytes: hexadecimal, base64 in both alphabets, base32z.
 *
 * Nothing allocates. Running time depends only on lengths, never on the data, so keys can be encoded: a
 * decoder reads all of its input before it reports an error. Decoders are strict: no white space, no
 * characters of another alphabet, no stray bits. */
#ifndef SC_BASE_ENCODING_H
#define SC_BASE_ENCODING_H

#include "api.h"
#include "bytes.h"

SC_API_BEGIN

/* The length of the hexadecimal form of `n` bytes, without the terminating NUL. */
#define SC_HEX_CHARS(n) ((size_t)(n)*2)

/* Writes SC_HEX_CHARS(in.len) lower-case digits and a NUL. */
SC_API void sc_hex_encode(char *out, sc_bytes in);

/* Reads exactly `out_len` bytes from 2 × `out_len` digits of either case. SC_ERR_HEX. */
SC_API SC_NODISCARD sc_status sc_hex_decode(uint8_t *out, size_t out_len, sc_bytes text);

typedef enum sc_base64_alphabet {
  SC_BASE64_STANDARD, /* + and /, written with padding */
  SC_BASE64_URL,      /* - and _, written without padding */
} sc_base64_alphabet;

/* An upper bound of the length of the base64 form of `n` bytes, without the terminating NUL. */
#define SC_BASE64_CHARS(n) (((size_t)(n) + 2) / 3 * 4)

/* Writes the text and a NUL, and returns the number of characters. `out` has SC_BASE64_CHARS(in.len) + 1
 * bytes. */
SC_API size_t sc_base64_encode(char *out, sc_bytes in, sc_base64_alphabet alphabet);

/* Returns the decoded length of base64 text, whose padding may be complete or absent. SC_ERR_BASE64 if no
 * text has this length. */
SC_API SC_NODISCARD sc_status sc_base64_decoded_len(size_t *out, sc_bytes text);

/* Reads exactly `out_len` bytes, as sc_base64_decoded_len returned. SC_ERR_BASE64. */
SC_API SC_NODISCARD sc_status sc_base64_decode(uint8_t *out, size_t out_len, sc_bytes text,
                                               sc_base64_alphabet alphabet);

/* The length of the base32z form of `n` bytes, without the terminating NUL. */
#define SC_BASE32Z_CHARS(n) (((size_t)(n)*8 + 4) / 5)

/* Writes SC_BASE32Z_CHARS(in.len) lower-case characters and a NUL. */
SC_API void sc_base32z_encode(char *out, sc_bytes in);

/* Reads exactly `out_len` bytes from SC_BASE32Z_CHARS(out_len) characters of either case. SC_ERR_BASE32Z. */
SC_API SC_NODISCARD sc_status sc_base32z_decode(uint8_t *out, size_t out_len, sc_bytes text);

SC_API_END

#endif
