#include "forks.h"

static bool is_higher(const uint16_t a[static 2], const uint16_t b[static 2]) {
  return a[0] != b[0] ? a[0] > b[0] : a[1] > b[1];
}

static sc_fork_claim *find(sc_forks *forks, const sc_node *node, bool by_subnet) {
  for (size_t i = 0; i < forks->count; i++) {
    const sc_node *other = &forks->claims[i].node;
    if (sc_node_same(other, node) || (by_subnet && sc_node_same_subnet(other, node)))
      return &forks->claims[i];
  }
  return NULL;
}

/* Returns a place for another claim: a free one, or that of the lowest claim. */
static sc_fork_claim *place(sc_forks *forks) {
  sc_fork_claim *lowest = &forks->claims[0];
  if (forks->count < sc_forks_most)
    return &forks->claims[forks->count++];
  for (size_t i = 1; i < forks->count; i++)
    if (is_higher(lowest->fork, forks->claims[i].fork))
      lowest = &forks->claims[i];
  return lowest;
}

void sc_forks_note(sc_forks *forks, const sc_node *node, const uint16_t fork[static 2], bool by_subnet) {
  sc_fork_claim *claim = find(forks, node, by_subnet);
  if (claim == NULL) {
    claim = place(forks);
    *claim = (sc_fork_claim){.node = *node};
  }
  if (is_higher(fork, claim->fork))
    memcpy(claim->fork, fork, sizeof claim->fork);
}

bool sc_forks_agreed(uint16_t out[static 2], const sc_forks *forks, size_t voices) {
  for (size_t i = 0; i < forks->count; i++) {
    const uint16_t *fork = forks->claims[i].fork;
    size_t higher = 0, same = 0;
    for (size_t k = 0; k < forks->count; k++) {
      higher += is_higher(forks->claims[k].fork, fork);
      same += !is_higher(forks->claims[k].fork, fork) && !is_higher(fork, forks->claims[k].fork);
    }
    if (higher < voices && higher + same >= voices) {
      memcpy(out, fork, sizeof forks->claims[i].fork);
      return true;
    }
  }
  return false;
}
