#include "support/test.h"

typedef struct refused_input {
  const char *input;
  sc_status status;
} refused_input;

/* The format's list of bad input, then the cases from its vectors and its table of differences. */
static const refused_input refused[] = {
    {"", SC_ERR_TRUNCATED},
    {"d", SC_ERR_TRUNCATED},
    {"l", SC_ERR_TRUNCATED},
    {"i", SC_ERR_TRUNCATED},
    {"i5", SC_ERR_TRUNCATED},
    {"ie", SC_ERR_BT_SYNTAX},
    {"i-e", SC_ERR_BT_SYNTAX},
    {"i--1e", SC_ERR_BT_SYNTAX},
    {"i1.0e", SC_ERR_BT_SYNTAX},
    {"3:ab", SC_ERR_TRUNCATED},
    {"4294967296:", SC_ERR_TRUNCATED},
    {"99999999999999999999:x", SC_ERR_BT_SYNTAX},
    {"d1:a", SC_ERR_TRUNCATED},
    {"d1:ae", SC_ERR_BT_SYNTAX},
    {"di1ei2ee", SC_ERR_BT_SYNTAX},
    {"d1:bi1e1:ai2ee", SC_ERR_BT_ORDER},
    {"d1:ai1e1:ai2ee", SC_ERR_BT_ORDER},
    {"i007e", SC_ERR_BT_SYNTAX},
    {"i-0e", SC_ERR_BT_SYNTAX},
    {"01:a", SC_ERR_BT_SYNTAX},
    {"x", SC_ERR_BT_SYNTAX},
    {"leX", SC_ERR_TRAILING},
    {"i18446744073709551616e", SC_ERR_BT_RANGE},
    {"i-9223372036854775809e", SC_ERR_BT_RANGE},
    {"i30000000000000000000e", SC_ERR_BT_RANGE},
    {"i-18446744073709551615e", SC_ERR_BT_RANGE},
    {"i100000000000000000000000000000000000000000e", SC_ERR_BT_RANGE},
    {"i100000000000000000000000000000000000000000", SC_ERR_TRUNCATED},
    {"i-01e", SC_ERR_BT_SYNTAX},
    {"i000e", SC_ERR_BT_SYNTAX},
    {"i+5e", SC_ERR_BT_SYNTAX},
    {"i 5e", SC_ERR_BT_SYNTAX},
    {"i1fe", SC_ERR_BT_SYNTAX},
    {"i-", SC_ERR_TRUNCATED},
    {"003:abc", SC_ERR_BT_SYNTAX},
    {"00:", SC_ERR_BT_SYNTAX},
    {":abc", SC_ERR_BT_SYNTAX},
    {"-1:", SC_ERR_BT_SYNTAX},
    {"+1:a", SC_ERR_BT_SYNTAX},
    {"3abc", SC_ERR_BT_SYNTAX},
    {"3", SC_ERR_TRUNCATED},
    {"3:", SC_ERR_TRUNCATED},
    {"18446744073709551619:abc", SC_ERR_BT_SYNTAX},
    {"10000000000:x", SC_ERR_BT_SYNTAX},
    {"9999999999:x", SC_ERR_TRUNCATED},
    {"e", SC_ERR_BT_SYNTAX},
    {"ee", SC_ERR_BT_SYNTAX},
    {"lee", SC_ERR_TRAILING},
    {"i1ei2e", SC_ERR_TRAILING},
    {" i1e", SC_ERR_BT_SYNTAX},
    {"l3:abc", SC_ERR_TRUNCATED},
    {"ll3:abce", SC_ERR_TRUNCATED},
    {"l3:abcxe", SC_ERR_BT_SYNTAX},
    {"dle3:abce", SC_ERR_BT_SYNTAX},
    {"dde1:ae", SC_ERR_BT_SYNTAX},
    {"d3:abcne", SC_ERR_BT_SYNTAX},
    {"d1:ai1e1:b", SC_ERR_TRUNCATED},
    {"d2:ab1:x1:a1:xe", SC_ERR_BT_ORDER},
    {"d0:le0:lee", SC_ERR_BT_ORDER},
    {"d1:\xff"
     "0:1:a0:e",
     SC_ERR_BT_ORDER},
    {"ld1:b0:1:a0:ee", SC_ERR_BT_ORDER},
    {"d1:ad1:b0:1:b0:ee", SC_ERR_BT_ORDER},
};

