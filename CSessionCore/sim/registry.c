#include "registry.h"

#include <stdlib.h>

#include "memory.h"

void registry_init(registry *r, size_t most) {
  *r = (registry){.most = most};
  r->listed = memory_new(most, sizeof *r->listed);
  r->swarm_of = memory_new(most, sizeof *r->swarm_of);
  for (size_t i = 0; i < most; i++)
    r->swarm_of[i] = SC_STORAGE_NO_SWARM;
}

void registry_free(registry *r) {
  registry_list_drop(r->newest);
  free(r->listed);
  free(r->swarm_of);
}

void registry_put(registry *r, uint32_t node, uint64_t swarm) {
  r->listed[node] = true;
  r->swarm_of[node] = swarm;
}

void registry_remove(registry *r, uint32_t node) {
  r->listed[node] = false;
  r->swarm_of[node] = SC_STORAGE_NO_SWARM;
}

typedef struct placed {
  uint64_t swarm;
  uint32_t node;
} placed;

static int compare(const void *a, const void *b) {
  const placed *x = a, *y = b;
  if (x->swarm != y->swarm)
    return x->swarm < y->swarm ? -1 : 1;
  return x->node < y->node ? -1 : 1;
}

/* `list` lists the nodes of `sorted`, which are in order. */
static void gather_swarms(registry_list *list, const placed *sorted) {
  for (uint32_t i = 0; i < list->count; i++) {
    list->nodes[i] = sorted[i].node;
    if (sorted[i].swarm == SC_STORAGE_NO_SWARM)
      continue;
    if (i == 0 || sorted[i].swarm != sorted[i - 1].swarm)
      list->swarms[list->swarm_count++] = (registry_swarm){.id = sorted[i].swarm, .first = i};
    list->swarms[list->swarm_count - 1].count++;
  }
}

void registry_publish(registry *r) {
  registry_list *list = memory_new(1, sizeof *list);
  placed *sorted = memory_new(r->most, sizeof *sorted);
  *list = (registry_list){.owners = 1, .height = ++r->height, .most = r->most};
  list->listed = memory_new(r->most, sizeof *list->listed);
  list->swarm_of = memory_new(r->most, sizeof *list->swarm_of);
  list->nodes = memory_new(r->most, sizeof *list->nodes);
  list->swarms = memory_new(r->most, sizeof *list->swarms);
  for (uint32_t i = 0; i < r->most; i++) {
    list->listed[i] = r->listed[i];
    list->swarm_of[i] = r->swarm_of[i];
    if (r->listed[i])
      sorted[list->count++] = (placed){r->swarm_of[i], i};
  }
  qsort(sorted, list->count, sizeof *sorted, compare);
  gather_swarms(list, sorted);
  free(sorted);
  registry_list_drop(r->newest);
  r->newest = list;
}

registry_list *registry_list_share(registry_list *list) {
  list->owners++;
  return list;
}

void registry_list_drop(registry_list *list) {
  if (list == NULL || --list->owners > 0)
    return;
  free(list->nodes);
  free(list->swarms);
  free(list->swarm_of);
  free(list->listed);
  free(list);
}

/* The XOR of the four quarters of the key. */
static uint64_t position_of(const uint8_t account[static 33]) {
  uint64_t position = 0;
  for (unsigned i = 0; i < 32; i++)
    position ^= (uint64_t)account[1 + i] << (8 * (7 - i % 8));
  return position;
}

/* The first swarm at or behind a position; `swarm_count` when all lie before it. */
static size_t first_from(const registry_list *list, uint64_t position) {
  size_t low = 0, high = list->swarm_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (list->swarms[middle].id < position)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const registry_swarm *registry_swarm_of(const registry_list *list, const uint8_t account[static 33]) {
  if (list->swarm_count == 0)
    return NULL;
  uint64_t position = position_of(account);
  size_t found = first_from(list, position), last = list->swarm_count - 1;
  const registry_swarm *right = &list->swarms[found <= last ? found : 0];
  const registry_swarm *left = &list->swarms[found == 0 || found > last ? last : found - 1];
  return right->id - position < position - left->id ? right : left;
}

const registry_swarm *registry_swarm_find(const registry_list *list, uint64_t id) {
  size_t found = first_from(list, id);
  return found < list->swarm_count && list->swarms[found].id == id ? &list->swarms[found] : NULL;
}

bool registry_is_member(const registry_list *list, uint32_t node, const uint8_t account[static 33]) {
  const registry_swarm *swarm = registry_swarm_of(list, account);
  return swarm != NULL && list->listed[node] && list->swarm_of[node] == swarm->id;
}
