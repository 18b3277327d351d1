#include "registry.h"

#include "support/test.h"

static void make(registry *r, const uint64_t *swarms, uint32_t count) {
  registry_init(r, 32);
  for (uint32_t i = 0; i < count; i++)
    registry_put(r, i, swarms[i]);
  registry_publish(r);
}

/* An account at this position of the ring: one word is the position, the others are zero. */
static const registry_swarm *swarm_at(const registry_list *list, uint64_t position) {
  uint8_t account[33] = {5};
  for (unsigned i = 0; i < 8; i++)
    account[1 + i] = (uint8_t)(position >> (8 * (7 - i)));
  return registry_swarm_of(list, account);
}

static void an_account_belongs_to_the_nearest_swarm(sc_test *t) {
  static const uint64_t swarms[] = {100, 200, 300, 399, 498, 596, 694};
  static const uint64_t known[][2] = {{0, 100},
                                      {100, 100},
                                      {150, 100},
                                      {151, 200},
                                      {250, 200},
                                      {349, 300},
                                      {350, 399},
                                      {UINT64_MAX, 100},
                                      {0x8000000000000000, 694},
                                      {0x800000000000018d, 694},
                                      {0x800000000000018e, 100},
                                      {0xa000000000000000, 100}};
  registry r;
  make(&r, swarms, 7);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    CHECK(swarm_at(r.newest, known[i][0])->id == known[i][1]);
done:
  registry_free(&r);
}

static void a_list_groups_members_by_swarm(sc_test *t) {
  static const uint64_t swarms[] = {7, 9, 7, SC_STORAGE_NO_SWARM, 9, 7};
  registry r;
  make(&r, swarms, 6);
  const registry_list *list = r.newest;
  const registry_swarm *seven = registry_swarm_find(list, 7), *nine = registry_swarm_find(list, 9);
  CHECK(list->count == 6 && list->swarm_count == 2);
  CHECK(seven->count == 3 && nine->count == 2 && registry_swarm_find(list, 8) == NULL);
  CHECK(list->nodes[seven->first] == 0 && list->nodes[seven->first + 2] == 5 && list->nodes[5] == 3);
  CHECK(list->listed[3] && list->swarm_of[3] == SC_STORAGE_NO_SWARM && !list->listed[6]);
done:
  registry_free(&r);
}

static void old_lists_do_not_change(sc_test *t) {
  static const uint64_t swarms[] = {7, 9};
  registry r;
  make(&r, swarms, 2);
  registry_list *old = registry_list_share(r.newest);
  registry_remove(&r, 1);
  registry_put(&r, 4, 7);
  registry_publish(&r);
  CHECK(old->count == 2 && old->listed[1] && !old->listed[4]);
  CHECK(r.newest->count == 2 && !r.newest->listed[1] && r.newest->swarm_count == 1);
  CHECK(r.newest->height == old->height + 1);
done:
  registry_list_drop(old);
  registry_free(&r);
}

static void without_swarms_an_account_has_none(sc_test *t) {
  registry r;
  make(&r, NULL, 0);
  CHECK(swarm_at(r.newest, 5) == NULL);
done:
  registry_free(&r);
}

SUITE(sim_registry, "sim/registry",
      {"an account belongs to the nearest swarm", an_account_belongs_to_the_nearest_swarm},
      {"a list groups members by swarm", a_list_groups_members_by_swarm},
      {"old lists do not change", old_lists_do_not_change},
      {"without swarms an account has none", without_swarms_an_account_has_none});