static void bad_input_is_refused_with_its_reason(sc_test *t) {
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
    FAILS(refused[i].status, sc_bt_validate(sc_bytes_text(refused[i].input)));
done:;
}

/* For a fault in the value itself, every way to skip it finds the fault and stays before the value. */
static void bad_values_leave_the_reader_where_it_was(sc_test *t) {
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    if (refused[i].status == SC_ERR_TRAILING)
      continue;
    sc_bt_reader reader;
    sc_bytes raw;
    sc_bt_reader_init(&reader, sc_bytes_text(refused[i].input));
    FAILS(refused[i].status, sc_bt_skip(&reader));
    FAILS(refused[i].status, sc_bt_read_raw(&raw, &reader));
    CHECK(sc_bt_position(&reader) == 0);
    FAILS(SC_ERR_TRAILING, sc_bt_finish(&reader));
    sc_status entered = sc_bt_enter_dict(&reader);
    if (entered != SC_OK)
      entered = sc_bt_enter_list(&reader);
    if (entered != SC_OK)
      continue;
    CHECK(sc_bt_position(&reader) == 1);
    FAILS(refused[i].status, sc_bt_leave(&reader));
    FAILS(refused[i].status, sc_bt_leave(&reader));
    CHECK(sc_bt_position(&reader) == 1);
  }
done:;
}

static const char *const accepted[] = {
    "i0e",
    "i1e",
    "i-1e",
    "i42e",
    "i-3e",
    "i10e",
    "i9223372036854775807e",
    "i-9223372036854775808e",
    "i9223372036854775808e",
    "i18446744073709551615e",
    "0:",
    "6:Kallie",
    "10:yUCO4ro6NB",
    "le",
    "de",
    "li-1ei2e1:a1:be",
    "d1:ale1:bi1ee",
    "d1:#i0e1:&de1:<le1:=dee",
    "d0:i1e1:a1:xe",
    "d1:Ai1e1:Bi2e1:ai3e2:abi4e1:bi5ee",
    "d1:~i1e1:\x7fi2e1:\x80i3e1:\xffi4ee",
    "d0:3:7oQ1:Ei-916610037e3:bCGd1:14:abcd4:iYj_deee",
    "lllleeee",
};

static void canonical_values_are_accepted(sc_test *t) {
  for (size_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++) {
    sc_bytes input = sc_bytes_text(accepted[i]);
    OK(sc_bt_validate(input));
    sc_bt_reader reader;
    sc_bytes raw;
    sc_bt_reader_init(&reader, input);
    OK(sc_bt_read_raw(&raw, &reader));
    SAME(input, raw);
    OK(sc_bt_finish(&reader));
  }
done:;
}

static void a_value_cut_at_any_byte_is_truncated(sc_test *t) {
  for (size_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++) {
    for (size_t len = 0; len < strlen(accepted[i]); len++)
      FAILS(SC_ERR_TRUNCATED, sc_bt_validate(sc_bytes_make(accepted[i], len)));
  }
done:;
}

static void fill_nested(uint8_t *out, size_t depth) {
  memset(out, 'l', depth);
  memset(out + depth, 'e', depth);
}

static void containers_nest_to_the_limit(sc_test *t) {
  static uint8_t many[100000];
  uint8_t text[2 * (SC_BT_MAX_DEPTH + 1)];
  fill_nested(text, SC_BT_MAX_DEPTH);
  OK(sc_bt_validate(sc_bytes_make(text, 2 * SC_BT_MAX_DEPTH)));
  fill_nested(text, SC_BT_MAX_DEPTH + 1);
  FAILS(SC_ERR_BT_DEPTH, sc_bt_validate(SC_BYTES(text)));
  memset(many, 'l', sizeof many);
  FAILS(SC_ERR_BT_DEPTH, sc_bt_validate(SC_BYTES(many)));
done:;
}

