#include <sodium.h>
#include <stdio.h>

#include "crypto/phrase.h"
#include "crypto/words.h"
#include "support/test.h"

typedef struct known_phrase {
  const char *seed;
  const char *phrase;
} known_phrase;

static const known_phrase known[] = {
    {"0123456789abcdef0123456789abcdef",
     "vexed enjoy pigment films adept voted vexed enjoy pigment films adept voted adept"},
    {"00112233445566778899aabbccddeeff",
     "python costume hamburger heels amnesty lukewarm antics value picked roped sowed southern amnesty"},
    {"00000000000000000000000000000000",
     "abbey abbey abbey abbey abbey abbey abbey abbey abbey abbey abbey abbey abbey"},
};
enum { known_count = sizeof known / sizeof known[0] };

static const char first_seed[] = "0123456789abcdef0123456789abcdef";

static void known_seeds_have_known_phrases(sc_test *t) {
  sc_buffer phrase;
  sc_buffer_init(&phrase, t->env);
  for (size_t i = 0; i < known_count; i++) {
    uint8_t seed[SC_SEED_BYTES], back[SC_SEED_BYTES];
    sc_test_hex_into(seed, sizeof seed, known[i].seed);
    OK(sc_phrase_from_seed(&phrase, sc_phrase_english(), seed));
    SAME(sc_bytes_text(known[i].phrase), sc_buffer_bytes(&phrase));
    OK(sc_phrase_to_seed(back, sc_phrase_english(), sc_buffer_bytes(&phrase), NULL));
    SAME(SC_BYTES(seed), SC_BYTES(back));
  }
done:
  sc_buffer_free(&phrase);
}

static void every_seed_survives_a_round_trip(sc_test *t) {
  sc_buffer phrase;
  sc_buffer_init(&phrase, t->env);
  int rounds = t->torture ? 2 : 500;
  for (int i = 0; i < rounds; i++) {
    uint8_t seed[SC_SEED_BYTES], back[SC_SEED_BYTES];
    sc_random(t->env, seed, sizeof seed);
    OK(sc_phrase_from_seed(&phrase, sc_phrase_english(), seed));
    OK(sc_phrase_to_seed(back, sc_phrase_english(), sc_buffer_bytes(&phrase), NULL));
    SAME(SC_BYTES(seed), SC_BYTES(back));
  }
done:
  sc_buffer_free(&phrase);
}

static void a_typed_phrase_may_have_any_case_and_spacing(sc_test *t) {
  static const char *const typed[] = {
      "VEXED Enjoy pIGMENT films adept voted vexed enjoy pigment films adept voted adept",
      "  vexed\tenjoy pigment\r\nfilms adept   voted vexed enjoy\vpigment\ffilms adept voted adept\n",
      "vexed\xc2\xa0"
      "enjoy \xc2\xa0 pigment films adept voted\xc2\xa0\xc2\xa0vexed enjoy pigment films adept voted "
      "adept\xc2\xa0",
  };
  uint8_t seed[SC_SEED_BYTES], expected[SC_SEED_BYTES];
  sc_test_hex_into(expected, sizeof expected, first_seed);
  for (size_t i = 0; i < sizeof typed / sizeof typed[0]; i++) {
    OK(sc_phrase_to_seed(seed, sc_phrase_english(), sc_bytes_text(typed[i]), NULL));
    SAME(SC_BYTES(expected), SC_BYTES(seed));
  }
done:;
}

static void only_the_first_letters_of_a_word_matter(sc_test *t) {
  static const char typed[] = "vex enjoyable pig filxxx ade vot vexing enj pigs fil adept vot ADEquate";
  uint8_t seed[SC_SEED_BYTES], expected[SC_SEED_BYTES];
  sc_test_hex_into(expected, sizeof expected, first_seed);
  OK(sc_phrase_to_seed(seed, sc_phrase_english(), sc_bytes_text(typed), NULL));
  SAME(SC_BYTES(expected), SC_BYTES(seed));
done:;
}

typedef struct bad_phrase {
  sc_status status;
  const char *text;
  sc_phrase_mistake mistake;
} bad_phrase;

