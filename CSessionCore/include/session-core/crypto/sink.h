/* Where streaming functions put their output, piece by piece. */
#ifndef SC_CRYPTO_SINK_H
#define SC_CRYPTO_SINK_H

#include "../base/api.h"
#include "../base/bytes.h"

SC_API_BEGIN

/* Pieces are at most this long. */
#define SC_SINK_MAX_BYTES (64 * 1024)

/* `write` is called inside the calls that produce output. The piece is borrowed: it is gone when `write`
 * returns. Anything but SC_OK ends the stream and is returned to the caller. */
typedef struct sc_sink {
  void *user;
  sc_status (*write)(void *user, sc_bytes piece);
} sc_sink;

/* A sink that appends to a buffer. */
SC_API sc_sink sc_sink_to_buffer(sc_buffer *buffer);

SC_API_END

#endif
