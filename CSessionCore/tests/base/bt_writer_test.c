#include "support/test.h"

static void examples_are_written_in_the_specified_form(sc_test *t) {
  sc_buffer out;
  sc_buffer_init(&out, t->env);
  sc_bt_writer writer;
  sc_bt_writer_init(&writer, &out);
  sc_bt_begin_dict(&writer);
  sc_bt_write_key(&writer, sc_bytes_text("#"));
  sc_bt_write_i64(&writer, 0);
  sc_bt_write_key(&writer, sc_bytes_text("&"));
  sc_bt_begin_dict(&writer);
  sc_bt_end(&writer);
  sc_bt_write_key(&writer, sc_bytes_text("<"));
  sc_bt_begin_list(&writer);
  sc_bt_end(&writer);
  sc_bt_write_key(&writer, sc_bytes_text("="));
  sc_bt_begin_dict(&writer);
  sc_bt_end(&writer);
  sc_bt_end(&writer);
  OK(sc_bt_writer_finish(&writer));
  SAME(sc_bytes_text("d1:#i0e1:&de1:<le1:=dee"), sc_buffer_bytes(&out));
  sc_buffer_clear(&out);
  sc_bt_writer_init(&writer, &out);
  sc_bt_begin_list(&writer);
  sc_bt_write_i64(&writer, -1);
  sc_bt_write_i64(&writer, 2);
  sc_bt_write_string(&writer, sc_bytes_text("a"));
  sc_bt_write_string(&writer, sc_bytes_text(""));
  sc_bt_end(&writer);
  OK(sc_bt_writer_finish(&writer));
  SAME(sc_bytes_text("li-1ei2e1:a0:e"), sc_buffer_bytes(&out));
done:
  sc_buffer_free(&out);
}

static void integers_are_minimal_over_the_whole_range(sc_test *t) {
  sc_buffer out;
  sc_buffer_init(&out, t->env);
  static const int64_t numbers[] = {0, 1, -1, 9, 10, -10, 99, 100, INT64_MAX, INT64_MIN};
  sc_bt_writer writer;
  sc_bt_writer_init(&writer, &out);
  sc_bt_begin_list(&writer);
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    sc_bt_write_i64(&writer, numbers[i]);
  sc_bt_write_u64(&writer, (uint64_t)INT64_MAX + 1);
  sc_bt_write_u64(&writer, UINT64_MAX);
  sc_bt_write_u64(&writer, 0);
  sc_bt_end(&writer);
  OK(sc_bt_writer_finish(&writer));
  SAME(sc_bytes_text("li0ei1ei-1ei9ei10ei-10ei99ei100ei9223372036854775807ei-9223372036854775808e"
                     "i9223372036854775808ei18446744073709551615ei0ee"),
       sc_buffer_bytes(&out));
done:
  sc_buffer_free(&out);
}

static void write_numbered_dict(sc_bt_writer *writer, const char *const *keys, size_t count) {
  sc_bt_begin_dict(writer);
  for (size_t i = 0; i < count; i++) {
    sc_bt_write_key(writer, sc_bytes_text(keys[i]));
    sc_bt_write_u64(writer, i);
  }
  sc_bt_end(writer);
}

static void keys_are_sorted_as_unsigned_bytes(sc_test *t) {
  static const char *const keys[] = {"\xff", "b", "~", "", "ab", "a", "\x80", "A", "!"};
  sc_buffer out;
  sc_buffer_init(&out, t->env);
  OK(sc_buffer_append(&out, sc_bytes_text("before:")));
  sc_bt_writer writer;
  sc_bt_writer_init(&writer, &out);
  write_numbered_dict(&writer, keys, sizeof keys / sizeof keys[0]);
  OK(sc_bt_writer_finish(&writer));
  SAME(sc_bytes_text("before:d0:i3e1:!i8e1:Ai7e1:ai5e2:abi4e1:bi1e1:~i2e1:\x80i6e1:\xffi0ee"),
       sc_buffer_bytes(&out));
done:
  sc_buffer_free(&out);
}

static void inner_dicts_are_sorted_too(sc_test *t) {
  sc_buffer out;
  sc_buffer_init(&out, t->env);
  sc_bt_writer writer;
  sc_bt_writer_init(&writer, &out);
  sc_bt_begin_dict(&writer);
  sc_bt_write_key(&writer, sc_bytes_text("b"));
  sc_bt_begin_list(&writer);
  write_numbered_dict(&writer, (const char *const[]){"z", "y"}, 2);
  sc_bt_end(&writer);
  sc_bt_write_key(&writer, sc_bytes_text("a"));
  write_numbered_dict(&writer, (const char *const[]){"y", "z"}, 2);
  sc_bt_end(&writer);
  OK(sc_bt_writer_finish(&writer));
  SAME(sc_bytes_text("d1:ad1:yi0e1:zi1ee1:bld1:yi1e1:zi0eeee"), sc_buffer_bytes(&out));
done:
  sc_buffer_free(&out);
}

