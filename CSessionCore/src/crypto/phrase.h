/* Phrases for data of any length. */
#ifndef SC_SRC_CRYPTO_PHRASE_H
#define SC_SRC_CRYPTO_PHRASE_H

#include "session-core/crypto/phrase.h"

/* The general form: 4 bytes, or a multiple of them up to SC_PHRASE_MAX_DATA, as words, with or without the
 * checksum word. SC_ERR_PHRASE_LENGTH, SC_ERR_TOO_LARGE. */
SC_NODISCARD sc_status sc_phrase_encode(sc_buffer *out, const sc_phrase_language *language, sc_bytes data,
                                        bool checksum);

/* Its reverse: a checksum word is expected when one word is left over after groups of three, and
 * SC_ERR_PHRASE_TOO_SHORT is the answer when two are or there are none. */
SC_NODISCARD sc_status sc_phrase_decode(sc_buffer *out, const sc_phrase_language *language, sc_bytes text,
                                        sc_phrase_mistake *mistake);

#endif
