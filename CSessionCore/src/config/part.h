/* One part of a config message, before encryption. */
#ifndef SC_CONFIG_PART_H
#define SC_CONFIG_PART_H

#include "session-core/base/bytes.h"

/* The maximum number of parts of one message: the number is one byte. */
#define SC_CONFIG_MAX_PARTS 255

typedef struct sc_config_part {
  const uint8_t *set; /* the name of the parts, SC_CONFIG_SET_BYTES */
  uint8_t index;
  uint8_t count; /* number of parts; more than `index`, at least 2 */
  sc_bytes chunk;
} sc_config_part;

/* Reads a part; `out` points into it. SC_ERR_TOO_LARGE over SC_STORED_MAX_BYTES, else SC_ERR_CONFIG_PART. */
SC_NODISCARD sc_status sc_config_part_read(sc_config_part *out, sc_bytes plain);

/* Appends a part: the chunk and SC_CONFIG_PART_OVERHEAD more bytes. */
SC_NODISCARD sc_status sc_config_part_append(sc_buffer *out, const sc_config_part *part);

#endif
