#include "words.h"

#include "session-core/base/secret.h"

enum {
  no_break_space_bytes = 2,
  longest_prefix = 16, /* bytes of four letters */
};

const sc_phrase_language *sc_phrase_english(void) {
  return &sc_words_english;
}

sc_bytes sc_phrase_word(const sc_phrase_language *language, size_t index) {
  if (index >= SC_PHRASE_LIST_WORDS)
    return sc_bytes_make(NULL, 0);
  return sc_bytes_text(language->cells + index * language->cell);
}

/* Bytes of the white space that `text` begins with; 0 when it begins with something else. */
static size_t leading_space(sc_bytes text) {
  if (text.len == 0)
    return 0;
  if (text.ptr[0] == ' ' || (text.ptr[0] >= '\t' && text.ptr[0] <= '\r'))
    return 1;
  bool no_break = text.len >= no_break_space_bytes && text.ptr[0] == 0xc2 && text.ptr[1] == 0xa0;
  return no_break ? no_break_space_bytes : 0;
}

static void skip(sc_bytes *text, size_t len) {
  *text = sc_bytes_make(text->ptr + len, text->len - len);
}

bool sc_words_next(sc_bytes *word, sc_bytes *text) {
  for (size_t space; (space = leading_space(*text)) > 0;)
    skip(text, space);
  const uint8_t *start = text->ptr;
  while (text->len > 0 && leading_space(*text) == 0)
    skip(text, 1);
  *word = sc_bytes_make(start, (size_t)(text->ptr - start));
  return word->len > 0;
}

sc_bytes sc_words_prefix(const sc_phrase_language *language, sc_bytes word) {
  size_t letters = 0;
  size_t len = 0;
  for (; len < word.len; len++)
    if (begins_letter(word.ptr[len]) && letters++ == language->prefix)
      break;
  return sc_bytes_make(word.ptr, letters >= language->prefix ? len : 0);
}

/* 1 if a word of the list begins with `prefix` and no letter goes on after it, otherwise 0. */
static size_t begins_with(const char *word, const uint8_t *prefix, size_t len) {
  unsigned difference = !begins_letter((uint8_t)word[len]);
  for (size_t i = 0; i < len; i++)
    difference |= (uint8_t)word[i] ^ prefix[i];
  return (difference - 1) >> (sizeof difference * 8 - 1);
}

/* Visits every word of the list, whichever is found, so that time says nothing about a seed. */
size_t sc_words_find(const sc_phrase_language *language, sc_bytes typed) {
  uint8_t prefix[longest_prefix];
  size_t len = sc_words_prefix(language, typed).len;
  if (len == 0 || len > sizeof prefix || len >= language->cell)
    return SC_PHRASE_LIST_WORDS;
  for (size_t i = 0; i < len; i++)
    prefix[i] = fold_case(typed.ptr[i]);
  size_t found = SC_PHRASE_LIST_WORDS;
  const char *word = language->cells;
  for (size_t i = 0; i < SC_PHRASE_LIST_WORDS; i++, word += language->cell)
    found ^= (found ^ i) & (0 - begins_with(word, prefix, len));
  sc_wipe(prefix, sizeof prefix);
  return found;
}
