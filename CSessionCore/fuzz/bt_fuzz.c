/* The reader accepts only canonical bytes: walking them with the pull calls and writing them again gives the
 * same bytes. If one way to read refuses an input, all ways do. */
#include "fuzz.h"

static sc_status copy_value(sc_bt_writer *writer, sc_bt_reader *reader);

static sc_status copy_integer(sc_bt_writer *writer, sc_bt_reader *reader) {
  uint64_t positive;
  int64_t number;
  sc_status status = sc_bt_read_u64(&positive, reader);
  if (status == SC_OK) {
    sc_bt_write_u64(writer, positive);
    return SC_OK;
  }
  status = sc_bt_read_i64(&number, reader);
  if (status == SC_OK)
    sc_bt_write_i64(writer, number);
  return status;
}

static sc_status copy_string(sc_bt_writer *writer, sc_bt_reader *reader) {
  sc_bytes string;
  sc_status status = sc_bt_read_string(&string, reader);
  if (status == SC_OK)
    sc_bt_write_string(writer, string);
  return status;
}

static sc_status copy_list(sc_bt_writer *writer, sc_bt_reader *reader) {
  sc_status status = sc_bt_enter_list(reader);
  sc_bt_begin_list(writer);
  while (status == SC_OK && sc_bt_peek(reader) != SC_BT_END)
    status = copy_value(writer, reader);
  sc_bt_end(writer);
  return status == SC_OK ? sc_bt_leave(reader) : status;
}

static sc_status copy_dict(sc_bt_writer *writer, sc_bt_reader *reader) {
  sc_bytes key;
  sc_status status = sc_bt_enter_dict(reader);
  sc_bt_begin_dict(writer);
  while (status == SC_OK && (status = sc_bt_next_key(&key, reader)) == SC_OK) {
    sc_bt_write_key(writer, key);
    status = copy_value(writer, reader);
  }
  sc_bt_end(writer);
  return status == SC_ERR_NOT_FOUND ? sc_bt_leave(reader) : status;
}

static sc_status copy_value(sc_bt_writer *writer, sc_bt_reader *reader) {
  switch (sc_bt_peek(reader)) {
  case SC_BT_INTEGER:
    return copy_integer(writer, reader);
  case SC_BT_LIST:
    return copy_list(writer, reader);
  case SC_BT_DICT:
    return copy_dict(writer, reader);
  default:
    return copy_string(writer, reader);
  }
}

/* Every entry of an outermost dict is found by its key in a new reader. */
static void find_all_keys(sc_bytes input) {
  sc_bt_reader walk, search;
  sc_bytes key, walked, found;
  sc_bt_reader_init(&walk, input);
  sc_bt_reader_init(&search, input);
  if (sc_bt_enter_dict(&walk) != SC_OK)
    return;
  REQUIRE(sc_bt_enter_dict(&search) == SC_OK);
  while (sc_bt_next_key(&key, &walk) == SC_OK) {
    REQUIRE(sc_bt_read_raw(&walked, &walk) == SC_OK);
    REQUIRE(sc_bt_find_key(&search, key) == SC_OK);
    REQUIRE(sc_bt_read_raw(&found, &search) == SC_OK);
    REQUIRE(found.ptr == walked.ptr && found.len == walked.len);
    REQUIRE(sc_bt_find_key(&search, key) == SC_ERR_NOT_FOUND);
  }
}

static void check_refusal(sc_bytes input, sc_status reason) {
  sc_bt_reader reader;
  sc_bt_reader_init(&reader, input);
  if (reason == SC_ERR_TRAILING)
    return;
  REQUIRE(sc_bt_skip(&reader) == reason && sc_bt_position(&reader) == 0);
  if (sc_bt_enter_dict(&reader) != SC_OK && sc_bt_enter_list(&reader) != SC_OK)
    return;
  REQUIRE(sc_bt_leave(&reader) == reason && sc_bt_position(&reader) == 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sc_bytes input = sc_bytes_make(data, size);
  sc_status valid = sc_bt_validate(input);
  sc_buffer out = {0};
  sc_bt_reader reader;
  sc_bt_writer writer;
  sc_bt_reader_init(&reader, input);
  sc_bt_writer_init(&writer, &out);
  sc_status walked = copy_value(&writer, &reader);
  if (walked == SC_OK)
    walked = sc_bt_finish(&reader);
  REQUIRE((walked == SC_OK) == (valid == SC_OK));
  if (valid == SC_OK) {
    REQUIRE(sc_bt_writer_finish(&writer) == SC_OK);
    REQUIRE(sc_bytes_same(input, sc_buffer_bytes(&out)));
    find_all_keys(input);
  } else {
    check_refusal(input, valid);
  }
  sc_buffer_free(&out);
  return 0;
}
