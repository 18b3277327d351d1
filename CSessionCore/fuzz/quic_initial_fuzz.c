/* First packets at a server: raw datagrams, packets made around frames of the input, and first packets of a
 * real client changed on their way, with low limits so that retries, refusals and silence all come up. What a
 * server says to strangers is never more than three times what it heard. */
#include "quic_world.h"

enum {
  most_steps = 24,
  first_datagram = 1200,
};

typedef struct siege {
  world w;
  size_t heard;
  size_t said;
} siege;

static siege s;

static bool nothing_passes(world *w, size_t from) {
  (void)w;
  (void)from;
  return false;
}

static void hear(const sc_address *from, sc_bytes bytes) {
  s.heard += bytes.len;
  world_receive(&s.w, world_server, from, bytes, 0);
}

static void take_answers(void) {
  sc_datagrams runs[world_runs];
  sc_outbox out = {.runs = runs, .run_capacity = world_runs, .bytes = s.w.room, .capacity = sizeof s.w.room};
  do {
    sc_driven_send(sc_quic_driven(s.w.sides[world_server].endpoint), s.w.now, &out);
    s.said += out.len;
  } while (out.run_count > 0);
}

static sc_address stranger(uint8_t which) {
  sc_address address;
  const uint8_t ip[4] = {192, 0, 2, which};
  sc_address_ipv4(&address, ip, 7);
  return address;
}

/* A first packet with these frames, padded: ids of 8 bytes, no token, number 0. */
static void hear_frames(const sc_address *from, uint8_t id, sc_bytes frames) {
  uint8_t packet[first_datagram] = {0xc0, 0, 0, 0, 1, 8, id, 2, 3, 4, 5,  6,
                                    7,    8, 8, 1, 1, 1, 1,  1, 1, 1, id, 0};
  enum { head = 24 };
  size_t rest = first_datagram - head - 2;
  packet[head] = (uint8_t)(0x40 | rest >> 8);
  packet[head + 1] = (uint8_t)rest;
  packet[head + 2] = 0;
  if (frames.len > 0)
    memcpy(packet + head + 3, frames.ptr, frames.len);
  hear(from, SC_BYTES(packet));
}

/* Delivers a real client's first packet with some bytes changed. */
static void hear_client(const sc_address *from, sc_bytes changes) {
  sc_datagrams runs[world_runs];
  sc_outbox out = {.runs = runs, .run_capacity = world_runs, .bytes = s.w.room, .capacity = sizeof s.w.room};
  uint8_t packet[SC_QUIC_MAX_DATAGRAM_BYTES];
  world_connect(&s.w);
  sc_driven_send(sc_quic_driven(s.w.sides[world_client].endpoint), s.w.now, &out);
  REQUIRE(out.run_count > 0 && runs[0].segment <= sizeof packet);
  size_t len = runs[0].segment;
  memcpy(packet, runs[0].bytes.ptr, len);
  while (changes.len >= 3) {
    size_t at = (size_t)fuzz_take_byte(&changes) << 8;
    at |= fuzz_take_byte(&changes);
    packet[at % len] ^= fuzz_take_byte(&changes);
  }
  hear(from, sc_bytes_make(packet, len));
  REQUIRE(sc_quic_close(s.w.sides[world_client].endpoint, s.w.now, s.w.sides[world_client].connection) ==
          SC_OK);
  sc_driven_send(sc_quic_driven(s.w.sides[world_client].endpoint), s.w.now, &out);
  s.w.sides[world_client].closed = 0;
}

static void hear_raw(const sc_address *from, sc_bytes bytes, bool padded) {
  uint8_t packet[first_datagram] = {0};
  if (bytes.len > 0)
    memcpy(packet, bytes.ptr, bytes.len);
  hear(from, sc_bytes_make(packet, padded ? sizeof packet : bytes.len));
}

static void step(sc_bytes *input) {
  uint8_t choice = fuzz_take_byte(input);
  sc_address from = stranger(choice >> 4);
  switch (choice & 7) {
  case 0:
    hear_raw(&from, fuzz_take(input, fuzz_take_byte(input)), false);
    break;
  case 1:
    hear_raw(&from, fuzz_take(input, fuzz_take_byte(input)), true);
    break;
  case 2:
    hear_client(&from, fuzz_take(input, fuzz_take_byte(input)));
    break;
  case 3:
    s.w.now += (uint64_t)1 << (fuzz_take_byte(input) % 36);
    break;
  case 4:
    take_answers();
    break;
  default:
    hear_frames(&from, choice >> 3, fuzz_take(input, fuzz_take_byte(input)));
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sc_bytes input = sc_bytes_make(data, size);
  sc_quic_options options;
  sc_quic_options_default(&options);
  options.limits.connections = 6;
  options.limits.connections_per_host = 3;
  options.limits.handshakes = 5;
  options.limits.handshakes_before_retry = 3;
  options.limits.handshakes_per_host = 3;
  options.limits.hosts = 8;
  s.heard = s.said = 0;
  world_init(&s.w, &options.limits);
  s.w.passes = nothing_passes;
  for (size_t i = 0; i < most_steps && input.len > 0; i++)
    step(&input);
  for (size_t i = 0; i < 8; i++) {
    take_answers();
    s.w.now += 5 * SC_QUIC_SECOND;
  }
  take_answers();
  if (s.w.sides[world_server].opened == 0)
    REQUIRE(s.said <= 3 * s.heard);
  sc_quic_counts counts;
  sc_quic_endpoint_count(&counts, s.w.sides[world_server].endpoint);
  REQUIRE(counts.handshakes == 0 || s.w.sides[world_server].opened > 0);
  REQUIRE(counts.connections <= 12);
  world_free(&s.w);
  return 0;
}
