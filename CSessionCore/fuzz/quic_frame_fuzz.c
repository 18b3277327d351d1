/* Reads a request stream twice: in one piece, and cut where the input says. Both ways give the same frames
 * and end alike, and a frame that is written again is read as what it was. */
#include "network/quic/frame.h"

#include "fuzz.h"

enum {
  most_frames = 64,
  largest_list = 100000,
};

typedef struct reading {
  sc_status end;
  size_t count;
  uint64_t sums[most_frames];
} reading;

static void add(uint64_t *sum, sc_bytes bytes) {
  *sum = *sum * 31 + bytes.len;
  for (size_t i = 0; i < bytes.len; i++)
    *sum = *sum * 31 + bytes.ptr[i];
}

static void note(reading *seen, const sc_quic_frame *frame) {
  uint64_t sum = (uint64_t)frame->id * 4 + frame->kind;
  add(&sum, frame->name);
  add(&sum, frame->body);
  if (seen->count < most_frames)
    seen->sums[seen->count] = sum;
  seen->count++;
}

static void write_again(const sc_quic_frame *frame) {
  uint8_t head[sc_quic_largest_head];
  size_t len;
  sc_quic_frame again;
  sc_buffer wire;
  if (frame->name.len > SC_QUIC_MAX_COMMAND_BYTES)
    return;
  sc_buffer_init(&wire, fuzz_env());
  REQUIRE(sc_buffer_append(&wire, sc_bytes_make(head, sc_quic_frame_head(head, &len, frame))) == SC_OK);
  REQUIRE(sc_buffer_append(&wire, frame->body) == SC_OK);
  REQUIRE(sc_buffer_append_byte(&wire, 'e') == SC_OK);
  REQUIRE(wire.len == len);
  size_t colon = 0;
  while (wire.ptr[colon] != ':')
    colon++;
  REQUIRE(sc_quic_frame_parse(&again, sc_bytes_make(wire.ptr + colon + 1, len - colon - 1)) == SC_OK);
  REQUIRE(again.kind == frame->kind && again.id == frame->id);
  REQUIRE(sc_bytes_same(again.name, frame->name) && sc_bytes_same(again.body, frame->body));
  sc_buffer_free(&wire);
}

/* False at the end of the stream. */
static bool feed(reading *seen, sc_quic_frame_reader *reader, sc_bytes piece) {
  sc_quic_frame frame;
  while ((seen->end = sc_quic_frame_next(&frame, reader, &piece)) == SC_OK) {
    note(seen, &frame);
    write_again(&frame);
  }
  REQUIRE(seen->end != SC_ERR_TRUNCATED || piece.len == 0);
  return seen->end == SC_ERR_TRUNCATED;
}

static void read_cut(reading *seen, sc_bytes wire, size_t first, size_t cut) {
  sc_quic_frame_reader reader;
  sc_quic_blocks blocks;
  *seen = (reading){.end = SC_ERR_TRUNCATED};
  sc_quic_blocks_init(&blocks, fuzz_env());
  sc_quic_frame_reader_init(&reader, &blocks, largest_list);
  sc_bytes piece = fuzz_take(&wire, first);
  while (feed(seen, &reader, piece) && wire.len > 0)
    piece = fuzz_take(&wire, cut);
  sc_quic_frame_reader_free(&reader);
  sc_quic_blocks_clear(&blocks);
}

static void read_held(reading *seen, sc_bytes wire, size_t cut) {
  sc_quic_frame_reader reader;
  sc_quic_blocks blocks;
  sc_bytes none = {0};
  *seen = (reading){.end = SC_ERR_TRUNCATED};
  sc_quic_blocks_init(&blocks, fuzz_env());
  sc_quic_frame_reader_init(&reader, &blocks, largest_list);
  while (wire.len > 0)
    REQUIRE(sc_quic_frame_hold(&reader, fuzz_take(&wire, cut)) == SC_OK);
  (void)feed(seen, &reader, none);
  sc_quic_frame_reader_free(&reader);
  sc_quic_blocks_clear(&blocks);
}

static void require_same(const reading *a, const reading *b) {
  REQUIRE(a->end == b->end && a->count == b->count);
  REQUIRE(memcmp(a->sums, b->sums, sizeof a->sums) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static reading whole, pieces;
  sc_bytes input = sc_bytes_make(data, size);
  size_t first = fuzz_take_byte(&input);
  size_t cut = 1 + (size_t)fuzz_take_byte(&input);
  read_cut(&whole, input, input.len, 1);
  read_cut(&pieces, input, first, cut);
  require_same(&whole, &pieces);
  read_held(&pieces, input, cut);
  require_same(&whole, &pieces);
  return 0;
}
