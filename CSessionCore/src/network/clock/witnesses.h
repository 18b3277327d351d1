/* Finds the offset of this machine's clock from the times that nodes report, some of which lie. There may be
 * no well-founded offset.
 *
 * This machine is a witness too. While its clock is right, nodes alone cannot move it far; only a majority of
 * the called nodes can prove it wrong. */
#ifndef SC_SRC_NETWORK_CLOCK_WITNESSES_H
#define SC_SRC_NETWORK_CLOCK_WITNESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  sc_witnesses_first = 3, /* nodes in the first round */
  sc_witnesses_most = 6,  /* nodes, if the first ones do not suffice */
};

/* The clock of a node, by one reply. */
typedef struct sc_witness {
  int64_t offset;      /* milliseconds by which this machine's clock is behind it */
  uint64_t round_trip; /* milliseconds */
} sc_witness;

/* Sets the offset of this machine's clock if the witnesses prove one; `called` includes nodes that did not
 * reply. False if they do not. */
bool sc_witnesses_decide(int64_t *offset, const sc_witness *list, size_t count, size_t called);

/* The most milliseconds by which nodes can move the clock without further proof. */
enum { sc_clock_most_unproved = 30000 };

#endif