static void entering_counts_towards_the_limit(sc_test *t) {
  uint8_t text[2 * (SC_BT_MAX_DEPTH + 1)];
  fill_nested(text, SC_BT_MAX_DEPTH + 1);
  sc_bt_reader reader;
  sc_bt_reader_init(&reader, SC_BYTES(text));
  for (size_t i = 0; i < SC_BT_MAX_DEPTH; i++) {
    FAILS(SC_ERR_BT_DEPTH, sc_bt_skip(&reader));
    OK(sc_bt_enter_list(&reader));
  }
  FAILS(SC_ERR_BT_DEPTH, sc_bt_enter_list(&reader));
  FAILS(SC_ERR_BT_DEPTH, sc_bt_leave(&reader));
  CHECK(sc_bt_position(&reader) == SC_BT_MAX_DEPTH);
  fill_nested(text, SC_BT_MAX_DEPTH);
  sc_bt_reader_init(&reader, sc_bytes_make(text, 2 * SC_BT_MAX_DEPTH));
  for (size_t i = 0; i < SC_BT_MAX_DEPTH; i++)
    OK(sc_bt_enter_list(&reader));
  for (size_t i = 0; i < SC_BT_MAX_DEPTH; i++)
    OK(sc_bt_leave(&reader));
  OK(sc_bt_finish(&reader));
  FAILS(SC_ERR_STATE, sc_bt_leave(&reader));
done:;
}

typedef struct integer_case {
  const char *text;
  sc_status signed_status;
  int64_t signed_value;
  sc_status unsigned_status;
  uint64_t unsigned_value;
} integer_case;

