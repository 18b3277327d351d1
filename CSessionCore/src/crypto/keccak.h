/* SHA3 and SHAKE (FIPS 202) as one incremental sponge over nettle's permutation, whose own SHAKE is one-shot
 * and lacks SHAKE128.
 *
 * Absorb in pieces, finish once, then squeeze in pieces. The state holds secrets: wipe it. */
#ifndef SC_CRYPTO_KECCAK_H
#define SC_CRYPTO_KECCAK_H

#include <nettle/sha3.h>

#include "session-core/base/bytes.h"

/* The bytes absorbed or squeezed between two permutations, and what is appended to the input. */
typedef struct sc_keccak_kind {
  size_t rate;
  uint8_t suffix;
} sc_keccak_kind;

#define SC_SHAKE128 ((sc_keccak_kind){168, 0x1f})
#define SC_SHAKE256 ((sc_keccak_kind){136, 0x1f})
#define SC_SHA3_256 ((sc_keccak_kind){136, 0x06})
#define SC_SHA3_512 ((sc_keccak_kind){72, 0x06})

typedef struct sc_keccak {
  struct sha3_state state;
  sc_keccak_kind kind;
  size_t at; /* bytes of the current block that are used */
} sc_keccak;

void sc_keccak_init(sc_keccak *out, sc_keccak_kind kind);
void sc_keccak_absorb(sc_keccak *sponge, sc_bytes bytes);
void sc_keccak_finish(sc_keccak *sponge);
void sc_keccak_squeeze(sc_keccak *sponge, uint8_t *out, size_t len);
void sc_keccak_wipe(sc_keccak *sponge);

/* All of it for the concatenation of two inputs. */
void sc_keccak_hash(uint8_t *out, size_t out_len, sc_keccak_kind kind, sc_bytes first, sc_bytes second);

#endif
