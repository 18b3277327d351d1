#include "node_swarm.h"

#include "probe.h"

static void a_node_that_was_down_catches_up_later(sc_test *t) {
  WORLD(1);
  node *late = &w->nodes[probe_member(&p, 1)];
  size_t members = probe_swarm_size(&p);
  wire_kill(&w->wire, late->host);
  OK(probe_store(&p, "hello"));
  CHECK(p.status == 200 && probe_keepers(&p, "hello") == members - 1);
  probe_pass(&p, 60 * SIM_SECOND);
  CHECK(probe_keepers(&p, "hello") == members - 1);
  wire_revive(&w->wire, late->host);
  probe_pass(&p, 30 * SIM_SECOND);
  CHECK(probe_keepers(&p, "hello") == members);
done:
  END();
}

/* The node with the pending messages is down for a while itself. */
static void pending_replication_survives_a_restart(sc_test *t) {
  WORLD(2);
  node *late = &w->nodes[probe_member(&p, 1)], *first = &w->nodes[probe_member(&p, 0)];
  size_t members = probe_swarm_size(&p);
  wire_kill(&w->wire, late->host);
  OK(probe_store(&p, "hello"));
  wire_kill(&w->wire, first->host);
  probe_pass(&p, 20 * SIM_SECOND);
  wire_revive(&w->wire, first->host);
  node_swarm_wake(first);
  wire_revive(&w->wire, late->host);
  probe_pass(&p, 30 * SIM_SECOND);
  CHECK(probe_keepers(&p, "hello") == members);
done:
  END();
}

static void new_members_receive_the_swarms_messages(sc_test *t) {
  WORLD(3);
  OK(probe_store(&p, "hello"));
  const registry_swarm *swarm = registry_swarm_of(w->registry.newest, p.account);
  node *newcomer = world_add_node(w);
  CHECK(newcomer != NULL);
  registry_put(&w->registry, newcomer->index, swarm->id);
  size_t before = probe_swarm_size(&p);
  world_publish(w);
  probe_pass(&p, 60 * SIM_SECOND);
  CHECK(probe_swarm_size(&p) == before + 1 && probe_keepers(&p, "hello") == before + 1);
done:
  END();
}

static void a_dissolved_swarm_hands_over_its_messages(sc_test *t) {
  WORLD(4);
  OK(probe_store(&p, "hello"));
  const registry_list *list = w->registry.newest;
  uint64_t old = registry_swarm_of(list, p.account)->id;
  uint64_t other = list->swarms[0].id == old ? list->swarms[1].id : list->swarms[0].id;
  for (uint32_t i = 0; i < w->node_count; i++)
    if (w->registry.swarm_of[i] == old)
      registry_put(&w->registry, i, other);
  world_publish(w);
  probe_pass(&p, 90 * SIM_SECOND);
  CHECK(registry_swarm_of(w->registry.newest, p.account)->id != old);
  CHECK(probe_keepers(&p, "hello") == probe_swarm_size(&p));
done:
  END();
}

/* An account moves to a new swarm that is nearer. */
static void a_new_swarm_receives_its_messages(sc_test *t) {
  WORLD(5);
  OK(probe_store(&p, "hello"));
  uint64_t place = 0;
  for (unsigned i = 0; i < 32; i++)
    place ^= (uint64_t)p.account[1 + i] << (8 * (7 - i % 8));
  for (int i = 0; i < 3; i++) {
    node *newcomer = world_add_node(w);
    CHECK(newcomer != NULL);
    registry_put(&w->registry, newcomer->index, place);
  }
  world_publish(w);
  probe_pass(&p, 90 * SIM_SECOND);
  CHECK(probe_swarm_size(&p) == 3 && probe_keepers(&p, "hello") == 3);
done:
  END();
}

SUITE(sim_node_swarm, "sim/node_swarm",
      {"a node that was down catches up later", a_node_that_was_down_catches_up_later},
      {"pending replication survives a restart", pending_replication_survives_a_restart},
      {"new members receive the swarm's messages", new_members_receive_the_swarms_messages},
      {"a dissolved swarm hands over its messages", a_dissolved_swarm_hands_over_its_messages},
      {"a new swarm receives its messages", a_new_swarm_receives_its_messages});
