#include "hostile.h"

#include "probe.h"

enum { times = 40 };

typedef struct tally {
  size_t opened;
  size_t failed;
  size_t silent;
} tally;

/* Retrieves many times over a path with one hostile node, which always misbehaves. */
static sc_status try(tally *out, uint32_t traits, size_t hop) {
  probe p;
  world *w = probe_world(1, 24, 6);
  uint32_t path[3];
  sc_status status = SC_OK;
  *out = (tally){0};
  probe_init(&p, w, 1);
  probe_path(path, &p);
  node *liar = &w->nodes[hop < 3 ? path[hop] : probe_member(&p, 0)];
  liar->traits = traits;
  liar->wickedness = 1000;
  for (size_t i = 0; i < times && status == SC_OK; i++) {
    status = probe_retrieve(&p, probe_member(&p, 0));
    out->opened += p.is_open;
    out->silent += p.outcome == WIRE_TIMED_OUT;
    out->failed += !p.is_open && p.outcome != WIRE_TIMED_OUT;
  }
  probe_free(&p);
  world_free(w);
  return status;
}

static void no_hop_can_forge_a_reply(sc_test *t) {
  static const uint32_t traits[] = {TRAIT_FORGE,   TRAIT_GARBAGE, TRAIT_TAMPER, TRAIT_TRUNCATE,
                                    TRAIT_REFLECT, TRAIT_BUSY,    TRAIT_BLAME};
  tally seen;
  for (size_t i = 0; i < sizeof traits / sizeof traits[0]; i++)
    for (size_t hop = 0; hop < 3; hop++) {
      OK(try(&seen, traits[i], hop));
      CHECK(seen.opened == 0 && seen.failed + seen.silent == times);
    }
done:;
}

/* It replies with the reply to an earlier request as soon as it has one. */
static void a_replayed_reply_does_not_open(sc_test *t) {
  tally seen;
  OK(try(&seen, TRAIT_REPLAY, 1));
  CHECK(seen.opened < times / 2 && seen.failed > times / 2);
done:;
}

static void a_node_that_swallows_requests_is_silent(sc_test *t) {
  tally seen;
  OK(try(&seen, TRAIT_SWALLOW, 0));
  CHECK(seen.silent == times);
  OK(try(&seen, TRAIT_SWALLOW, 2));
  CHECK(seen.failed == times);
done:;
}

static void a_failing_destination_seals_its_replies(sc_test *t) {
  tally seen;
  OK(try(&seen, TRAIT_MOODY, 3));
  CHECK(seen.opened == times);
done:;
}

/* Neither its own claim nor made-up members make a store succeed. */
static void a_node_that_pretends_to_store_is_detected(sc_test *t) {
  sc_storage_tally tally;
  WORLD(2);
  node *liar = &w->nodes[probe_member(&p, 0)];
  size_t members = probe_swarm_size(&p);
  liar->traits = TRAIT_STORE;
  liar->wickedness = 1000;
  OK(probe_store(&p, "hello"));
  OK(probe_verify(&tally, &p, false));
  CHECK(tally.succeeded == members && tally.enough && members >= 3);
  OK(probe_verify(&tally, &p, true));
  CHECK(tally.succeeded == 1);
  CHECK(probe_keepers(&p, "hello") == 0);
done:
  END();
}

SUITE(sim_hostile, "sim/hostile", {"no hop can forge a reply", no_hop_can_forge_a_reply},
      {"a replayed reply does not open", a_replayed_reply_does_not_open},
      {"a node that swallows requests is silent", a_node_that_swallows_requests_is_silent},
      {"a failing destination seals its replies", a_failing_destination_seals_its_replies},
      {"a node that pretends to store is detected", a_node_that_pretends_to_store_is_detected});
