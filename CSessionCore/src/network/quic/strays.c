#include "strays.h"

#include <assert.h>

void sc_quic_strays_init(sc_quic_strays *strays, const sc_env *env) {
  *strays = (sc_quic_strays){.env = env};
}

void sc_quic_strays_free(sc_quic_strays *strays) {
  sc_release(strays->env, strays->ring);
  sc_quic_strays_init(strays, strays->env);
}

sc_quic_stray *sc_quic_strays_place(sc_quic_strays *strays) {
  if (strays->ring == NULL)
    strays->ring = sc_allocate(strays->env, sc_quic_most_strays * sizeof *strays->ring);
  if (strays->ring == NULL || strays->count == sc_quic_most_strays)
    return NULL;
  return &strays->ring[(strays->first + strays->count) % sc_quic_most_strays];
}

void sc_quic_strays_push(sc_quic_strays *strays, size_t len) {
  assert(strays->count < sc_quic_most_strays && len > 0 && len <= sc_quic_stray_bytes);
  strays->ring[(strays->first + strays->count) % sc_quic_most_strays].len = (uint16_t)len;
  strays->count++;
}

void sc_quic_strays_send(sc_quic_strays *strays, sc_outbox *out) {
  while (strays->count > 0 && out->run_count < out->run_capacity) {
    const sc_quic_stray *stray = &strays->ring[strays->first];
    if (out->capacity - out->len < stray->len)
      return;
    uint8_t *bytes = out->bytes + out->len;
    memcpy(bytes, stray->bytes, stray->len);
    out->runs[out->run_count++] = (sc_datagrams){
        .local = stray->local, .peer = stray->peer, .bytes = {bytes, stray->len}, .segment = stray->len};
    out->len += stray->len;
    strays->first = (strays->first + 1) % sc_quic_most_strays;
    strays->count--;
  }
}
