#include "session-core/message/padding.h"

#include "../base/little.h"

enum { marker = 0x80 };

size_t sc_padded_len(size_t len) {
  return len + 1 + (SC_MESSAGE_PADDING - (len + 1) % SC_MESSAGE_PADDING);
}

sc_status sc_pad(sc_buffer *out, sc_bytes message) {
  sc_buffer_clear(out);
  if (message.len > SIZE_MAX - 2 * SC_MESSAGE_PADDING)
    return SC_ERR_NO_MEMORY;
  uint8_t *room;
  size_t padded_len = sc_padded_len(message.len);
  sc_status status = sc_buffer_extend(&room, out, padded_len);
  if (status != SC_OK)
    return status;
  if (message.len > 0)
    memcpy(room, message.ptr, message.len);
  memset(room + message.len, 0, padded_len - message.len);
  room[message.len] = marker;
  return SC_OK;
}

/* All ones when `value` is not zero, else zero. */
static uint64_t mask_nonzero(uint64_t value) {
  return (uint64_t)0 - ((value | (0 - value)) >> 63);
}

static uint64_t select(uint64_t mask, uint64_t chosen, uint64_t otherwise) {
  return otherwise ^ (mask & (chosen ^ otherwise));
}

static uint64_t load_word(const uint8_t *ptr, size_t len) {
  uint8_t bytes[sizeof(uint64_t)] = {0};
  memcpy(bytes, ptr, len);
  return sc_load_u64(bytes);
}

/* Looks at every word, then at every byte of the last one that is not zero. */
sc_bytes sc_unpadded(sc_bytes padded) {
  uint64_t last_word = 0;
  uint64_t word_at = 0;
  for (size_t at = 0; at < padded.len; at += sizeof last_word) {
    size_t left = padded.len - at;
    uint64_t word = load_word(padded.ptr + at, left < sizeof word ? left : sizeof word);
    uint64_t found = mask_nonzero(word);
    last_word = select(found, word, last_word);
    word_at = select(found, at, word_at);
  }
  uint64_t last_byte = 0;
  uint64_t len = 0;
  for (unsigned i = 0; i < sizeof last_word; i++) {
    uint64_t byte = last_word >> (8 * i) & 0xff;
    uint64_t found = mask_nonzero(byte);
    last_byte = select(found, byte, last_byte);
    len = select(found, word_at + i + 1, len);
  }
  len -= ~mask_nonzero(last_byte ^ marker) & 1;
  return sc_bytes_make(padded.ptr, (size_t)len);
}
