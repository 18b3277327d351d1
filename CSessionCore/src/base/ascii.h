/* The characters of ASCII, whatever the locale of the process is. Not for secrets: time depends on the data.
 */
#ifndef SC_SRC_BASE_ASCII_H
#define SC_SRC_BASE_ASCII_H

#include <stdbool.h>
#include <stdint.h>

static inline uint8_t sc_ascii_lower(uint8_t character) {
  return character >= 'A' && character <= 'Z' ? (uint8_t)(character - 'A' + 'a') : character;
}

static inline bool sc_ascii_is_digit(uint8_t character) {
  return character >= '0' && character <= '9';
}

static inline bool sc_ascii_is_letter(uint8_t character) {
  return sc_ascii_lower(character) >= 'a' && sc_ascii_lower(character) <= 'z';
}

#endif
