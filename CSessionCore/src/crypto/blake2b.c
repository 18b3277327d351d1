#include "blake2b.h"

#include <assert.h>
#include <sodium.h>

#include "session-core/base/secret.h"

void sc_blake2b_pieces(uint8_t *out, size_t out_len, sc_bytes key, const uint8_t *personal,
                       const sc_bytes *pieces, size_t count) {
  crypto_generichash_blake2b_state state;
  int failed =
      crypto_generichash_blake2b_init_salt_personal(&state, key.ptr, key.len, out_len, NULL, personal);
  for (size_t i = 0; i < count; i++)
    failed |= crypto_generichash_blake2b_update(&state, pieces[i].ptr, pieces[i].len);
  failed |= crypto_generichash_blake2b_final(&state, out, out_len);
  assert(failed == 0);
  (void)failed;
  sc_wipe(&state, sizeof state);
}
