#include "starts.h"

#include "../../crypto/blake2b.h"
#include "../moment.h"

void sc_starts_begin(sc_starts *starts, const sc_env *env, uint64_t now) {
  starts->began_at = now;
  sc_random(env, starts->secret, sizeof starts->secret);
}

uint64_t sc_starts_of(const sc_starts *starts, uint64_t local_account, uint64_t spread) {
  uint64_t drawn[2];
  const sc_bytes account = sc_bytes_make((const uint8_t *)&local_account, sizeof local_account);
  sc_blake2b_pieces((uint8_t *)drawn, sizeof drawn, SC_BYTES(starts->secret), NULL, &account, 1);
  return sc_later(starts->began_at, drawn[0] % (spread + 1));
}

bool sc_starts_are_over(const sc_starts *starts, uint64_t spread, uint64_t now) {
  return sc_later(starts->began_at, spread) <= now;
}
