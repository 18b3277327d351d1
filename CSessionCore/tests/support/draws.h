/* Numbers drawn from a seed: the same seed gives the same numbers on every machine. Draw one per statement:
 * the compiler chooses the order in which a call's arguments are evaluated. */
#ifndef SC_TESTS_DRAWS_H
#define SC_TESTS_DRAWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct draws {
  uint64_t state;
} draws;

static inline draws draws_from(uint64_t seed) {
  return (draws){seed};
}

/* SplitMix64. */
static inline uint64_t draw(draws *from) {
  uint64_t mixed = from->state += 0x9e3779b97f4a7c15;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

/* Less than `end`, which must not be 0. */
static inline uint32_t draw_below(draws *from, uint32_t end) {
  return (uint32_t)((draw(from) >> 32) % end);
}

static inline bool draw_one_in(draws *from, uint32_t chances) {
  return draw_below(from, chances) == 0;
}

static inline void draws_fill(draws *from, uint8_t *out, size_t len) {
  uint64_t word;
  for (size_t at = 0; at < len; at += sizeof word) {
    word = draw(from);
    memcpy(out + at, &word, len - at < sizeof word ? len - at : sizeof word);
  }
}

/* The numbers below `count`, in any order. */
static inline void draw_order(size_t *out, size_t count, draws *from) {
  for (size_t i = 0; i < count; i++) {
    size_t at = draw_below(from, (uint32_t)i + 1);
    if (at < i)
      out[i] = out[at];
    out[at] = i;
  }
}

#endif
