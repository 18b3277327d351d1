#include "session-core/crypto/sink.h"

static sc_status append(void *user, sc_bytes piece) {
  return sc_buffer_append((sc_buffer *)user, piece);
}

sc_sink sc_sink_to_buffer(sc_buffer *buffer) {
  return (sc_sink){.user = buffer, .write = append};
}
