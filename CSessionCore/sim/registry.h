/* The members of the network and the swarms of accounts: the truth, and the lists of it that were published.
 *
 * A list never changes once it is published; nodes hold the one they know, and may be behind. Nodes are
 * numbers here. */
#ifndef SC_SIM_REGISTRY_H
#define SC_SIM_REGISTRY_H

#include <stdbool.h>

#include "session-core/network/storage_nodes.h"

typedef struct registry_swarm {
  uint64_t id;
  uint32_t first; /* of its members, in registry_list.nodes */
  uint32_t count;
} registry_swarm;

typedef struct registry_list {
  size_t owners;
  uint64_t height;
  uint32_t *nodes; /* swarm by swarm; those without one behind all others */
  size_t count;
  registry_swarm *swarms; /* ascending by id */
  size_t swarm_count;
  uint64_t *swarm_of; /* by node; SC_STORAGE_NO_SWARM for none */
  bool *listed;       /* by node */
  size_t most;        /* nodes that there can be */
} registry_list;

typedef struct registry {
  size_t most;
  uint64_t height;
  bool *listed;
  uint64_t *swarm_of;
  registry_list *newest;
} registry;

/* For nodes 0 to `most` - 1, none of which is listed yet. */
void registry_init(registry *r, size_t most);
void registry_free(registry *r);

/* Changes of the truth; they are known once they are published. */
void registry_put(registry *r, uint32_t node, uint64_t swarm);
void registry_remove(registry *r, uint32_t node);
void registry_publish(registry *r);

registry_list *registry_list_share(registry_list *list);
void registry_list_drop(registry_list *list); /* NULL is allowed */

/* The swarm of an account, or NULL when there is no swarm at all. */
const registry_swarm *registry_swarm_of(const registry_list *list, const uint8_t account[static 33]);
const registry_swarm *registry_swarm_find(const registry_list *list, uint64_t id);

/* True if the node keeps the account's messages according to the list. */
bool registry_is_member(const registry_list *list, uint32_t node, const uint8_t account[static 33]);

#endif
