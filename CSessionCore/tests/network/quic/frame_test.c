#include "network/quic/frame.h"

#include "support/test.h"

/* A frame and the bytes it has on the wire, as captured from nodes and their clients. */
typedef struct known_frame {
  const char *wire;
  sc_quic_frame_kind kind;
  int64_t id;
  const char *name;
  const char *body;
} known_frame;

static const known_frame known[] = {
    {"18:l1:Ci0e4:ping2:hie", SC_QUIC_FRAME_COMMAND, 0, "ping", "hi"},
    {"14:l1:Ri0e4:ponge", SC_QUIC_FRAME_REPLY, 0, "", "pong"},
    {"16:l1:Ci1e4:info0:e", SC_QUIC_FRAME_COMMAND, 1, "info", ""},
    {"10:l1:Ri0e0:e", SC_QUIC_FRAME_REPLY, 0, "", ""},
    {"53:l1:Ei0e42:400 Bad Request\n\nthis request always failse", SC_QUIC_FRAME_ERROR, 0, "",
     "400 Bad Request\n\nthis request always fails"},
    {"34:l1:Ei0e23:Invalid endpoint 'nope'e", SC_QUIC_FRAME_ERROR, 0, "", "Invalid endpoint 'nope'"},
    {"15:l1:Ri-12345e0:e", SC_QUIC_FRAME_REPLY, -12345, "", ""},
    {"29:l1:Ri9223372036854775807e1:xe", SC_QUIC_FRAME_REPLY, INT64_MAX, "", "x"},
    {"30:l1:Ri-9223372036854775808e1:xe", SC_QUIC_FRAME_REPLY, INT64_MIN, "", "x"},
};
enum { known_count = sizeof known / sizeof known[0] };

static bool is_known(const sc_quic_frame *frame, const known_frame *expected) {
  return frame->kind == expected->kind && frame->id == expected->id &&
         sc_bytes_same(frame->name, sc_bytes_text(expected->name)) &&
         sc_bytes_same(frame->body, sc_bytes_text(expected->body));
}

static sc_status write_frame(sc_buffer *out, const sc_quic_frame *frame) {
  uint8_t head[sc_quic_largest_head];
  size_t len;
  sc_status status = sc_buffer_append(out, sc_bytes_make(head, sc_quic_frame_head(head, &len, frame)));
  if (status == SC_OK)
    status = sc_buffer_append(out, frame->body);
  return status == SC_OK ? sc_buffer_append_byte(out, 'e') : status;
}

static void frames_have_the_same_form_as_those_of_nodes(sc_test *t) {
  sc_buffer wire;
  sc_buffer_init(&wire, t->env);
  for (size_t i = 0; i < known_count; i++) {
    sc_quic_frame frame = {known[i].kind, known[i].id, sc_bytes_text(known[i].name),
                           sc_bytes_text(known[i].body)};
    sc_buffer_clear(&wire);
    OK(write_frame(&wire, &frame));
    SAME(sc_bytes_text(known[i].wire), sc_buffer_bytes(&wire));
  }
done:
  sc_buffer_free(&wire);
}

static void the_computed_length_is_the_frames_length(sc_test *t) {
  static const size_t lengths[] = {0, 9, 10, 99, 100, 9999965, 9999966, 9999976};
  for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
    uint8_t head[sc_quic_largest_head];
    size_t len;
    sc_quic_frame frame = {SC_QUIC_FRAME_COMMAND, 0, sc_bytes_text("onion_req"), {NULL, lengths[i]}};
    size_t head_len = sc_quic_frame_head(head, &len, &frame);
    CHECK(len == head_len + lengths[i] + 1);
  }
done:;
}

/* The largest bodies nodes accept: their frame has exactly 10,000,000 bytes. */
static void the_largest_bodies_fill_the_limit(sc_test *t) {
  uint8_t head[sc_quic_largest_head];
  size_t len;
  sc_quic_frame command = {SC_QUIC_FRAME_COMMAND, 0, sc_bytes_text("onion_req"), {NULL, 9999965}};
  (void)sc_quic_frame_head(head, &len, &command);
  CHECK(len == 10000000);
  command.id = 10000;
  command.body.len = 9999961;
  (void)sc_quic_frame_head(head, &len, &command);
  CHECK(len == 10000000);
  sc_quic_frame reply = {SC_QUIC_FRAME_REPLY, 0, {NULL, 0}, {NULL, 9999976}};
  (void)sc_quic_frame_head(head, &len, &reply);
  CHECK(len == 10000000);
done:;
}

static void the_longest_head_fits_its_buffer(sc_test *t) {
  uint8_t head[sc_quic_largest_head];
  uint8_t name[255];
  size_t len;
  memset(name, 'n', sizeof name);
  sc_quic_frame frame = {SC_QUIC_FRAME_COMMAND, INT64_MIN, SC_BYTES(name), {NULL, 9999999}};
  CHECK(sc_quic_frame_head(head, &len, &frame) <= sizeof head);
done:;
}

static sc_status parse(sc_quic_frame *out, const char *list) {
  return sc_quic_frame_parse(out, sc_bytes_text(list));
}

