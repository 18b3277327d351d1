/* Recovery phrases: a seed as words that a person can write down.
 *
 * Typed text may have any case and spacing, and only the first letters of a word count. Buffers that receive
 * a phrase or a seed are wiped when freed. */
#ifndef SC_CRYPTO_PHRASE_H
#define SC_CRYPTO_PHRASE_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"
#include "account.h"

SC_API_BEGIN

#define SC_PHRASE_WORDS 13
#define SC_PHRASE_LIST_WORDS 1626
/* The longest accepted text. */
#define SC_PHRASE_MAX_BYTES 4096
/* The largest amount of data in one phrase. */
#define SC_PHRASE_MAX_DATA 256

/* A language and its word list. */
typedef struct sc_phrase_language sc_phrase_language;

SC_API const sc_phrase_language *sc_phrase_english(void);

/* Returns a word of the list, valid forever; empty if `index` is SC_PHRASE_LIST_WORDS or more. */
SC_API sc_bytes sc_phrase_word(const sc_phrase_language *language, size_t index);

/* Writes the indices of up to `max` words that resemble the first word of `text`, nearest first, and returns
 * their number; 0 if there is no word. A word of the list is its own nearest word. */
SC_API size_t sc_phrase_suggest(size_t *out, size_t max, const sc_phrase_language *language, sc_bytes text);

/* The wrong word of a text, counted from 0, and its position in the text. */
typedef struct sc_phrase_mistake {
  size_t word;
  size_t offset;
  size_t len;
} sc_phrase_mistake;

/* Writes the 13 words of an account's seed. */
SC_API SC_NODISCARD sc_status sc_phrase_from_seed(sc_buffer *out, const sc_phrase_language *language,
                                                  const uint8_t seed[SC_AT_LEAST(16)]);

/* Reads a phrase. SC_ERR_PHRASE_TOO_SHORT, SC_ERR_PHRASE_TOO_LONG, SC_ERR_PHRASE_UNKNOWN_WORD,
 * SC_ERR_PHRASE_BAD_GROUP, SC_ERR_PHRASE_CHECKSUM, SC_ERR_TOO_LARGE. `mistake` may be NULL; it is set for an
 * unknown word, a bad group (its first word) and the checksum (the last word). */
SC_API SC_NODISCARD sc_status sc_phrase_to_seed(uint8_t out[SC_AT_LEAST(16)],
                                                const sc_phrase_language *language, sc_bytes text,
                                                sc_phrase_mistake *mistake);

SC_API_END

#endif