static void integers_are_read_into_the_requested_type(sc_test *t) {
  static const integer_case cases[] = {
      {"i0e", SC_OK, 0, SC_OK, 0},
      {"i7e", SC_OK, 7, SC_OK, 7},
      {"i-7e", SC_OK, -7, SC_ERR_BT_RANGE, 0},
      {"i-1e", SC_OK, -1, SC_ERR_BT_RANGE, 0},
      {"i9223372036854775807e", SC_OK, INT64_MAX, SC_OK, INT64_MAX},
      {"i-9223372036854775808e", SC_OK, INT64_MIN, SC_ERR_BT_RANGE, 0},
      {"i9223372036854775808e", SC_ERR_BT_RANGE, 0, SC_OK, (uint64_t)INT64_MAX + 1},
      {"i18446744073709551615e", SC_ERR_BT_RANGE, 0, SC_OK, UINT64_MAX},
      {"i18446744073709551616e", SC_ERR_BT_RANGE, 0, SC_ERR_BT_RANGE, 0},
      {"1:i", SC_ERR_BT_TYPE, 0, SC_ERR_BT_TYPE, 0},
      {"le", SC_ERR_BT_TYPE, 0, SC_ERR_BT_TYPE, 0},
      {"de", SC_ERR_BT_TYPE, 0, SC_ERR_BT_TYPE, 0},
      {"x", SC_ERR_BT_SYNTAX, 0, SC_ERR_BT_SYNTAX, 0},
      {"i01e", SC_ERR_BT_SYNTAX, 0, SC_ERR_BT_SYNTAX, 0},
      {"i1", SC_ERR_TRUNCATED, 0, SC_ERR_TRUNCATED, 0},
      {"", SC_ERR_TRUNCATED, 0, SC_ERR_TRUNCATED, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const integer_case *c = &cases[i];
    sc_bt_reader reader;
    int64_t i64 = 0;
    uint64_t u64 = 0;
    sc_bt_reader_init(&reader, sc_bytes_text(c->text));
    FAILS(c->signed_status, sc_bt_read_i64(&i64, &reader));
    CHECK(i64 == c->signed_value);
    CHECK(sc_bt_position(&reader) == (c->signed_status == SC_OK ? strlen(c->text) : 0));
    sc_bt_reader_init(&reader, sc_bytes_text(c->text));
    FAILS(c->unsigned_status, sc_bt_read_u64(&u64, &reader));
    CHECK(u64 == c->unsigned_value);
    CHECK(sc_bt_position(&reader) == (c->unsigned_status == SC_OK ? strlen(c->text) : 0));
  }
done:;
}

static void a_value_of_another_type_stays_unread(sc_test *t) {
  sc_bt_reader reader;
  sc_bytes string;
  int64_t number;
  sc_bt_reader_init(&reader, sc_bytes_text("li5e1:xledee"));
  FAILS(SC_ERR_BT_TYPE, sc_bt_enter_dict(&reader));
  OK(sc_bt_enter_list(&reader));
  FAILS(SC_ERR_BT_TYPE, sc_bt_read_string(&string, &reader));
  FAILS(SC_ERR_BT_TYPE, sc_bt_enter_list(&reader));
  OK(sc_bt_read_i64(&number, &reader));
  FAILS(SC_ERR_BT_TYPE, sc_bt_read_i64(&number, &reader));
  OK(sc_bt_read_string(&string, &reader));
  FAILS(SC_ERR_BT_TYPE, sc_bt_enter_dict(&reader));
  OK(sc_bt_skip(&reader));
  FAILS(SC_ERR_BT_TYPE, sc_bt_enter_list(&reader));
  OK(sc_bt_skip(&reader));
  FAILS(SC_ERR_BT_TYPE, sc_bt_read_i64(&number, &reader));
  FAILS(SC_ERR_BT_TYPE, sc_bt_skip(&reader));
  OK(sc_bt_leave(&reader));
  OK(sc_bt_finish(&reader));
done:;
}

static void a_default_config_message_is_walked(sc_test *t) {
  sc_bt_reader reader;
  sc_bytes key;
  int64_t number;
  sc_bt_reader_init(&reader, sc_bytes_text("d1:#i0e1:&de1:<le1:=dee"));
  CHECK(sc_bt_peek(&reader) == SC_BT_DICT);
  OK(sc_bt_enter_dict(&reader));
  CHECK(sc_bt_peek(&reader) == SC_BT_STRING);
  OK(sc_bt_next_key(&key, &reader));
  SAME(sc_bytes_text("#"), key);
  CHECK(sc_bt_peek(&reader) == SC_BT_INTEGER);
  OK(sc_bt_read_i64(&number, &reader));
  CHECK(number == 0);
  OK(sc_bt_next_key(&key, &reader));
  CHECK(sc_bt_peek(&reader) == SC_BT_DICT);
  OK(sc_bt_enter_dict(&reader));
  CHECK(sc_bt_peek(&reader) == SC_BT_END);
  FAILS(SC_ERR_NOT_FOUND, sc_bt_next_key(&key, &reader));
  OK(sc_bt_leave(&reader));
  OK(sc_bt_next_key(&key, &reader));
  SAME(sc_bytes_text("<"), key);
  CHECK(sc_bt_peek(&reader) == SC_BT_LIST);
  FAILS(SC_ERR_TRAILING, sc_bt_finish(&reader));
  OK(sc_bt_leave(&reader));
  CHECK(sc_bt_peek(&reader) == SC_BT_END);
  OK(sc_bt_finish(&reader));
done:;
}

static void strings_are_views_of_the_input(sc_test *t) {
  static const uint8_t input[] = {'4', ':', 0, 0xff, ':', 'e'};
  sc_bt_reader reader;
  sc_bytes string;
  sc_bt_reader_init(&reader, SC_BYTES(input));
  OK(sc_bt_read_string(&string, &reader));
  CHECK(string.ptr == input + 2 && string.len == 4);
  sc_bt_reader_init(&reader, sc_bytes_text("0:"));
  OK(sc_bt_read_string(&string, &reader));
  CHECK(string.len == 0);
done:;
}

static void peeking_reports_an_invalid_value(sc_test *t) {
  sc_bt_reader reader;
  sc_bytes key;
  sc_bt_reader_init(&reader, sc_bytes_make(NULL, 0));
  CHECK(sc_bt_peek(&reader) == SC_BT_END);
  sc_bt_reader_init(&reader, sc_bytes_text("e"));
  CHECK(sc_bt_peek(&reader) == SC_BT_INVALID);
  sc_bt_reader_init(&reader, sc_bytes_text("?"));
  CHECK(sc_bt_peek(&reader) == SC_BT_INVALID);
  sc_bt_reader_init(&reader, sc_bytes_text("di1ei2ee"));
  OK(sc_bt_enter_dict(&reader));
  CHECK(sc_bt_peek(&reader) == SC_BT_INVALID);
  sc_bt_reader_init(&reader, sc_bytes_text("d1:ae"));
  OK(sc_bt_enter_dict(&reader));
  OK(sc_bt_next_key(&key, &reader));
  CHECK(sc_bt_peek(&reader) == SC_BT_INVALID);
  FAILS(SC_ERR_BT_SYNTAX, sc_bt_skip(&reader));
done:;
}

static void calls_out_of_order_are_refused(sc_test *t) {
  sc_bt_reader reader;
  sc_bytes bytes;
  int64_t number;
  sc_bt_reader_init(&reader, sc_bytes_text("li1ee"));
  FAILS(SC_ERR_STATE, sc_bt_leave(&reader));
  FAILS(SC_ERR_STATE, sc_bt_next_key(&bytes, &reader));
  OK(sc_bt_enter_list(&reader));
  FAILS(SC_ERR_STATE, sc_bt_next_key(&bytes, &reader));
  FAILS(SC_ERR_STATE, sc_bt_find_key(&reader, sc_bytes_text("a")));
  sc_bt_reader_init(&reader, sc_bytes_text("d1:a1:be"));
  OK(sc_bt_enter_dict(&reader));
  FAILS(SC_ERR_STATE, sc_bt_read_string(&bytes, &reader));
  FAILS(SC_ERR_STATE, sc_bt_skip(&reader));
  FAILS(SC_ERR_STATE, sc_bt_enter_list(&reader));
  OK(sc_bt_next_key(&bytes, &reader));
  OK(sc_bt_read_string(&bytes, &reader));
  FAILS(SC_ERR_STATE, sc_bt_read_string(&bytes, &reader));
  sc_bt_reader_init(&reader, sc_bytes_text("i1ei2e"));
  OK(sc_bt_read_i64(&number, &reader));
  FAILS(SC_ERR_STATE, sc_bt_read_i64(&number, &reader));
  CHECK(sc_bt_peek(&reader) == SC_BT_END && sc_bt_position(&reader) == 3);
  FAILS(SC_ERR_TRAILING, sc_bt_finish(&reader));
done:;
}

static void the_next_key_skips_an_unread_value(sc_test *t) {
  sc_bt_reader reader;
  sc_bytes key;
  sc_bt_reader_init(&reader, sc_bytes_text("d1:ali1ee1:bi2ee"));
  OK(sc_bt_enter_dict(&reader));
  OK(sc_bt_next_key(&key, &reader));
  OK(sc_bt_next_key(&key, &reader));
  SAME(sc_bytes_text("b"), key);
  FAILS(SC_ERR_NOT_FOUND, sc_bt_next_key(&key, &reader));
  CHECK(sc_bt_peek(&reader) == SC_BT_INTEGER);
  sc_bt_reader_init(&reader, sc_bytes_text("d1:ali01ee1:bi2ee"));
  OK(sc_bt_enter_dict(&reader));
  OK(sc_bt_next_key(&key, &reader));
  FAILS(SC_ERR_BT_SYNTAX, sc_bt_next_key(&key, &reader));
  FAILS(SC_ERR_BT_SYNTAX, sc_bt_find_key(&reader, sc_bytes_text("b")));
  CHECK(sc_bt_peek(&reader) == SC_BT_LIST && sc_bt_position(&reader) == 4);
done:;
}

static void unsorted_keys_are_refused_everywhere(sc_test *t) {
  static const char *const inputs[] = {"d1:b0:1:a0:e", "d1:a0:1:a0:e", "d2:ab0:1:a0:e", "d0:0:0:0:e"};
  for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
    sc_bt_reader reader;
    sc_bytes key;
    sc_bt_reader_init(&reader, sc_bytes_text(inputs[i]));
    OK(sc_bt_enter_dict(&reader));
    FAILS(SC_ERR_BT_ORDER, sc_bt_find_key(&reader, sc_bytes_text("c")));
    FAILS(SC_ERR_BT_ORDER, sc_bt_leave(&reader));
    CHECK(sc_bt_position(&reader) == 1);
    OK(sc_bt_next_key(&key, &reader));
    OK(sc_bt_skip(&reader));
    size_t position = sc_bt_position(&reader);
    FAILS(SC_ERR_BT_ORDER, sc_bt_next_key(&key, &reader));
    FAILS(SC_ERR_BT_ORDER, sc_bt_leave(&reader));
    CHECK(sc_bt_position(&reader) == position && sc_bt_peek(&reader) == SC_BT_STRING);
  }
done:;
}