static void known_peer_mistakes_are_tolerated(sc_test *t) {
  sc_quic_frame frame;
  OK(parse(&frame, "l1:Ci00e4:ping2:hie"));
  CHECK(frame.id == 0);
  OK(parse(&frame, "l1:Ri007e2:hie"));
  CHECK(frame.id == 7);
  OK(parse(&frame, "l1:Ri1e2:hi3:mored1:ai1eee"));
  SAME(sc_bytes_text("hi"), frame.body);
  OK(parse(&frame, "l1:Xi1e2:hie"));
  CHECK(frame.kind == SC_QUIC_FRAME_COMMAND && frame.name.len == 0);
  SAME(sc_bytes_text("hi"), frame.body);
  OK(parse(&frame, "l2:CCi1e2:hie"));
  CHECK(frame.kind == SC_QUIC_FRAME_COMMAND && frame.name.len == 0);
done:;
}

static void malformed_lists_are_refused(sc_test *t) {
  static const char *const lists[] = {
      "",
      "l",
      "le",
      "d1:Ci0e4:ping2:hie",
      "l01:Ci0e4:ping2:hie",
      "l1:C0:4:ping2:hie",
      "l1:Cie4:ping2:hie",
      "l1:Ci-e4:ping2:hie",
      "l1:Ci0x4:ping2:hie",
      "l1:Ci9223372036854775808e4:ping2:hie",
      "l1:Ci-9223372036854775809e4:ping2:hie",
      "l1:Ci0e4:pinge",
      "l1:Ci0e4:ping02:hie",
      "l1:Ci0e4:ping3:hie",
      "l1:Ci0e4:ping2:hi",
      "l1:Ci0e4:ping2:hix",
      "l1:Ri0ee",
      "l1:Ri0e9999999999:e",
      "l1:Ri0e:e",
      "li0e2:hie",
  };
  sc_quic_frame frame = {.id = 42};
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
    FAILS(SC_ERR_REQUEST_FRAME, parse(&frame, lists[i]));
  CHECK(frame.id == 42);
done:;
}

/* Reads every frame of the input, which is split into pieces of `cut` bytes. */
static void read_all(sc_test *t, sc_bytes wire, size_t cut) {
  sc_quic_frame_reader reader;
  sc_quic_blocks blocks;
  sc_quic_frame frame;
  size_t seen = 0;
  sc_quic_blocks_init(&blocks, t->env);
  sc_quic_frame_reader_init(&reader, &blocks, sc_quic_largest_list);
  while (wire.len > 0) {
    size_t len = cut < wire.len ? cut : wire.len;
    sc_bytes piece = sc_bytes_make(wire.ptr, len);
    wire = sc_bytes_make(wire.ptr + len, wire.len - len);
    sc_status status;
    while ((status = sc_quic_frame_next(&frame, &reader, &piece)) == SC_OK)
      CHECK(is_known(&frame, &known[seen++ % known_count]));
    FAILS(SC_ERR_TRUNCATED, status);
    CHECK(piece.len == 0);
  }
  CHECK(seen == 2 * known_count);
  CHECK(reader.kept == NULL);
done:
  sc_quic_frame_reader_free(&reader);
  sc_quic_blocks_clear(&blocks);
}

static void frames_are_found_however_the_stream_is_split(sc_test *t) {
  sc_buffer wire;
  sc_buffer_init(&wire, t->env);
  for (size_t i = 0; i < 2 * known_count; i++)
    OK(sc_buffer_append(&wire, sc_bytes_text(known[i % known_count].wire)));
  for (size_t cut = 1; cut <= wire.len && !t->failed && !t->out_of_memory; cut += t->torture ? 7 : 1)
    read_all(t, sc_buffer_bytes(&wire), cut);
done:
  sc_buffer_free(&wire);
}

static sc_status read_one(const sc_env *env, size_t largest, const char *wire) {
  sc_quic_frame_reader reader;
  sc_quic_blocks blocks;
  sc_quic_frame frame;
  sc_bytes input = sc_bytes_text(wire);
  sc_quic_blocks_init(&blocks, env);
  sc_quic_frame_reader_init(&reader, &blocks, largest);
  sc_status status = sc_quic_frame_next(&frame, &reader, &input);
  sc_quic_frame_reader_free(&reader);
  sc_quic_blocks_clear(&blocks);
  return status;
}

static void malformed_lengths_end_the_stream(sc_test *t) {
  static const char *const wires[] = {
      "0:", "x", ":", "-1:", "12a:", "123456789", "000000018:", " 1:", "14;l1:Ri0e4:ponge"};
  for (size_t i = 0; i < sizeof wires / sizeof wires[0]; i++)
    FAILS(SC_ERR_REQUEST_FRAME, read_one(t->env, 1000, wires[i]));
  OK(read_one(t->env, 1000, "018:l1:Ci0e4:ping2:hie"));
done:;
}