static const bad_phrase bad[] = {
    {SC_ERR_PHRASE_TOO_SHORT, "", {0}},
    {SC_ERR_PHRASE_TOO_SHORT, " \t\n\xc2\xa0", {0}},
    /* It would decode without its last word. */
    {SC_ERR_PHRASE_TOO_SHORT,
     "vexed enjoy pigment films adept voted vexed enjoy pigment films adept voted",
     {0}},
    {SC_ERR_PHRASE_TOO_SHORT, "nonsense words", {0}},
    {SC_ERR_PHRASE_TOO_LONG,
     "vexed enjoy pigment films adept voted vexed enjoy pigment films adept voted adept adept",
     {0}},
    {SC_ERR_PHRASE_UNKNOWN_WORD,
     "ve enjoy pigment films adept voted vexed enjoy pigment films adept voted adept",
     {0, 0, 2}},
    {SC_ERR_PHRASE_UNKNOWN_WORD,
     "vexed  x pigment films adept voted vexed enjoy pigment films adept voted adept",
     {1, 7, 1}},
    {SC_ERR_PHRASE_UNKNOWN_WORD,
     "vexed enjoy pigment films adept voted vexed enjoy pigment films adept voted qqqq\n",
     {12, 76, 4}},
    {SC_ERR_PHRASE_UNKNOWN_WORD,
     "vexed enjoy pigment films \xc3\xa1"
     "dept voted vexed enjoy pigment films adept voted adept",
     {4, 26, 6}},
    /* U+00A1 starts with the same byte as the no-break space, U+00A0. */
    {SC_ERR_PHRASE_TOO_SHORT,
     "vexed enjoy pigment films adept\xc2\xa1voted vexed enjoy pigment films adept voted adept",
     {0}},
    {SC_ERR_PHRASE_UNKNOWN_WORD,
     ",vexed enjoy pigment films adept voted vexed enjoy pigment films adept voted adept",
     {0, 0, 6}},
    /* abbey abducts zoom stands for more than 2^32. */
    {SC_ERR_PHRASE_BAD_GROUP,
     "vexed enjoy pigment abbey zoom zones vexed enjoy pigment films adept voted adept",
     {3, 20, 5}},
    {SC_ERR_PHRASE_CHECKSUM,
     "vexed enjoy pigment films adept voted vexed enjoy pigment films adept voted  vexed ",
     {12, 77, 5}},
    {SC_ERR_PHRASE_CHECKSUM,
     "enjoy vexed pigment films adept voted vexed enjoy pigment films adept voted adept",
     {12, 76, 5}},
};

static void each_mistake_is_named_and_located(sc_test *t) {
  static const uint8_t zeros[SC_SEED_BYTES];
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    uint8_t seed[SC_SEED_BYTES];
    sc_phrase_mistake mistake = {99, 99, 99};
    memset(seed, 0xee, sizeof seed);
    FAILS(bad[i].status, sc_phrase_to_seed(seed, sc_phrase_english(), sc_bytes_text(bad[i].text), &mistake));
    CHECK(mistake.word == bad[i].mistake.word && mistake.offset == bad[i].mistake.offset &&
          mistake.len == bad[i].mistake.len);
    SAME(SC_BYTES(zeros), SC_BYTES(seed));
    FAILS(bad[i].status, sc_phrase_to_seed(seed, sc_phrase_english(), sc_bytes_text(bad[i].text), NULL));
  }
done:;
}

/* Of the 1626³ groups of three words, this many stand for no four bytes. */
static void only_word_groups_beyond_32_bits_are_refused(sc_test *t) {
  enum { beyond = 3975080 };
  sc_buffer data;
  sc_buffer_init(&data, t->env);
  static const uint64_t radix = SC_PHRASE_LIST_WORDS;
  CHECK(radix * radix * radix - ((uint64_t)1 << 32) == beyond);
  static const uint64_t edges[] = {
      0, 1, 0xfffffffe, 0xffffffff, 0x100000000, 0x100000001, 1626ULL * 1626 * 1626 - 1};
  for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
    uint64_t a = edges[i] % radix, b = (edges[i] / radix + a) % radix,
             c = (edges[i] / radix / radix + b) % radix;
    char text[64];
    snprintf(text, sizeof text, "%s %s %s", (const char *)sc_phrase_word(sc_phrase_english(), a).ptr,
             (const char *)sc_phrase_word(sc_phrase_english(), b).ptr,
             (const char *)sc_phrase_word(sc_phrase_english(), c).ptr);
    sc_phrase_mistake mistake;
    FAILS(edges[i] > UINT32_MAX ? SC_ERR_PHRASE_BAD_GROUP : SC_OK,
          sc_phrase_decode(&data, sc_phrase_english(), sc_bytes_text(text), &mistake));
    uint8_t expected[4];
    for (size_t byte = 0; byte < sizeof expected; byte++)
      expected[byte] = (uint8_t)(edges[i] >> (8 * byte));
    SAME(sc_bytes_make(expected, edges[i] > UINT32_MAX ? 0 : 4), sc_buffer_bytes(&data));
  }