static void keys_are_found_in_ascending_order(sc_test *t) {
  sc_bt_reader reader;
  sc_bytes key;
  int64_t number;
  sc_bt_reader_init(&reader, sc_bytes_text("d1:bi2e1:dld1:bi9eee1:fi6e2:ffi7ee"));
  OK(sc_bt_enter_dict(&reader));
  FAILS(SC_ERR_NOT_FOUND, sc_bt_find_key(&reader, sc_bytes_text("")));
  FAILS(SC_ERR_NOT_FOUND, sc_bt_find_key(&reader, sc_bytes_text("a")));
  CHECK(sc_bt_position(&reader) == 1);
  OK(sc_bt_find_key(&reader, sc_bytes_text("b")));
  OK(sc_bt_read_i64(&number, &reader));
  CHECK(number == 2);
  FAILS(SC_ERR_NOT_FOUND, sc_bt_find_key(&reader, sc_bytes_text("e")));
  OK(sc_bt_next_key(&key, &reader));
  SAME(sc_bytes_text("f"), key);
  OK(sc_bt_find_key(&reader, sc_bytes_text("ff")));
  OK(sc_bt_read_i64(&number, &reader));
  CHECK(number == 7);
  FAILS(SC_ERR_NOT_FOUND, sc_bt_find_key(&reader, sc_bytes_text("g")));
  CHECK(sc_bt_peek(&reader) == SC_BT_END);
  OK(sc_bt_leave(&reader));
  OK(sc_bt_finish(&reader));
done:;
}