static void duplicate_keys_are_refused_at_any_position(sc_test *t) {
  static const char *const twice[][4] = {{"a", "a", "b", "c"},
                                         {"a", "b", "b", "c"},
                                         {"b", "c", "a", "b"},
                                         {"c", "b", "a", "c"},
                                         {"", "b", "a", ""}};
  sc_buffer out;
  sc_buffer_init(&out, t->env);
  OK(sc_buffer_append(&out, sc_bytes_text("kept")));
  for (size_t i = 0; i < sizeof twice / sizeof twice[0]; i++) {
    sc_bt_writer writer;
    sc_bt_writer_init(&writer, &out);
    write_numbered_dict(&writer, twice[i], 4);
    FAILS(SC_ERR_BT_ORDER, sc_bt_writer_finish(&writer));
    SAME(sc_bytes_text("kept"), sc_buffer_bytes(&out));
  }
done:
  sc_buffer_free(&out);
}

static void any_order_of_many_keys_gives_the_same_dict(sc_test *t) {
  enum { most = 300 };
  const size_t count = t->torture ? 20 : most;
  sc_buffer out, expected;
  sc_buffer_init(&out, t->env);
  sc_buffer_init(&expected, t->env);
  uint16_t order[most];
  sc_bt_writer writer;
  sc_bt_writer_init(&writer, &expected);
  sc_bt_begin_dict(&writer);
  for (size_t i = 0; i < count; i++) {
    order[i] = (uint16_t)i;
    uint8_t key[2] = {(uint8_t)(i >> 8), (uint8_t)i};
    sc_bt_write_key(&writer, SC_BYTES(key));
    sc_bt_write_string(&writer, SC_BYTES(key));
  }
  sc_bt_end(&writer);
  OK(sc_bt_writer_finish(&writer));
  for (int round = 0; round < (t->torture ? 1 : 20); round++) {
    for (size_t i = count - 1; i > 0; i--) {
      uint32_t random;
      sc_random(t->env, (uint8_t *)&random, sizeof random);
      size_t j = random % (i + 1);
      uint16_t swapped = order[i];
      order[i] = order[j];
      order[j] = swapped;
    }
    sc_buffer_clear(&out);
    sc_bt_writer_init(&writer, &out);
    sc_bt_begin_dict(&writer);
    for (size_t i = 0; i < count; i++) {
      uint8_t key[2] = {(uint8_t)(order[i] >> 8), (uint8_t)order[i]};
      sc_bt_write_key(&writer, SC_BYTES(key));
      sc_bt_write_string(&writer, SC_BYTES(key));
    }
    sc_bt_end(&writer);
    OK(sc_bt_writer_finish(&writer));
    SAME(sc_buffer_bytes(&expected), sc_buffer_bytes(&out));
  }
done:
  sc_buffer_free(&out);
  sc_buffer_free(&expected);
}

/* Misuse: each letter is one call. */
static void make_call(sc_bt_writer *writer, char call) {
  switch (call) {
  case 'i':
    sc_bt_write_i64(writer, 1);
    break;
  case 's':
    sc_bt_write_string(writer, sc_bytes_text("s"));
    break;
  case 'k':
    sc_bt_write_key(writer, sc_bytes_text("k"));
    break;
  case 'r':
    sc_bt_write_raw(writer, sc_bytes_text("le"));
    break;
  case 'l':
    sc_bt_begin_list(writer);
    break;
  case 'd':
    sc_bt_begin_dict(writer);
    break;
  default:
    sc_bt_end(writer);
  }
}

static void calls_out_of_order_are_refused(sc_test *t) {
  static const char *const misuses[] = {"",    "e",   "k",   "ii",   "ie", "sr",  "l",   "d",
                                        "di",  "ds",  "dr",  "dl",   "dd", "dke", "dkk", "lk",
                                        "lek", "lee", "lei", "dkii", "ld", "dkle"};
  sc_buffer out;
  sc_buffer_init(&out, t->env);
  for (size_t i = 0; i < sizeof misuses / sizeof misuses[0]; i++) {
    sc_bt_writer writer;
    sc_bt_writer_init(&writer, &out);
    for (const char *call = misuses[i]; *call != '\0'; call++)
      make_call(&writer, *call);
    FAILS(SC_ERR_STATE, sc_bt_writer_finish(&writer));
    CHECK(out.len == 0);
  }
done:
  sc_buffer_free(&out);
}

