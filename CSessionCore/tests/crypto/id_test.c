#include "support/known_bytes.h"

#define KEY "d2ad010eeb72d72e561d9de7bd7b6989af77dcabffa03a5111a6c859ae5c3a72"

static void every_known_kind_is_parsed(sc_test *t) {
  static const struct {
    const char *text;
    sc_id_kind kind;
  } known[] = {
      {"00" KEY, SC_ID_UNBLINDED}, {"03" KEY, SC_ID_GROUP},      {"05" KEY, SC_ID_STANDARD},
      {"07" KEY, SC_ID_VERSION},   {"15" KEY, SC_ID_BLINDED_15}, {"25" KEY, SC_ID_BLINDED_25},
  };
  KNOWN(key, KEY);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    sc_id id;
    sc_id made;
    char text[SC_ID_CHARS + 1];
    OK(sc_id_parse(&id, sc_bytes_text(known[i].text)));
    CHECK(sc_id_kind_of(&id) == known[i].kind);
    SAME(SC_BYTES(key), sc_bytes_make(sc_id_key(&id), 32));
    sc_id_format(text, &id);
    SAME(sc_bytes_text(known[i].text), sc_bytes_text(text));
    sc_id_make(&made, known[i].kind, key);
    SAME(SC_BYTES(id.bytes), SC_BYTES(made.bytes));
  }
done:;
}

static void every_other_kind_is_refused(sc_test *t) {
  uint8_t bytes[SC_ID_BYTES] = {0};
  size_t accepted = 0;
  for (unsigned kind = 0; kind <= 0xff; kind++) {
    char text[SC_ID_CHARS + 1];
    sc_id id;
    bytes[0] = (uint8_t)kind;
    sc_hex_encode(text, SC_BYTES(bytes));
    sc_status status = sc_id_from_bytes(&id, SC_BYTES(bytes));
    CHECK(status == SC_OK || status == SC_ERR_ID_PREFIX);
    FAILS(status, sc_id_parse(&id, sc_bytes_text(text)));
    accepted += status == SC_OK;
  }
  CHECK(accepted == 6);
done:;
}

static void either_case_is_parsed(sc_test *t) {
  sc_id id;
  char text[SC_ID_CHARS + 1];
  OK(sc_id_parse(&id, sc_bytes_text("05D2AD010EEB72D72e561d9de7bd7b6989af77DCABFFA03A5111A6C859AE5C3A72")));
  sc_id_format(text, &id);
  SAME(sc_bytes_text("05" KEY), sc_bytes_text(text));
done:;
}

static void an_id_has_exactly_66_digits(sc_test *t) {
  sc_id id;
  FAILS(SC_ERR_ID_LENGTH, sc_id_parse(&id, sc_bytes_text("")));
  FAILS(SC_ERR_ID_LENGTH, sc_id_parse(&id, sc_bytes_text(KEY)));
  FAILS(SC_ERR_ID_LENGTH, sc_id_parse(&id, sc_bytes_text("5" KEY)));
  FAILS(SC_ERR_ID_LENGTH, sc_id_parse(&id, sc_bytes_text("05" KEY "0")));
  FAILS(SC_ERR_ID_LENGTH, sc_id_parse(&id, sc_bytes_text("0x05" KEY)));
  FAILS(SC_ERR_ID_LENGTH, sc_id_parse(&id, sc_bytes_text("05" KEY "\n")));
  FAILS(SC_ERR_ID_LENGTH, sc_id_parse(&id, sc_bytes_text("05" KEY "05" KEY)));
done:;
}

static void an_id_has_33_bytes(sc_test *t) {
  uint8_t bytes[SC_ID_BYTES + 1] = {SC_ID_STANDARD};
  sc_id id;
  for (size_t len = 0; len <= sizeof bytes; len++)
    FAILS(len == SC_ID_BYTES ? SC_OK : SC_ERR_ID_LENGTH, sc_id_from_bytes(&id, sc_bytes_make(bytes, len)));
done:;
}

static void every_character_must_be_a_digit(sc_test *t) {
  char text[] = "05" KEY;
  sc_id id;
  for (size_t i = 0; i < SC_ID_CHARS; i++) {
    char kept = text[i];
    text[i] = 'g';
    FAILS(SC_ERR_ID_HEX, sc_id_parse(&id, sc_bytes_text(text)));
    text[i] = ' ';
    FAILS(SC_ERR_ID_HEX, sc_id_parse(&id, sc_bytes_text(text)));
    text[i] = '\0';
    FAILS(SC_ERR_ID_HEX, sc_id_parse(&id, sc_bytes_make(text, SC_ID_CHARS)));
    text[i] = kept;
  }
done:;
}

/* Length, then digits, then kind: the order in which a user should correct them. */
static void the_first_mistake_is_reported(sc_test *t) {
  sc_id id;
  FAILS(SC_ERR_ID_LENGTH, sc_id_parse(&id, sc_bytes_text("zz")));
  char text[] = "99" KEY;
  FAILS(SC_ERR_ID_PREFIX, sc_id_parse(&id, sc_bytes_text(text)));
  text[SC_ID_CHARS - 1] = 'z';
  FAILS(SC_ERR_ID_HEX, sc_id_parse(&id, sc_bytes_text(text)));
done:;
}

static void a_refused_text_leaves_the_id_unchanged(sc_test *t) {
  sc_id id;
  sc_id before;
  OK(sc_id_parse(&id, sc_bytes_text("05" KEY)));
  before = id;
  FAILS(SC_ERR_ID_PREFIX, sc_id_parse(&id, sc_bytes_text("99" KEY)));
  SAME(SC_BYTES(before.bytes), SC_BYTES(id.bytes));
done:;
}

SUITE(crypto_id, "crypto/id", {"every known kind is parsed", every_known_kind_is_parsed},
      {"every other kind is refused", every_other_kind_is_refused},
      {"either case is parsed", either_case_is_parsed},
      {"an id has exactly 66 digits", an_id_has_exactly_66_digits},
      {"an id has 33 bytes", an_id_has_33_bytes},
      {"every character must be a digit", every_character_must_be_a_digit},
      {"the first mistake is reported", the_first_mistake_is_reported},
      {"a refused text leaves the id unchanged", a_refused_text_leaves_the_id_unchanged});