static void an_earlier_key_is_not_found_and_the_reader_stays_put(sc_test *t) {
  sc_bt_reader reader;
  sc_bt_reader_init(&reader, sc_bytes_text("d1:bi2e1:di4ee"));
  OK(sc_bt_enter_dict(&reader));
  OK(sc_bt_find_key(&reader, sc_bytes_text("b")));
  OK(sc_bt_skip(&reader));
  size_t position = sc_bt_position(&reader);
  FAILS(SC_ERR_NOT_FOUND, sc_bt_find_key(&reader, sc_bytes_text("b")));
  FAILS(SC_ERR_NOT_FOUND, sc_bt_find_key(&reader, sc_bytes_text("a")));
  CHECK(sc_bt_position(&reader) == position);
done:;
}

static void a_signature_covers_all_bytes_before_its_key(sc_test *t) {
  static const char text[] = "d1:a1:x1:~3:sige";
  sc_bt_reader reader;
  sc_bytes key, signature;
  sc_bt_reader_init(&reader, sc_bytes_text(text));
  OK(sc_bt_enter_dict(&reader));
  FAILS(SC_ERR_NOT_FOUND, sc_bt_find_key(&reader, sc_bytes_text("}")));
  SAME(sc_bytes_text("d1:a1:x"), sc_bytes_make(text, sc_bt_position(&reader)));
  OK(sc_bt_next_key(&key, &reader));
  SAME(sc_bytes_text("~"), key);
  OK(sc_bt_read_string(&signature, &reader));
  SAME(sc_bytes_text("sig"), signature);
  CHECK(sc_bt_peek(&reader) == SC_BT_END);
  OK(sc_bt_leave(&reader));
  OK(sc_bt_finish(&reader));
done:;
}

