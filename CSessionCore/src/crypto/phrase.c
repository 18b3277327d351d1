/* Four bytes, a number below 2^32, are three words: its three digits in base 1626, each but the first added
 * to the word before. Three words can also stand for a number that is too large for four bytes; no phrase
 * that was made from data has such a group.
 *
 * The checksum word repeats one of the words, chosen by the CRC-32 of all their first letters. */
#include "phrase.h"

#include "../base/little.h"
#include "session-core/base/secret.h"
#include "words.h"

enum {
  radix = SC_PHRASE_LIST_WORDS,
  group_bytes = 4,
  group_words = 3,
  most_words = SC_PHRASE_MAX_DATA / group_bytes * group_words + 1,
};

static void words_of_group(size_t out[static group_words], uint32_t value) {
  out[0] = value % radix;
  out[1] = (value / radix + out[0]) % radix;
  out[2] = (value / radix / radix + out[1]) % radix;
}

static uint64_t group_of_words(const size_t words[static group_words]) {
  uint64_t second = (radix - words[0] + words[1]) % radix;
  uint64_t third = (radix - words[1] + words[2]) % radix;
  return words[0] + radix * (second + radix * third);
}

/* Continues the CRC-32 of zlib, bit by bit: a table would be looked up at secret indices. */
static uint32_t crc32_update(uint32_t crc, sc_bytes bytes) {
  for (size_t i = 0; i < bytes.len; i++) {
    crc ^= bytes.ptr[i];
    for (int bit = 0; bit < 8; bit++)
      crc = crc >> 1 ^ (0xedb88320 & (0 - (crc & 1)));
  }
  return crc;
}

static size_t checksum_word(const sc_phrase_language *language, const size_t *words, size_t count) {
  uint32_t crc = UINT32_MAX;
  for (size_t i = 0; i < count; i++)
    crc = crc32_update(crc, sc_words_prefix(language, sc_phrase_word(language, words[i])));
  return words[~crc % count];
}

static sc_status write_words(sc_buffer *out, const sc_phrase_language *language, const size_t *words,
                             size_t count) {
  sc_status status = sc_buffer_reserve(out, count * language->cell);
  for (size_t i = 0; i < count && status == SC_OK; i++) {
    if (i > 0)
      status = sc_buffer_append_byte(out, ' ');
    if (status == SC_OK)
      status = sc_buffer_append(out, sc_phrase_word(language, words[i]));
  }
  return status;
}

sc_status sc_phrase_encode(sc_buffer *out, const sc_phrase_language *language, sc_bytes data, bool checksum) {
  sc_buffer_clear(out);
  if (data.len == 0 || data.len % group_bytes != 0)
    return SC_ERR_PHRASE_LENGTH;
  if (data.len > SC_PHRASE_MAX_DATA)
    return SC_ERR_TOO_LARGE;
  size_t words[most_words];
  size_t count = 0;
  for (size_t at = 0; at < data.len; at += group_bytes, count += group_words)
    words_of_group(words + count, sc_load_u32(data.ptr + at));
  if (checksum) {
    words[count] = checksum_word(language, words, count);
    count++;
  }
  sc_status status = write_words(out, language, words, count);
  sc_wipe(words, sizeof words);
  return status;
}

sc_status sc_phrase_from_seed(sc_buffer *out, const sc_phrase_language *language,
                              const uint8_t seed[SC_AT_LEAST(16)]) {
  return sc_phrase_encode(out, language, sc_bytes_make(seed, SC_SEED_BYTES), true);
}

typedef struct typed_phrase {
  sc_bytes text;
  sc_bytes typed[most_words];
  size_t words[most_words];
  size_t count;
  sc_phrase_mistake mistake;
} typed_phrase;

