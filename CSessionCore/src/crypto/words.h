/* A language of recovery phrases: its word list, which scripts/generate-words makes from a text file in
 * words/, and the lookup of typed words.
 *
 * The first letters of a word are unique in its list. Letters are code points; case is that of ASCII, in
 * every locale. */
#ifndef SC_SRC_CRYPTO_WORDS_H
#define SC_SRC_CRYPTO_WORDS_H

#include <stdbool.h>

#include "session-core/crypto/phrase.h"

struct sc_phrase_language {
  size_t prefix;     /* letters that are unique in the list; every word has at least this many */
  const char *cells; /* SC_PHRASE_LIST_WORDS words, each in a cell padded with zeros */
  size_t cell;       /* size of a cell: one more than the longest word */
};

extern const sc_phrase_language sc_words_english;

/* Removes the first word from `text`; false if only white space is left. */
bool sc_words_next(sc_bytes *word, sc_bytes *text);

/* Returns the index of the word that begins like `typed`, or SC_PHRASE_LIST_WORDS if there is none. */
size_t sc_words_find(const sc_phrase_language *language, sc_bytes typed);

/* Returns the first letters of a word, which identify it; empty if it has fewer. */
sc_bytes sc_words_prefix(const sc_phrase_language *language, sc_bytes word);

static inline bool begins_letter(uint8_t byte) {
  return (byte & 0xc0) != 0x80;
}

static inline uint8_t fold_case(uint8_t byte) {
  return (uint8_t)(byte | (uint8_t)((uint8_t)(byte - 'A') < 26) << 5);
}

#endif
