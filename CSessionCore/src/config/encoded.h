/* Walks bt that was checked on arrival or written by us, so it cannot fail. Also the kinds of values in
 * config data and the order of scalars. */
#ifndef SC_CONFIG_ENCODED_H
#define SC_CONFIG_ENCODED_H

#include "session-core/config/message.h"

/* Removes and returns the first value of `rest`, which must not be empty. */
sc_bytes sc_encoded_take(sc_bytes *rest);

/* Returns the content of a container without its brackets. */
sc_bytes sc_encoded_body(sc_bytes container);

sc_config_kind sc_encoded_kind(sc_bytes value);

/* Returns an integer, or a string that points into `value`. */
sc_config_value sc_encoded_scalar(sc_bytes value);

/* Orders integers before strings, and strings byte by byte. Negative, 0 or positive, as memcmp. */
int sc_config_compare(sc_config_value a, sc_config_value b);

/* The same for an encoded integer or string. */
int sc_encoded_compare_whole(sc_bytes encoded, sc_config_value scalar);

/* The first letters of short strings usually decide. */
static inline int sc_encoded_compare(sc_bytes encoded, sc_config_value scalar) {
  const uint8_t *text = encoded.ptr;
  if (text[1] == ':' && text[0] != '0' && scalar.kind == SC_CONFIG_STRING && scalar.string.len > 0 &&
      text[2] != scalar.string.ptr[0])
    return text[2] < scalar.string.ptr[0] ? -1 : 1;
  return sc_encoded_compare_whole(encoded, scalar);
}

/* Returns a number that is consistent with the order of scalars: a scalar with a smaller rank is less. Equal
 * ranks say nothing. */
uint64_t sc_encoded_rank(sc_bytes encoded);

/* The first bytes of a string, padded with 0. Integers precede all strings and have the rank of the empty
 * string. */
static inline uint64_t sc_config_rank(sc_config_value scalar) {
  uint64_t rank = 0;
  uint8_t bytes[sizeof rank] = {0};
  if (scalar.kind == SC_CONFIG_INTEGER || scalar.string.len == 0)
    return 0;
  if (scalar.string.len >= sizeof bytes)
    memcpy(bytes, scalar.string.ptr, sizeof bytes);
  else
    memcpy(bytes, scalar.string.ptr, scalar.string.len);
  for (size_t i = 0; i < sizeof bytes; i++)
    rank = rank << 8 | bytes[i];
  return rank;
}

/* Returns the size of the encoding of an integer or a string. */
size_t sc_encoded_size(sc_config_value scalar);

/* Writes it and returns its end. */
uint8_t *sc_encoded_put(uint8_t *at, sc_config_value scalar);

#endif
