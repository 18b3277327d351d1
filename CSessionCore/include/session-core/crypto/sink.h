/* Sinks: receivers of streamed output. */
#ifndef SC_CRYPTO_SINK_H
#define SC_CRYPTO_SINK_H

#include "../base/api.h"
#include "../base/bytes.h"

SC_API_BEGIN

/* The longest piece. */
#define SC_SINK_MAX_BYTES (64 * 1024)

/* `write` is called during the calls that produce output. The piece is borrowed until `write` returns. A
 * result other than SC_OK ends the stream and is returned to the caller. */
typedef struct sc_sink {
  void *user;
  sc_status (*write)(void *user, sc_bytes piece);
} sc_sink;

/* Returns a sink that appends to a buffer. */
SC_API sc_sink sc_sink_to_buffer(sc_buffer *buffer);

SC_API_END

#endif
