/* Days since 1970, for records that are kept so long that hours do not matter, and that must not reveal when
 * a user was online. */
#ifndef SC_SRC_NETWORK_DAY_H
#define SC_SRC_NETWORK_DAY_H

#include <stdint.h>

/* 0 for none. */
typedef uint32_t sc_day;

/* The day of a time in milliseconds since 1970. */
static inline sc_day sc_day_of(uint64_t wall) {
  enum { day = 24 * 3600 * 1000 };
  uint64_t days = wall / day;
  return days < UINT32_MAX ? (sc_day)days : UINT32_MAX;
}

#endif
