/* Texts and blobs that are too large for their row come before it, in pieces. */
#ifndef SC_SRC_ARCHIVE_LONG_VALUES_H
#define SC_SRC_ARCHIVE_LONG_VALUES_H

#include <stdbool.h>

#include "session-core/archive/contents.h"

/* The most values on their way at a time. */
enum { sc_long_values_most = 1000 };

typedef struct sc_long_value {
  uint32_t number;
  bool complete;
  bool taken;
  sc_buffer bytes;
} sc_long_value;

typedef struct sc_long_values {
  const sc_env *env;
  sc_long_value *values[sc_long_values_most];
  size_t count;
  size_t bytes; /* of all of them */
} sc_long_values;

void sc_long_values_init(sc_long_values *out, const sc_env *env);
void sc_long_values_free(sc_long_values *values);

/* Reads a frame. SC_ERR_ARCHIVE_FRAME, also for too many or too large values; SC_ERR_ARCHIVE_ORDER for a
 * piece of another value than the one that is coming, or a number that is in use. */
SC_NODISCARD sc_status sc_long_values_add(sc_long_values *values, sc_bytes payload);

/* Gives a value to its row, until the next call of sc_long_values_drop_taken. SC_ERR_ARCHIVE_ORDER if it is
 * not there. */
SC_NODISCARD sc_status sc_long_values_take(sc_bytes *out, sc_long_values *values, int64_t number);

void sc_long_values_drop_taken(sc_long_values *values);

#endif