static sc_status split(typed_phrase *out, sc_bytes text) {
  *out = (typed_phrase){.text = text};
  if (text.len > SC_PHRASE_MAX_BYTES)
    return SC_ERR_TOO_LARGE;
  sc_bytes word;
  while (sc_words_next(&word, &text)) {
    if (out->count == most_words)
      return SC_ERR_PHRASE_TOO_LONG;
    out->typed[out->count++] = word;
  }
  return SC_OK;
}

static sc_status mistaken(typed_phrase *phrase, size_t word, sc_status status) {
  sc_bytes typed = phrase->typed[word];
  phrase->mistake =
      (sc_phrase_mistake){.word = word, .offset = (size_t)(typed.ptr - phrase->text.ptr), .len = typed.len};
  return status;
}

static sc_status look_up(typed_phrase *phrase, const sc_phrase_language *language) {
  for (size_t i = 0; i < phrase->count; i++) {
    phrase->words[i] = sc_words_find(language, phrase->typed[i]);
    if (phrase->words[i] == SC_PHRASE_LIST_WORDS)
      return mistaken(phrase, i, SC_ERR_PHRASE_UNKNOWN_WORD);
  }
  return SC_OK;
}

/* Writes group_bytes for each group_words; a word left over after them is the checksum word. */
static sc_status decode(uint8_t *out, typed_phrase *phrase, const sc_phrase_language *language) {
  sc_status status = look_up(phrase, language);
  if (status != SC_OK)
    return status;
  size_t data_words = phrase->count / group_words * group_words;
  for (size_t i = 0; i < data_words; i += group_words, out += group_bytes) {
    uint64_t value = group_of_words(phrase->words + i);
    if (value > UINT32_MAX)
      return mistaken(phrase, i, SC_ERR_PHRASE_BAD_GROUP);
    sc_store_u32(out, (uint32_t)value);
  }
  if (data_words < phrase->count &&
      checksum_word(language, phrase->words, data_words) != phrase->words[data_words])
    return mistaken(phrase, data_words, SC_ERR_PHRASE_CHECKSUM);
  return SC_OK;
}

static void finish(typed_phrase *phrase, sc_phrase_mistake *mistake) {
  if (mistake != NULL)
    *mistake = phrase->mistake;
  sc_wipe(phrase, sizeof *phrase);
}

static sc_status split_account_phrase(typed_phrase *out, sc_bytes text) {
  sc_status status = split(out, text);
  if (status != SC_OK)
    return status;
  if (out->count != SC_PHRASE_WORDS)
    return out->count < SC_PHRASE_WORDS ? SC_ERR_PHRASE_TOO_SHORT : SC_ERR_PHRASE_TOO_LONG;
  return SC_OK;
}

sc_status sc_phrase_to_seed(uint8_t out[SC_AT_LEAST(16)], const sc_phrase_language *language, sc_bytes text,
                            sc_phrase_mistake *mistake) {
  typed_phrase phrase;
  sc_status status = split_account_phrase(&phrase, text);
  if (status == SC_OK)
    status = decode(out, &phrase, language);
  if (status != SC_OK)
    sc_wipe(out, SC_SEED_BYTES);
  finish(&phrase, mistake);
  return status;
}

static sc_status decode_into(sc_buffer *out, typed_phrase *phrase, const sc_phrase_language *language) {
  size_t groups = phrase->count / group_words;
  if (groups == 0 || phrase->count % group_words == 2)
    return SC_ERR_PHRASE_TOO_SHORT;
  uint8_t *data;
  sc_status status = sc_buffer_extend(&data, out, groups * group_bytes);
  if (status == SC_OK)
    status = decode(data, phrase, language);
  return status;
}

sc_status sc_phrase_decode(sc_buffer *out, const sc_phrase_language *language, sc_bytes text,
                           sc_phrase_mistake *mistake) {
  sc_buffer_clear(out);
  typed_phrase phrase;
  sc_status status = split(&phrase, text);
  if (status == SC_OK)
    status = decode_into(out, &phrase, language);
  if (status != SC_OK)
    sc_buffer_clear(out);
  finish(&phrase, mistake);
  return status;
}
