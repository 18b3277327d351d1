/* Phrases for data of any length. */
#ifndef SC_SRC_CRYPTO_PHRASE_H
#define SC_SRC_CRYPTO_PHRASE_H

#include "session-core/crypto/phrase.h"

/* Encodes 4 bytes, or a multiple up to SC_PHRASE_MAX_DATA, as words, with or without the checksum word.
 * SC_ERR_PHRASE_LENGTH, SC_ERR_TOO_LARGE. */
SC_NODISCARD sc_status sc_phrase_encode(sc_buffer *out, const sc_phrase_language *language, sc_bytes data,
                                        bool checksum);

/* Decodes words. The last word is a checksum if one remains after groups of three; SC_ERR_PHRASE_TOO_SHORT
 * if two remain, or there are no words. */
SC_NODISCARD sc_status sc_phrase_decode(sc_buffer *out, const sc_phrase_language *language, sc_bytes text,
                                        sc_phrase_mistake *mistake);

#endif