static void a_raw_value_has_its_exact_bytes(sc_test *t) {
  sc_bt_reader reader;
  sc_bytes raw;
  sc_bt_reader_init(&reader, sc_bytes_text("lld1:ai1eee3:xyze"));
  OK(sc_bt_enter_list(&reader));
  OK(sc_bt_read_raw(&raw, &reader));
  SAME(sc_bytes_text("ld1:ai1eee"), raw);
  OK(sc_bt_read_raw(&raw, &reader));
  SAME(sc_bytes_text("3:xyz"), raw);
  FAILS(SC_ERR_BT_TYPE, sc_bt_read_raw(&raw, &reader));
  OK(sc_bt_leave(&reader));
  OK(sc_bt_finish(&reader));
done:;
}

static void leaving_a_container_checks_its_unread_rest(sc_test *t) {
  sc_bt_reader reader;
  sc_bt_reader_init(&reader, sc_bytes_text("lli1ei02eee"));
  OK(sc_bt_enter_list(&reader));
  OK(sc_bt_enter_list(&reader));
  OK(sc_bt_skip(&reader));
  FAILS(SC_ERR_BT_SYNTAX, sc_bt_leave(&reader));
  CHECK(sc_bt_position(&reader) == 5);
  sc_bt_reader_init(&reader, sc_bytes_text("ld1:ai1e1:bi2eei3ee"));
  int64_t number;
  OK(sc_bt_enter_list(&reader));
  OK(sc_bt_enter_dict(&reader));
  OK(sc_bt_leave(&reader));
  OK(sc_bt_read_i64(&number, &reader));
  CHECK(number == 3);
done:;
}

SUITE(base_bt_reader, "base/bt_reader",
      {"bad input is refused with its reason", bad_input_is_refused_with_its_reason},
      {"bad values leave the reader where it was", bad_values_leave_the_reader_where_it_was},
      {"canonical values are accepted", canonical_values_are_accepted},
      {"a value cut at any byte is truncated", a_value_cut_at_any_byte_is_truncated},
      {"containers nest to the limit", containers_nest_to_the_limit},
      {"entering counts towards the limit", entering_counts_towards_the_limit},
      {"integers are read into the requested type", integers_are_read_into_the_requested_type},
      {"a value of another type stays unread", a_value_of_another_type_stays_unread},
      {"a default config message is walked", a_default_config_message_is_walked},
      {"strings are views of the input", strings_are_views_of_the_input},
      {"peeking reports an invalid value", peeking_reports_an_invalid_value},
      {"calls out of order are refused", calls_out_of_order_are_refused},
      {"the next key skips an unread value", the_next_key_skips_an_unread_value},
      {"unsorted keys are refused everywhere", unsorted_keys_are_refused_everywhere},
      {"keys are found in ascending order", keys_are_found_in_ascending_order},
      {"an earlier key is not found and the reader stays put",
       an_earlier_key_is_not_found_and_the_reader_stays_put},
      {"a signature covers all bytes before its key", a_signature_covers_all_bytes_before_its_key},
      {"a raw value has its exact bytes", a_raw_value_has_its_exact_bytes},
      {"leaving a container checks its unread rest", leaving_a_container_checks_its_unread_rest});