static void the_first_failure_is_kept(sc_test *t) {
  sc_buffer out;
  sc_buffer_init(&out, t->env);
  sc_bt_writer writer;
  sc_bt_writer_init(&writer, &out);
  sc_bt_begin_list(&writer);
  sc_bt_write_raw(&writer, sc_bytes_text("i01e"));
  sc_bt_write_key(&writer, sc_bytes_text("out of order"));
  sc_bt_write_i64(&writer, 5);
  sc_bt_end(&writer);
  FAILS(SC_ERR_BT_SYNTAX, sc_bt_writer_finish(&writer));
  FAILS(SC_ERR_BT_SYNTAX, sc_bt_writer_finish(&writer));
  CHECK(out.len == 0);
done:
  sc_buffer_free(&out);
}

static void raw_values_are_checked(sc_test *t) {
  static const struct {
    const char *text;
    sc_status status;
  } cases[] = {{"d1:ai1ee", SC_OK},
               {"i1ei2e", SC_ERR_TRAILING},
               {"", SC_ERR_TRUNCATED},
               {"e", SC_ERR_BT_SYNTAX},
               {"1:", SC_ERR_TRUNCATED},
               {"i-0e", SC_ERR_BT_SYNTAX},
               {"d1:b0:1:a0:e", SC_ERR_BT_ORDER}};
  sc_buffer out;
  sc_buffer_init(&out, t->env);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    sc_bt_writer writer;
    sc_bt_writer_init(&writer, &out);
    sc_bt_begin_list(&writer);
    sc_bt_write_raw(&writer, sc_bytes_text(cases[i].text));
    sc_bt_end(&writer);
    FAILS(cases[i].status, sc_bt_writer_finish(&writer));
    if (cases[i].status == SC_OK)
      SAME(sc_bytes_text("ld1:ai1eee"), sc_buffer_bytes(&out));
    sc_buffer_clear(&out);
  }
done:
  sc_buffer_free(&out);
}

static sc_status write_nested(sc_buffer *out, unsigned depth, const char *raw) {
  sc_bt_writer writer;
  sc_bt_writer_init(&writer, out);
  for (unsigned i = 0; i < depth; i++)
    sc_bt_begin_list(&writer);
  if (*raw != '\0')
    sc_bt_write_raw(&writer, sc_bytes_text(raw));
  for (unsigned i = 0; i < depth; i++)
    sc_bt_end(&writer);
  return sc_bt_writer_finish(&writer);
}

static void containers_nest_to_the_limit(sc_test *t) {
  sc_buffer out;
  sc_buffer_init(&out, t->env);
  OK(write_nested(&out, SC_BT_MAX_DEPTH, ""));
  OK(sc_bt_validate(sc_buffer_bytes(&out)));
  sc_buffer_clear(&out);
  FAILS(SC_ERR_BT_DEPTH, write_nested(&out, SC_BT_MAX_DEPTH + 1, ""));
  OK(write_nested(&out, SC_BT_MAX_DEPTH - 2, "ldee"));
  OK(sc_bt_validate(sc_buffer_bytes(&out)));
  sc_buffer_clear(&out);
  FAILS(SC_ERR_BT_DEPTH, write_nested(&out, SC_BT_MAX_DEPTH - 1, "ldee"));
  OK(write_nested(&out, SC_BT_MAX_DEPTH, "0:"));
done:
  sc_buffer_free(&out);
}

/* A supply of random choices, whole bytes at a time. */
static size_t pick(sc_test *t, size_t choices) {
  uint32_t random;
  sc_random(t->env, (uint8_t *)&random, sizeof random);
  return random % choices;
}

static void write_random_string(sc_test *t, sc_bt_writer *writer, void (*write)(sc_bt_writer *, sc_bytes)) {
  uint8_t bytes[140];
  size_t len = pick(t, pick(t, 8) == 0 ? sizeof bytes : 9);
  sc_random(t->env, bytes, len);
  write(writer, sc_bytes_make(bytes, len));
}

