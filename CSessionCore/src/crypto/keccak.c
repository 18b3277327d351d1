#include "keccak.h"

#include "../base/little.h"
#include "session-core/base/secret.h"

enum { lane_bytes = 8 };

static void add_byte(sc_keccak *sponge, size_t at, uint8_t byte) {
  sponge->state.a[at / lane_bytes] ^= (uint64_t)byte << (8 * (at % lane_bytes));
}

void sc_keccak_init(sc_keccak *out, sc_keccak_kind kind) {
  memset(out, 0, sizeof *out);
  out->kind = kind;
}

static void permute_if_full(sc_keccak *sponge) {
  if (sponge->at < sponge->kind.rate)
    return;
  sha3_permute(&sponge->state);
  sponge->at = 0;
}

void sc_keccak_absorb(sc_keccak *sponge, sc_bytes bytes) {
  for (size_t i = 0; i < bytes.len;) {
    if (sponge->at % lane_bytes == 0 && bytes.len - i >= lane_bytes) {
      sponge->state.a[sponge->at / lane_bytes] ^= sc_load_u64(bytes.ptr + i);
      sponge->at += lane_bytes;
      i += lane_bytes;
    } else {
      add_byte(sponge, sponge->at++, bytes.ptr[i++]);
    }
    permute_if_full(sponge);
  }
}

void sc_keccak_finish(sc_keccak *sponge) {
  add_byte(sponge, sponge->at, sponge->kind.suffix);
  add_byte(sponge, sponge->kind.rate - 1, 0x80);
  sponge->at = sponge->kind.rate;
}

void sc_keccak_squeeze(sc_keccak *sponge, uint8_t *out, size_t len) {
  for (size_t i = 0; i < len;) {
    permute_if_full(sponge);
    uint64_t lane = sponge->state.a[sponge->at / lane_bytes];
    if (sponge->at % lane_bytes == 0 && len - i >= lane_bytes) {
      sc_store_u64(out + i, lane);
      sponge->at += lane_bytes;
      i += lane_bytes;
    } else {
      out[i++] = (uint8_t)(lane >> (8 * (sponge->at % lane_bytes)));
      sponge->at++;
    }
  }
}

void sc_keccak_wipe(sc_keccak *sponge) {
  sc_wipe(sponge, sizeof *sponge);
}

void sc_keccak_hash(uint8_t *out, size_t out_len, sc_keccak_kind kind, sc_bytes first, sc_bytes second) {
  sc_keccak sponge;
  sc_keccak_init(&sponge, kind);
  sc_keccak_absorb(&sponge, first);
  sc_keccak_absorb(&sponge, second);
  sc_keccak_finish(&sponge);
  sc_keccak_squeeze(&sponge, out, out_len);
  sc_keccak_wipe(&sponge);
}