done:
  sc_buffer_free(&data);
}

static void any_data_can_be_encoded_as_words(sc_test *t) {
  sc_buffer phrase, data;
  sc_buffer_init(&phrase, t->env);
  sc_buffer_init(&data, t->env);
  static const uint8_t few[] = {1, 2, 3, 4};
  OK(sc_phrase_encode(&phrase, sc_phrase_english(), SC_BYTES(few), false));
  SAME(sc_bytes_text("object anxiety asked"), sc_buffer_bytes(&phrase));
  OK(sc_phrase_decode(&data, sc_phrase_english(), sc_buffer_bytes(&phrase), NULL));
  SAME(SC_BYTES(few), sc_buffer_bytes(&data));

  uint8_t many[crypto_hash_sha512_BYTES];
  static const char message[] = "libsession-util mnemonic test vector";
  crypto_hash_sha512(many, (const uint8_t *)message, strlen(message));
  static const char start[] = "threaten efficient wives skirting repent ashtray rural ammo reunion yoyo ";
  static const char end[] = " cowl saga gossip vats bias federal safety";
  OK(sc_phrase_encode(&phrase, sc_phrase_english(), SC_BYTES(many), true));
  CHECK(phrase.len > sizeof start + sizeof end);
  SAME(sc_bytes_text(start), sc_bytes_make(phrase.ptr, strlen(start)));
  SAME(sc_bytes_text(end), sc_bytes_make(phrase.ptr + phrase.len - strlen(end), strlen(end)));
  OK(sc_phrase_decode(&data, sc_phrase_english(), sc_buffer_bytes(&phrase), NULL));
  SAME(SC_BYTES(many), sc_buffer_bytes(&data));
done:
  sc_buffer_free(&phrase);
  sc_buffer_free(&data);
}

static void data_comes_in_groups_of_four_bytes_up_to_a_limit(sc_test *t) {
  static const uint8_t bytes[SC_PHRASE_MAX_DATA + 4];
  sc_buffer phrase, data;
  sc_buffer_init(&phrase, t->env);
  sc_buffer_init(&data, t->env);
  static const size_t odd[] = {0, 1, 2, 3, 5, 15, 17};
  for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++)
    FAILS(SC_ERR_PHRASE_LENGTH,
          sc_phrase_encode(&phrase, sc_phrase_english(), sc_bytes_make(bytes, odd[i]), true));
  FAILS(SC_ERR_TOO_LARGE, sc_phrase_encode(&phrase, sc_phrase_english(), SC_BYTES(bytes), true));
  CHECK(phrase.len == 0);
  sc_bytes most = sc_bytes_make(bytes, SC_PHRASE_MAX_DATA);
  OK(sc_phrase_encode(&phrase, sc_phrase_english(), most, true));
  CHECK(phrase.len <= SC_PHRASE_MAX_BYTES);
  OK(sc_phrase_decode(&data, sc_phrase_english(), sc_buffer_bytes(&phrase), NULL));
  SAME(most, sc_buffer_bytes(&data));
  OK(sc_buffer_append(&phrase, sc_bytes_text(" abbey")));
  FAILS(SC_ERR_PHRASE_TOO_LONG, sc_phrase_decode(&data, sc_phrase_english(), sc_buffer_bytes(&phrase), NULL));
  CHECK(data.len == 0);
done:
  sc_buffer_free(&phrase);
  sc_buffer_free(&data);
}

static void a_general_phrase_has_groups_of_three_words(sc_test *t) {
  sc_buffer data;
  sc_buffer_init(&data, t->env);
  static const bad_phrase phrases[] = {
      {SC_ERR_PHRASE_TOO_SHORT, "", {0}},
      {SC_ERR_PHRASE_TOO_SHORT, "ugly", {0}},
      {SC_ERR_PHRASE_TOO_SHORT, "ugly birth", {0}},
      {SC_ERR_PHRASE_TOO_SHORT, "ugly birth buckets ugly birth", {0}},
      {SC_ERR_PHRASE_UNKNOWN_WORD, "ugly birth xxxxx", {2, 11, 5}},
      {SC_ERR_PHRASE_CHECKSUM, "ugly birth buckets zoom", {3, 19, 4}},
      {SC_ERR_PHRASE_BAD_GROUP, "ugly birth buckets abbey zoom zones", {3, 19, 5}},
  };
  for (size_t i = 0; i < sizeof phrases / sizeof phrases[0]; i++) {
    sc_phrase_mistake mistake;
    FAILS(phrases[i].status,
          sc_phrase_decode(&data, sc_phrase_english(), sc_bytes_text(phrases[i].text), &mistake));
    CHECK(mistake.word == phrases[i].mistake.word && mistake.offset == phrases[i].mistake.offset &&
          mistake.len == phrases[i].mistake.len);
    CHECK(data.len == 0);
  }
done:
  sc_buffer_free(&data);
}

