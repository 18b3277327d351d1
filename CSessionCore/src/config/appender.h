/* Appending to a buffer piece by piece: the first failure is kept, and nothing is appended after it. */
#ifndef SC_SRC_CONFIG_APPENDER_H
#define SC_SRC_CONFIG_APPENDER_H

#include "session-core/base/bytes.h"

typedef struct sc_appender {
  sc_buffer *out;
  sc_status status;
} sc_appender;

static inline void sc_appender_bytes(sc_appender *appender, sc_bytes bytes) {
  if (appender->status == SC_OK)
    appender->status = sc_buffer_append(appender->out, bytes);
}

static inline void sc_appender_text(sc_appender *appender, const char *text) {
  sc_appender_bytes(appender, sc_bytes_text(text));
}

#endif