static void write_random_value(sc_test *t, sc_bt_writer *writer, unsigned depth) {
  uint64_t number;
  sc_random(t->env, (uint8_t *)&number, sizeof number);
  number >>= pick(t, 64);
  size_t entries = pick(t, 6);
  switch (pick(t, depth < 6 ? 6 : 3)) {
  case 0:
    sc_bt_write_u64(writer, number);
    break;
  case 1:
    sc_bt_write_i64(writer, (int64_t)(0 - (number >> 1)));
    break;
  case 2:
    write_random_string(t, writer, sc_bt_write_string);
    break;
  case 3:
    sc_bt_begin_list(writer);
    for (size_t i = 0; i < entries; i++)
      write_random_value(t, writer, depth + 1);
    sc_bt_end(writer);
    break;
  default:
    sc_bt_begin_dict(writer);
    for (size_t i = 0; i < entries; i++) {
      write_random_string(t, writer, sc_bt_write_key);
      write_random_value(t, writer, depth + 1);
    }
    sc_bt_end(writer);
  }
}

static sc_status copy_value(sc_bt_writer *writer, sc_bt_reader *reader);

static sc_status copy_number(sc_bt_writer *writer, sc_bt_reader *reader) {
  uint64_t positive;
  int64_t any;
  if (sc_bt_read_u64(&positive, reader) == SC_OK) {
    sc_bt_write_u64(writer, positive);
    return SC_OK;
  }
  sc_status status = sc_bt_read_i64(&any, reader);
  if (status == SC_OK)
    sc_bt_write_i64(writer, any);
  return status;
}

static sc_status copy_container(sc_bt_writer *writer, sc_bt_reader *reader, bool dict) {
  sc_status status = dict ? sc_bt_enter_dict(reader) : sc_bt_enter_list(reader);
  if (dict)
    sc_bt_begin_dict(writer);
  else
    sc_bt_begin_list(writer);
  while (status == SC_OK && sc_bt_peek(reader) != SC_BT_END) {
    sc_bytes key;
    if (dict && (status = sc_bt_next_key(&key, reader)) == SC_OK)
      sc_bt_write_key(writer, key);
    if (status == SC_OK)
      status = copy_value(writer, reader);
  }
  sc_bt_end(writer);
  return status == SC_OK ? sc_bt_leave(reader) : status;
}

static sc_status copy_value(sc_bt_writer *writer, sc_bt_reader *reader) {
  sc_bytes string;
  sc_status status;
  switch (sc_bt_peek(reader)) {
  case SC_BT_INTEGER:
    return copy_number(writer, reader);
  case SC_BT_LIST:
    return copy_container(writer, reader, false);
  case SC_BT_DICT:
    return copy_container(writer, reader, true);
  default:
    status = sc_bt_read_string(&string, reader);
    if (status == SC_OK)
      sc_bt_write_string(writer, string);
    return status;
  }
}

static void random_values_survive_a_round_trip(sc_test *t) {
  sc_buffer first, second;
  sc_buffer_init(&first, t->env);
  sc_buffer_init(&second, t->env);
  for (int round = 0; round < (t->torture ? 3 : 2000); round++) {
    sc_buffer_clear(&first);
    sc_buffer_clear(&second);
    sc_bt_writer writer;
    sc_bt_writer_init(&writer, &first);
    write_random_value(t, &writer, 0);
    if (sc_bt_writer_finish(&writer) == SC_ERR_BT_ORDER) /* the same random key twice */
      continue;
    OK(sc_bt_writer_finish(&writer));
    OK(sc_bt_validate(sc_buffer_bytes(&first)));
    sc_bt_reader reader;
    sc_bt_reader_init(&reader, sc_buffer_bytes(&first));
    sc_bt_writer_init(&writer, &second);
    OK(copy_value(&writer, &reader));
    OK(sc_bt_finish(&reader));
    OK(sc_bt_writer_finish(&writer));
    SAME(sc_buffer_bytes(&first), sc_buffer_bytes(&second));
  }
done:
  sc_buffer_free(&first);
  sc_buffer_free(&second);
}

SUITE(base_bt_writer, "base/bt_writer",
      {"examples are written in the specified form", examples_are_written_in_the_specified_form},
      {"integers are minimal over the whole range", integers_are_minimal_over_the_whole_range},
      {"keys are sorted as unsigned bytes", keys_are_sorted_as_unsigned_bytes},
      {"inner dicts are sorted too", inner_dicts_are_sorted_too},
      {"duplicate keys are refused at any position", duplicate_keys_are_refused_at_any_position},
      {"any order of many keys gives the same dict", any_order_of_many_keys_gives_the_same_dict},
      {"calls out of order are refused", calls_out_of_order_are_refused},
      {"the first failure is kept", the_first_failure_is_kept},
      {"raw values are checked", raw_values_are_checked},
      {"containers nest to the limit", containers_nest_to_the_limit},
      {"random values survive a round trip", random_values_survive_a_round_trip});