static void overlong_text_is_refused(sc_test *t) {
  static char text[SC_PHRASE_MAX_BYTES + 1];
  memset(text, ' ', sizeof text);
  memcpy(text, known[0].phrase, strlen(known[0].phrase));
  uint8_t seed[SC_SEED_BYTES];
  sc_buffer data;
  sc_buffer_init(&data, t->env);
  OK(sc_phrase_to_seed(seed, sc_phrase_english(), sc_bytes_make(text, SC_PHRASE_MAX_BYTES), NULL));
  FAILS(SC_ERR_TOO_LARGE, sc_phrase_to_seed(seed, sc_phrase_english(), SC_BYTES(text), NULL));
  FAILS(SC_ERR_TOO_LARGE, sc_phrase_decode(&data, sc_phrase_english(), SC_BYTES(text), NULL));
done:
  sc_buffer_free(&data);
}

static void the_list_holds_its_words(sc_test *t) {
  static const struct {
    size_t index;
    const char *word;
  } some[] = {{0, "abbey"}, {180, "birth"}, {205, "buckets"}, {1443, "ugly"}, {1625, "zoom"}};
  for (size_t i = 0; i < sizeof some / sizeof some[0]; i++)
    SAME(sc_bytes_text(some[i].word), sc_phrase_word(sc_phrase_english(), some[i].index));
  CHECK(sc_phrase_word(sc_phrase_english(), SC_PHRASE_LIST_WORDS).len == 0);
  CHECK(sc_phrase_word(sc_phrase_english(), SIZE_MAX).len == 0);

  /* The list, as a file, has a known hash. */
  crypto_hash_sha256_state state;
  uint8_t hash[crypto_hash_sha256_BYTES], expected[crypto_hash_sha256_BYTES];
  crypto_hash_sha256_init(&state);
  for (size_t i = 0; i < SC_PHRASE_LIST_WORDS; i++) {
    sc_bytes word = sc_phrase_word(sc_phrase_english(), i);
    crypto_hash_sha256_update(&state, word.ptr, word.len);
    crypto_hash_sha256_update(&state, (const uint8_t *)"\n", 1);
  }
  crypto_hash_sha256_final(&state, hash);
  sc_test_hex_into(expected, sizeof expected,
                   "eaa6bce7dd92f4d6dd74f224264e0ef4ad21095d68ec77616b26ceb599baf4f7");
  SAME(SC_BYTES(expected), SC_BYTES(hash));
done:;
}

/* A language whose words are distinguished by two letters of two bytes each. */
static char accented_cells[SC_PHRASE_LIST_WORDS][6];
static const sc_phrase_language accented = {.prefix = 2, .cells = accented_cells[0], .cell = 6};

static void make_accented_words(void) {
  enum { letters = 41, first_letter = 0x100 };
  for (unsigned i = 0; i < SC_PHRASE_LIST_WORDS; i++) {
    const unsigned word[] = {first_letter + i / letters, first_letter + i % letters};
    for (size_t at = 0; at < 2; at++) {
      accented_cells[i][2 * at] = (char)(0xc0 | word[at] >> 6);
      accented_cells[i][2 * at + 1] = (char)(0x80 | (word[at] & 0x3f));
    }
    accented_cells[i][4] = 'x';
  }
}

static void letters_are_code_points(sc_test *t) {
  make_accented_words();
  uint8_t seed[SC_SEED_BYTES], back[SC_SEED_BYTES];
  sc_test_hex_into(seed, sizeof seed, first_seed);
  sc_buffer phrase;
  sc_buffer_init(&phrase, t->env);
  OK(sc_phrase_from_seed(&phrase, &accented, seed));
  CHECK(phrase.len == SC_PHRASE_WORDS * strlen("\xc4\x80\xc4\x80x ") - 1);
  OK(sc_phrase_to_seed(back, &accented, sc_buffer_bytes(&phrase), NULL));
  SAME(SC_BYTES(seed), SC_BYTES(back));

  size_t nearest;
  const sc_bytes word = sc_phrase_word(&accented, 1000);
  CHECK(sc_words_find(&accented, word) == 1000);
  CHECK(sc_words_find(&accented, sc_bytes_make(word.ptr, 4)) == 1000);
  CHECK(sc_phrase_suggest(&nearest, 1, &accented, sc_bytes_make(word.ptr, 4)) == 1 && nearest == 1000);
  /* Half a letter does not count. */
  CHECK(sc_words_find(&accented, sc_bytes_make(word.ptr, 3)) == SC_PHRASE_LIST_WORDS);
  CHECK(sc_words_find(&accented, sc_bytes_make(word.ptr, 2)) == SC_PHRASE_LIST_WORDS);
done:
  sc_buffer_free(&phrase);
}

