#include "node.h"

#include "probe.h"

static void a_store_is_signed_by_the_whole_swarm(sc_test *t) {
  sc_storage_tally tally;
  WORLD(1);
  OK(probe_store(&p, "hello"));
  CHECK(p.done == 1 && p.status == 200);
  OK(probe_verify(&tally, &p, true));
  size_t members = probe_swarm_size(&p);
  CHECK(members > 1 && tally.members == members && tally.succeeded == members);
  CHECK(probe_keepers(&p, "hello") == members);
done:
  END();
}

static void any_member_returns_a_stored_message(sc_test *t) {
  sc_storage_parsed_reply reply = {0};
  WORLD(2);
  OK(probe_store(&p, "first"));
  OK(probe_store(&p, "second"));
  for (size_t i = 0; i < probe_swarm_size(&p); i++) {
    OK(probe_retrieve(&p, probe_member(&p, i)));
    CHECK(p.status == 200);
    sc_storage_parsed_reply_free(&reply);
    OK(probe_read(&reply, &p));
    CHECK(reply.reply.of.messages.count == 2);
    SAME(sc_bytes_text("second"), reply.reply.of.messages.list[1].data);
  }
done:
  sc_storage_parsed_reply_free(&reply);
  END();
}

static void nodes_of_other_swarms_redirect(sc_test *t) {
  sc_storage_parsed_swarm swarm = {0};
  uint32_t path[3];
  WORLD(3);
  probe_path(path, &p);
  uint32_t stranger = 0;
  while (registry_is_member(w->registry.newest, stranger, p.account) || stranger == path[0] ||
         stranger == path[1] || stranger == path[2])
    stranger++;
  OK(probe_retrieve(&p, stranger));
  CHECK(p.is_open && p.status == 421);
  OK(sc_storage_swarm_parse(&swarm, NULL, p.reply.body));
  CHECK(swarm.swarm.nodes.count == probe_swarm_size(&p));
done:
  sc_storage_parsed_swarm_free(&swarm);
  END();
}

static void wrong_clocks_are_refused(sc_test *t) {
  WORLD(4);
  w->nodes[probe_member(&p, 0)].clock_ms = 600000;
  OK(probe_retrieve(&p, probe_member(&p, 0)));
  CHECK(p.is_open && p.status == 406);
done:
  END();
}

static void nodes_return_the_node_list(sc_test *t) {
  sc_storage_parsed_reply reply = {0};
  WORLD(5);
  OK(probe_call(&p, SC_STORAGE_ACTIVE_NODES, probe_member(&p, 0)));
  CHECK(p.status == 200);
  uint8_t bytes[24 * SC_STORAGE_ACTIVE_NODE_BYTES];
  size_t len;
  OK(sc_base64_decoded_len(&len, p.reply.body));
  CHECK(len == sizeof bytes);
  OK(sc_base64_decode(bytes, len, p.reply.body, SC_BASE64_STANDARD));
  OK(probe_call(&p, SC_STORAGE_INFO, probe_member(&p, 0)));
  OK(probe_read(&reply, &p));
  CHECK(reply.reply.clock.fork[0] == world_fork);
done:
  sc_storage_parsed_reply_free(&reply);
  END();
}

typedef struct complaint {
  size_t hop; /* the path's faulty hop */
  trouble what;
  sc_onion_failure_kind kind;
  size_t named; /* index of the node named, or SC_ONION_NO_NODE */
} complaint;

static void hops_report_failures(sc_test *t) {
  static const complaint known[] = {
      {1, TROUBLE_DEAD, SC_ONION_FAILED_NEXT_UNREACHABLE, 1},
      {2, TROUBLE_DEAD, SC_ONION_FAILED_NEXT_UNREACHABLE, 2},
      {0, TROUBLE_UNREADY, SC_ONION_FAILED_GUARD_NOT_READY, SC_ONION_NO_NODE},
      {1, TROUBLE_UNREADY, SC_ONION_FAILED_NODE_NOT_READY, 1},
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    uint32_t path[3];
    WORLD(6);
    probe_path(path, &p);
    weather_strike(w, path[known[i].hop], known[i].what, 100 * SIM_SECOND);
    sc_status status = probe_retrieve(&p, probe_member(&p, 0));
    bool good = status == SC_OK && p.done == 1 && !p.is_open && p.failure.kind == known[i].kind &&
                p.failure.node == known[i].named;
    END();
    CHECK(good);
  }
done:;
}

static void unlist(world *w, node *n) {
  registry_remove(&w->registry, n->index);
  world_publish(w);
  world_run(w, w->agenda.now + 30 * SIM_SECOND);
}

static void a_node_that_left_is_not_found(sc_test *t) {
  WORLD(7);
  uint32_t member = probe_member(&p, 0);
  p.request = (sc_storage_request){.method = SC_STORAGE_INFO};
  unlist(w, &w->nodes[member]);
  OK(probe_call(&p, SC_STORAGE_INFO, member));
  CHECK(!p.is_open && p.failure.kind == SC_ONION_FAILED_NEXT_UNKNOWN && p.failure.node == 3);
done:
  END();
}

static void servers_echo_requests(sc_test *t) {
  sc_onion_opened_response response = {0};
  WORLD(8);
  OK(probe_call_server(&p, 1, sc_bytes_text("anybody there?")));
  CHECK(p.outcome == WIRE_ANSWERED);
  OK(sc_onion_response_open(&response, NULL, &p.key, blob_bytes(p.body)));
  CHECK(response.response.status == 200);
  SAME(sc_bytes_text("anybody there?"), response.response.body);
done:
  sc_onion_opened_response_free(&response);
  END();
}

static void a_batch_has_a_reply_for_each_request(sc_test *t) {
  static sc_storage_request all[3];
  sc_storage_parsed_reply reply = {0};
  WORLD(9);
  OK(probe_store(&p, "hello"));
  all[1] = (sc_storage_request){.method = SC_STORAGE_INFO};
  OK(probe_retrieve(&p, probe_member(&p, 1)));
  all[0] = p.request;
  all[2] = p.request;
  all[2].account[5] ^= 1;
  all[2].account[13] ^= 0x80;
  p.request = (sc_storage_request){.method = SC_STORAGE_BATCH, .of.batch = {all, 3}};
  OK(probe_send(&p, probe_member(&p, 1)));
  CHECK(p.status == 200);
  OK(probe_read(&reply, &p));
  const sc_storage_result *results = reply.reply.of.results.list;
  CHECK(reply.reply.of.results.count == 3 && results[0].code == 200 && results[1].code == 200);
  CHECK(results[0].reply->of.messages.count == 1 && results[1].reply->clock.has_time);
  CHECK(results[2].code == 421 || results[2].code == 401);
done:
  sc_storage_parsed_reply_free(&reply);
  END();
}

SUITE(sim_node, "sim/node", {"a store is signed by the whole swarm", a_store_is_signed_by_the_whole_swarm},
      {"any member returns a stored message", any_member_returns_a_stored_message},
      {"nodes of other swarms redirect", nodes_of_other_swarms_redirect},
      {"wrong clocks are refused", wrong_clocks_are_refused},
      {"nodes return the node list", nodes_return_the_node_list},
      {"hops report failures", hops_report_failures},
      {"a node that left is not found", a_node_that_left_is_not_found},
      {"servers echo requests", servers_echo_requests},
      {"a batch has a reply for each request", a_batch_has_a_reply_for_each_request});
