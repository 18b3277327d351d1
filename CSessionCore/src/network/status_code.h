/* The codes of replies in every transport, which are those of HTTP. */
#ifndef SC_SRC_NETWORK_STATUS_CODE_H
#define SC_SRC_NETWORK_STATUS_CODE_H

#include <stdbool.h>
#include <stdint.h>

enum { SC_LOWEST_STATUS_CODE = 100, SC_HIGHEST_STATUS_CODE = 599 };

static inline bool sc_is_status_code(uint64_t code) {
  return code >= SC_LOWEST_STATUS_CODE && code <= SC_HIGHEST_STATUS_CODE;
}

#endif
