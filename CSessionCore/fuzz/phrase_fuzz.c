/* The first byte chooses: the rest is data that becomes words, a word to make suggestions for, or text. */
#include "crypto/phrase.h"
#include "fuzz.h"

/* A phrase of an account is one that the general form takes too, of one length. */
static void check_seed(sc_bytes text, sc_bytes data) {
  uint8_t seed[SC_SEED_BYTES];
  if (sc_phrase_to_seed(seed, sc_phrase_english(), text, NULL) == SC_OK)
    REQUIRE(sc_bytes_same(data, SC_BYTES(seed)));
}

/* Accepted text is one of many spellings of its data; the canonical one leads back to the same data. */
static void check_text(sc_bytes text) {
  sc_buffer data, phrase, again;
  sc_buffer_init(&data, NULL);
  sc_buffer_init(&phrase, NULL);
  sc_buffer_init(&again, NULL);
  sc_phrase_mistake mistake;
  sc_status status = sc_phrase_decode(&data, sc_phrase_english(), text, &mistake);
  check_seed(text, sc_buffer_bytes(&data));
  if (status == SC_OK) {
    REQUIRE(data.len > 0 && data.len % 4 == 0 && data.len <= SC_PHRASE_MAX_DATA);
    REQUIRE(sc_phrase_encode(&phrase, sc_phrase_english(), sc_buffer_bytes(&data), true) == SC_OK);
    REQUIRE(sc_phrase_decode(&again, sc_phrase_english(), sc_buffer_bytes(&phrase), NULL) == SC_OK);
    REQUIRE(sc_bytes_same(sc_buffer_bytes(&data), sc_buffer_bytes(&again)));
  } else {
    REQUIRE(data.len == 0);
    REQUIRE(mistake.offset + mistake.len <= text.len);
    bool placed = status == SC_ERR_PHRASE_UNKNOWN_WORD || status == SC_ERR_PHRASE_BAD_GROUP ||
                  status == SC_ERR_PHRASE_CHECKSUM;
    REQUIRE(placed == (mistake.len > 0));
  }
  sc_buffer_free(&data);
  sc_buffer_free(&phrase);
  sc_buffer_free(&again);
}

static void check_data(sc_bytes data) {
  sc_buffer phrase, again;
  sc_buffer_init(&phrase, NULL);
  sc_buffer_init(&again, NULL);
  if (sc_phrase_encode(&phrase, sc_phrase_english(), data, true) == SC_OK) {
    REQUIRE(phrase.len <= SC_PHRASE_MAX_BYTES);
    REQUIRE(sc_phrase_decode(&again, sc_phrase_english(), sc_buffer_bytes(&phrase), NULL) == SC_OK);
    REQUIRE(sc_bytes_same(data, sc_buffer_bytes(&again)));
  }
  sc_buffer_free(&phrase);
  sc_buffer_free(&again);
}

static void check_suggestions(sc_bytes text) {
  size_t nearest[3];
  size_t count = sc_phrase_suggest(nearest, 3, sc_phrase_english(), text);
  REQUIRE(count == 0 || count == 3);
  for (size_t i = 0; i < count; i++)
    REQUIRE(nearest[i] < SC_PHRASE_LIST_WORDS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sc_bytes input = sc_bytes_make(data, size);
  sc_bytes choice = fuzz_take(&input, 1);
  switch (choice.len == 0 ? 0 : choice.ptr[0]) {
  case 'd':
    check_data(input);
    break;
  case 's':
    check_suggestions(input);
    break;
  default:
    check_text(input);
  }
  return 0;
}
