/* Known answers, written in a test as hexadecimal text. */
#ifndef SC_TESTS_KNOWN_BYTES_H
#define SC_TESTS_KNOWN_BYTES_H

#include "test.h"

/* Declares the array `name` that holds the bytes of a hexadecimal string literal. */
#define KNOWN(name, hex)                                                                                     \
  uint8_t name[sizeof(hex) / 2];                                                                             \
  sc_test_hex_into(name, sizeof name, (hex))

#endif
