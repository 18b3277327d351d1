#include "message/wire.h"

#include "support/test.h"

typedef struct rejected {
  const char *hex;
  sc_status status;
} rejected;

static void records_are_read_one_by_one(sc_test *t) {
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  OK(sc_test_hex(&bytes, "08ac02"
                         "1203616263"
                         "190102030405060708"
                         "a50601020304"
                         "8a0100"));
  sc_bytes left = sc_buffer_bytes(&bytes);
  sc_wire_record record;
  OK(sc_wire_next(&record, &left));
  CHECK(record.number == 1 && record.type == SC_WIRE_VARINT && record.varint == 300 && record.raw.len == 3);
  OK(sc_wire_next(&record, &left));
  CHECK(record.number == 2 && record.type == SC_WIRE_BYTES);
  SAME(sc_bytes_text("abc"), record.body);
  CHECK(record.raw.len == 5);
  OK(sc_wire_next(&record, &left));
  CHECK(record.number == 3 && record.type == SC_WIRE_64BIT && record.body.len == 8 && record.raw.len == 9);
  OK(sc_wire_next(&record, &left));
  CHECK(record.number == 100 && record.type == SC_WIRE_32BIT && record.body.len == 4 && record.raw.len == 6);
  OK(sc_wire_next(&record, &left));
  CHECK(record.number == 17 && record.body.len == 0 && left.len == 0);
done:
  sc_buffer_free(&bytes);
}

static void each_malformed_record_is_named(sc_test *t) {
  static const rejected cases[] = {
      {"0001", SC_ERR_PROTO_TAG},                 /* field number 0 */
      {"8000", SC_ERR_PROTO_TAG},                 /* the same, in two bytes */
      {"0b", SC_ERR_PROTO_TAG},                   /* a group begins */
      {"0c", SC_ERR_PROTO_TAG},                   /* a group ends */
      {"0e", SC_ERR_PROTO_TAG},                   /* wire type 6 */
      {"0f", SC_ERR_PROTO_TAG},                   /* wire type 7 */
      {"80", SC_ERR_CONTENT},                     /* half a tag */
      {"888080808001", SC_ERR_CONTENT},           /* a tag of six bytes */
      {"f8ffffff7f01", SC_ERR_CONTENT},           /* a tag of 35 bits */
      {"08", SC_ERR_CONTENT},                     /* no number */
      {"0880", SC_ERR_CONTENT},                   /* half a number */
      {"0880808080808080808080", SC_ERR_CONTENT}, /* ten bytes, and more to come */
      {"088080808080808080808001", SC_ERR_CONTENT},
      {"0901020304050607", SC_ERR_CONTENT}, /* seven bytes of eight */
      {"0d010203", SC_ERR_CONTENT},         /* three of four */
      {"0a", SC_ERR_CONTENT},               /* no length */
      {"0a0161", SC_OK},
      {"0a0261", SC_ERR_CONTENT},           /* one byte of two */
      {"0affffffff0f", SC_ERR_CONTENT},     /* one of four thousand million */
      {"0a81808080800061", SC_ERR_CONTENT}, /* a length of six bytes */
  };
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    sc_buffer_clear(&bytes);
    OK(sc_test_hex(&bytes, cases[i].hex));
    sc_bytes left = sc_buffer_bytes(&bytes);
    sc_wire_record record;
    FAILS(cases[i].status, sc_wire_next(&record, &left));
  }
done:
  sc_buffer_free(&bytes);
}

static void varints_survive_a_round_trip(sc_test *t) {
  static const uint64_t values[] = {0, 1, 127, 128, 300, UINT32_MAX, (uint64_t)1 << 63, UINT64_MAX};
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
    OK(sc_wire_append_varint(&bytes, values[i]));
  sc_bytes left = sc_buffer_bytes(&bytes);
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    uint64_t value;
    OK(sc_wire_take_varint(&value, &left));
    CHECK(value == values[i]);
  }
  CHECK(left.len == 0);
done:
  sc_buffer_free(&bytes);
}

static void a_body_of_any_length_survives_a_round_trip(sc_test *t) {
  static const size_t lengths[] = {0, 1, 127, 128, 20000};
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
    size_t body_at;
    uint8_t *body;
    sc_buffer_clear(&bytes);
    OK(sc_wire_begin_body(&body_at, &bytes, 42));
    OK(sc_buffer_extend(&body, &bytes, lengths[i]));
    memset(body, 7, lengths[i]);
    sc_wire_end_body(&bytes, body_at);
    sc_bytes left = sc_buffer_bytes(&bytes);
    sc_wire_record record;
    OK(sc_wire_next(&record, &left));
    CHECK(record.number == 42 && record.body.len == lengths[i] && left.len == 0);
  }
done:
  sc_buffer_free(&bytes);
}

SUITE(message_wire, "message/wire", {"records are read one by one", records_are_read_one_by_one},
      {"each malformed record is named", each_malformed_record_is_named},
      {"varints survive a round trip", varints_survive_a_round_trip},
      {"a body of any length survives a round trip", a_body_of_any_length_survives_a_round_trip});
