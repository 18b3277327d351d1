/* An established connection without cryptography, and datagrams from the input: whole ones, or frames that
 * are put into packets of the right number and connection id, so that they are read. Between them calls are
 * made and time passes. Nothing breaks, nothing is left behind, every call ends once. */
#include "quic_world.h"

enum { most_steps = 64 };

typedef struct attack {
  world w;
  uint32_t numbers[2]; /* of the packets made up so far, from each side */
} attack;

/* A packet with a short head: a 4-byte number far above those that were really sent. */
static void send_frames(attack *a, size_t to, sc_bytes frames) {
  static uint8_t packet[SC_QUIC_MAX_DATAGRAM_BYTES];
  const world_side *from = &a->w.sides[1 - to];
  size_t len = 0;
  uint32_t number = 1000 + a->numbers[to]++;
  packet[len++] = 0x43;
  memcpy(packet + len, from->peer_id, sc_quic_id_bytes);
  len += sc_quic_id_bytes;
  for (int shift = 24; shift >= 0; shift -= 8)
    packet[len++] = (uint8_t)(number >> shift);
  memcpy(packet + len, frames.ptr, frames.len);
  len += frames.len;
  memset(packet + len, 0, null_overhead);
  len += null_overhead;
  world_receive(&a->w, to, &from->address, sc_bytes_make(packet, len), 0);
}

static void step(attack *a, sc_bytes *input) {
  uint8_t choice = fuzz_take_byte(input);
  size_t to = choice & 1;
  world *w = &a->w;
  switch (choice >> 1 & 7) {
  case 0:
    world_receive(w, to, &w->sides[1 - to].address, fuzz_take(input, fuzz_take_byte(input)), choice >> 4);
    break;
  case 1:
    w->now += (uint64_t)1 << (fuzz_take_byte(input) % 36);
    break;
  case 2:
    world_call(w, (choice >> 4 & 1) != 0 ? "keep" : "echo", fuzz_take(input, fuzz_take_byte(input)),
               choice >> 5);
    break;
  case 3:
    world_drive(w, to);
    break;
  default:
    send_frames(a, to, fuzz_take(input, fuzz_take_byte(input)));
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static attack a;
  sc_bytes input = sc_bytes_make(data, size);
  a.numbers[0] = a.numbers[1] = 0;
  world_init(&a.w, NULL);
  world_connect(&a.w);
  world_call(&a.w, "echo", sc_bytes_text("hello"), 0);
  world_settle(&a.w);
  REQUIRE(a.w.done == 1 && a.w.sides[world_server].opened == 1);
  for (size_t i = 0; i < most_steps && input.len > 0; i++)
    step(&a, &input);
  world_settle(&a.w);
  world_free(&a.w);
  return 0;
}