static void a_list_over_the_limit_is_refused_by_its_stated_length(sc_test *t) {
  OK(read_one(t->env, 18, "18:l1:Ci0e4:ping2:hie"));
  FAILS(SC_ERR_REQUEST_TOO_LARGE, read_one(t->env, 17, "18:l1:Ci0e4:ping2:hie"));
  FAILS(SC_ERR_REQUEST_TOO_LARGE, read_one(t->env, sc_quic_largest_list, "10000001:"));
  FAILS(SC_ERR_TRUNCATED, read_one(t->env, sc_quic_largest_list, "10000000:"));
done:;
}

/* A stated length alone does not allocate memory. */
static void memory_grows_only_with_received_bytes(sc_test *t) {
  sc_quic_frame_reader reader;
  sc_quic_blocks blocks;
  sc_quic_frame frame;
  uint8_t zeros[1000] = {0};
  sc_bytes input = sc_bytes_text("9000000:l");
  sc_quic_blocks_init(&blocks, t->env);
  sc_quic_frame_reader_init(&reader, &blocks, sc_quic_largest_list);
  FAILS(SC_ERR_TRUNCATED, sc_quic_frame_next(&frame, &reader, &input));
  CHECK(reader.capacity <= 1024);
  for (size_t sent = 9; sent < 100000; sent += sizeof zeros) {
    input = SC_BYTES(zeros);
    FAILS(SC_ERR_TRUNCATED, sc_quic_frame_next(&frame, &reader, &input));
    CHECK(reader.capacity <= 5 * (sent + sizeof zeros));
  }
done:
  sc_quic_frame_reader_free(&reader);
  sc_quic_blocks_clear(&blocks);
}

/* Spare memory is used at once, so that a large frame is not copied as it grows. */
static void a_spare_block_is_used_at_once(sc_test *t) {
  enum { block_bytes = 1000000 };
  sc_quic_frame_reader reader;
  sc_quic_frame frame;
  sc_quic_blocks blocks;
  sc_quic_blocks_init(&blocks, t->env);
  sc_quic_frame_reader_init(&reader, &blocks, sc_quic_largest_list);
  sc_quic_block block = sc_quic_blocks_take(&blocks, 1, 1, block_bytes);
  OK(block.bytes != NULL ? SC_OK : SC_ERR_NO_MEMORY);
  sc_quic_blocks_give_back(&blocks, block);
  sc_bytes input = sc_bytes_text("900000:l");
  FAILS(SC_ERR_TRUNCATED, sc_quic_frame_next(&frame, &reader, &input));
  CHECK(reader.kept == block.bytes && reader.capacity == block_bytes);
  sc_quic_frame_reader_free(&reader);
  input = sc_bytes_text("300000:l"); /* too small */
  FAILS(SC_ERR_TRUNCATED, sc_quic_frame_next(&frame, &reader, &input));
  CHECK(reader.kept != block.bytes && blocks.count == 1);
done:
  sc_quic_frame_reader_free(&reader);
  sc_quic_blocks_clear(&blocks);
}

static void held_input_is_read_later(sc_test *t) {
  sc_quic_frame_reader reader;
  sc_quic_blocks blocks;
  sc_quic_frame frame;
  sc_bytes none = {0};
  sc_quic_blocks_init(&blocks, t->env);
  sc_quic_frame_reader_init(&reader, &blocks, sc_quic_largest_list);
  OK(sc_quic_frame_hold(&reader, sc_bytes_text(known[0].wire)));
  OK(sc_quic_frame_hold(&reader, sc_bytes_text(known[1].wire)));
  CHECK(sc_quic_frame_kept(&reader) == strlen(known[0].wire) + strlen(known[1].wire));
  OK(sc_quic_frame_next(&frame, &reader, &none));
  CHECK(is_known(&frame, &known[0]));
  OK(sc_quic_frame_hold(&reader, sc_bytes_text(known[2].wire)));
  for (size_t i = 1; i < 3; i++) {
    OK(sc_quic_frame_next(&frame, &reader, &none));
    CHECK(is_known(&frame, &known[i]));
  }
  FAILS(SC_ERR_TRUNCATED, sc_quic_frame_next(&frame, &reader, &none));
  CHECK(reader.kept == NULL);
done:
  sc_quic_frame_reader_free(&reader);
  sc_quic_blocks_clear(&blocks);
}

SUITE(network_quic_frame, "network/quic/frame",
      {"frames have the same form as those of nodes", frames_have_the_same_form_as_those_of_nodes},
      {"the computed length is the frame's length", the_computed_length_is_the_frames_length},
      {"the largest bodies fill the limit", the_largest_bodies_fill_the_limit},
      {"the longest head fits its buffer", the_longest_head_fits_its_buffer},
      {"known peer mistakes are tolerated", known_peer_mistakes_are_tolerated},
      {"malformed lists are refused", malformed_lists_are_refused},
      {"frames are found however the stream is split", frames_are_found_however_the_stream_is_split},
      {"malformed lengths end the stream", malformed_lengths_end_the_stream},
      {"a list over the limit is refused by its stated length",
       a_list_over_the_limit_is_refused_by_its_stated_length},
      {"memory grows only with received bytes", memory_grows_only_with_received_bytes},
      {"a spare block is used at once", a_spare_block_is_used_at_once},
      {"held input is read later", held_input_is_read_later});
