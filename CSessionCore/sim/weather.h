/* Random faults of nodes: they die and come back, lose their line or part of what they send, are not ready,
 * stall, miss new lists; and the network splits and joins again. */
#ifndef SC_SIM_WEATHER_H
#define SC_SIM_WEATHER_H

#include "node.h"

typedef struct weather {
  bool fair;        /* no more faults */
  size_t incidents; /* so far */
  uint64_t budget;  /* thousandths of an incident that are due */
  uint32_t islands; /* that the network has fallen into; 0 or 1 for one */
  bool fell_apart;  /* at some time */
} weather;

/* Makes some nodes hostile and sets some clocks apart, and begins. */
void weather_begin(world *w);

/* Ends what goes by; hostile nodes stay hostile, and clocks wrong. */
void weather_clear(world *w);

/* One of them, for tests. */
void weather_strike(world *w, uint32_t node, trouble what, uint64_t how_long);
void weather_split(world *w, uint64_t how_long);

#endif