static void a_misspelt_word_is_recognised(sc_test *t) {
  static const struct {
    const char *typed;
    const char *meant;
  } slips[] = {
      {"vrxed", "vexed"},         {"evxed", "vexed"},     {"exed", "vexed"},
      {"vvexed", "vexed"},        {"bukcets", "buckets"}, {"vuckets", "buckets"},
      {"hmaburger", "hamburger"}, {"PGMENT", "pigment"},  {"  luekwarm x ", "lukewarm"},
  };
  for (size_t i = 0; i < sizeof slips / sizeof slips[0]; i++) {
    size_t nearest;
    CHECK(sc_phrase_suggest(&nearest, 1, sc_phrase_english(), sc_bytes_text(slips[i].typed)) == 1);
    SAME(sc_bytes_text(slips[i].meant), sc_phrase_word(sc_phrase_english(), nearest));
  }
done:;
}

static void an_accepted_word_is_its_own_first_suggestion(sc_test *t) {
  size_t step = t->torture ? 400 : 1;
  for (size_t i = 0; i < SC_PHRASE_LIST_WORDS; i += step) {
    sc_bytes word = sc_phrase_word(sc_phrase_english(), i);
    size_t nearest = SC_PHRASE_LIST_WORDS;
    CHECK(sc_phrase_suggest(&nearest, 1, sc_phrase_english(), sc_bytes_make(word.ptr, 3)) == 1);
    CHECK(nearest == i);
  }
done:;
}

static void as_many_suggestions_as_requested_are_given(sc_test *t) {
  static size_t all[SC_PHRASE_LIST_WORDS + 1];
  static bool seen[SC_PHRASE_LIST_WORDS];
  sc_bytes typed = sc_bytes_text("zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz");
  memset(seen, 0, sizeof seen);
  CHECK(sc_phrase_suggest(all, SC_PHRASE_LIST_WORDS + 1, sc_phrase_english(), typed) == SC_PHRASE_LIST_WORDS);
  for (size_t i = 0; i < SC_PHRASE_LIST_WORDS; i++) {
    CHECK(all[i] < SC_PHRASE_LIST_WORDS && !seen[all[i]]);
    seen[all[i]] = true;
  }
  CHECK(sc_phrase_suggest(all, 0, sc_phrase_english(), typed) == 0);
  CHECK(sc_phrase_suggest(all, 5, sc_phrase_english(), sc_bytes_text("")) == 0);
  CHECK(sc_phrase_suggest(all, 5, sc_phrase_english(), sc_bytes_text(" \n")) == 0);
done:;
}

SUITE(crypto_phrase, "crypto/phrase", {"known seeds have known phrases", known_seeds_have_known_phrases},
      {"every seed survives a round trip", every_seed_survives_a_round_trip},
      {"a typed phrase may have any case and spacing", a_typed_phrase_may_have_any_case_and_spacing},
      {"only the first letters of a word matter", only_the_first_letters_of_a_word_matter},
      {"each mistake is named and located", each_mistake_is_named_and_located},
      {"only word groups beyond 32 bits are refused", only_word_groups_beyond_32_bits_are_refused},
      {"any data can be encoded as words", any_data_can_be_encoded_as_words},
      {"data comes in groups of four bytes, up to a limit", data_comes_in_groups_of_four_bytes_up_to_a_limit},
      {"a general phrase has groups of three words", a_general_phrase_has_groups_of_three_words},
      {"overlong text is refused", overlong_text_is_refused},
      {"the list holds its words", the_list_holds_its_words},
      {"letters are code points", letters_are_code_points},
      {"a misspelt word is recognised", a_misspelt_word_is_recognised},
      {"an accepted word is its own first suggestion", an_accepted_word_is_its_own_first_suggestion},
      {"as many suggestions as requested are given", as_many_suggestions_as_requested_are_given});
