/* Replies and missing replies: retried, delivered or refused. Only the destination's own reply changes more
 * than strikes. */
#include "world.h"

static void send_one(world *w, sc_test *t) {
  const sc_storage_request request = world_retrieve(w, 5, 0);
  OK(world_call_swarm(w, &request));
  HOLDS(world_wait(w, 1));
done:;
}

static size_t members_called(const world *w) {
  size_t count = 0;
  for (size_t i = 0; i < w->node_count; i++)
    count += w->nodes[i].answered > 0 && w->nodes[i].node.swarm == w->nodes[5].node.swarm;
  return count;
}

/* Every member of the fifth node's swarm replies like this. */
static void let_swarm_answer(world *w, int code, const char *text) {
  for (size_t i = 4; i < 8; i++) {
    w->nodes[i].mood = WORLD_ANSWERS;
    w->nodes[i].code = code;
    w->nodes[i].text = text;
  }
}

/* True if requests to other nodes pass through this one. */
static bool is_on_the_way(const world *w, size_t index) {
  const uint8_t *key = w->nodes[index].node.key;
  sc_network_path path = {0};
  (void)world_path(&path, w, SC_NETWORK_STANDARD);
  for (size_t i = 0; i < path.length; i++)
    if (memcmp(path.nodes[i].key, key, SC_KEY_BYTES) == 0)
      return true;
  return sc_guards_has(&w->network->guards, key) || sc_guards_has_middle(&w->network->guards, key);
}

static void an_unreachable_member_is_skipped(sc_test *t) {
  WORLD(48, 4);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  size_t first = 0;
  while (is_on_the_way(&w, first) || is_on_the_way(&w, first + 1) || is_on_the_way(&w, first + 2) ||
         is_on_the_way(&w, first + 3))
    first += 4;
  HOLDS(first < w.node_count);
  for (size_t i = first; i < first + 2; i++)
    w.nodes[i].mood = WORLD_DEAF;
  const sc_storage_request request = world_retrieve(&w, first, 0);
  OK(world_call_swarm(&w, &request));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_OK);
  HOLDS(world_index(&w, w.outcomes[0].node) >= first + 2);
done:
  world_end(&w, t);
}

static void each_member_is_called_once(sc_test *t) {
  WORLD(12, 4);
  let_swarm_answer(&w, 503, "busy");
  OK(world_start(&w));
  send_one(&w, t);
  HOLDS(w.outcomes[0].status == SC_ERR_REQUEST_FAILED && w.outcomes[0].code == 503);
  for (size_t i = 4; i < 8; i++)
    HOLDS(w.nodes[i].answered <= 1);
  HOLDS(members_called(&w) >= 3);
done:
  world_end(&w, t);
}

static void at_most_three_attempts_are_made(sc_test *t) {
  WORLD(24, 12);
  for (size_t i = 0; i < 12; i++)
    w.nodes[i] = (world_node){
        .keys = w.nodes[i].keys, .node = w.nodes[i].node, .mood = WORLD_ANSWERS, .code = 502, .text = "no"};
  OK(world_start(&w));
  send_one(&w, t);
  HOLDS(w.outcomes[0].status == SC_ERR_REQUEST_FAILED && w.outcomes[0].attempts == 3);
  HOLDS(strcmp(w.outcomes[0].body, "no") == 0);
done:
  world_end(&w, t);
}

/* After 200 and 400 ms, each up to half less by chance. */
static void attempts_back_off(sc_test *t) {
  enum { rounds = 8 };
  const uint64_t most = 600 * WORLD_MS, trips = 3 * world_latency_ms * WORLD_MS;
  uint64_t shortest = UINT64_MAX, longest = 0;
  for (size_t round = 0; round < (t->torture ? 1 : rounds); round++) {
    WORLD(24, 12);
    for (size_t i = 0; i < 12; i++)
      w.nodes[i] = (world_node){
          .keys = w.nodes[i].keys, .node = w.nodes[i].node, .mood = WORLD_ANSWERS, .code = 502, .text = "no"};
    OK(world_start(&w));
    HOLDS(world_connect(&w));
    uint64_t begun = w.now;
    send_one(&w, t);
    uint64_t paused = w.now - begun - trips;
    shortest = paused < shortest ? paused : shortest;
    longest = paused > longest ? paused : longest;
    HOLDS(paused >= most / 2 && paused <= most);
  done:
    world_end(&w, t);
  }
  if (!t->torture && longest - shortest < most / 10)
    sc_test_fail(t, __FILE__, __LINE__, "the pauses differ");
}

static void final_replies_are_delivered(sc_test *t) {
  static const int codes[] = {400, 401, 403, 404, 413};
  static world w;
  for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
    world_init(&w, t->env, 12, 4);
    let_swarm_answer(&w, codes[i], "text");
    OK(world_start(&w));
    send_one(&w, t);
    HOLDS(w.outcomes[0].status == SC_ERR_REQUEST_FAILED && w.outcomes[0].code == codes[i]);
    HOLDS(w.outcomes[0].attempts == 1 && strcmp(w.outcomes[0].body, "text") == 0);
    HOLDS(members_called(&w) == 1);
    if (i + 1 < sizeof codes / sizeof codes[0])
      world_end(&w, t);
  }
done:
  world_end(&w, t);
}

/* Bad input: it decrypts, but is not a reply. Nothing of it is used, and the other members are called. */
static void a_malformed_reply_is_an_error(sc_test *t) {
  WORLD(12, 4);
  for (size_t i = 4; i < 8; i++)
    w.nodes[i].mood = WORLD_GARBLES;
  OK(world_start(&w));
  send_one(&w, t);
  HOLDS(w.outcomes[0].status == SC_ERR_ONION_REPLY && w.outcomes[0].attempts == 3);
done:
  world_end(&w, t);
}

/* Gives a hop of the path that carries the requests this mood, once there is a path. */
static bool spoil_path(world *w, size_t place, world_mood mood, int code, const char *text, bool names_next) {
  sc_network_path path;
  if (!world_connect(w) || !world_path(&path, w, SC_NETWORK_STANDARD))
    return false;
  world_node *node = &w->nodes[world_index(w, path.nodes[place].key)];
  node->mood = mood;
  node->code = code;
  node->text = text;
  node->names_next = names_next;
  return true;
}

static void a_forged_reply_is_rejected(sc_test *t) {
  WORLD(12, 12);
  OK(world_start(&w));
  HOLDS(spoil_path(&w, 1, WORLD_FORGES, 0, NULL, false));
  send_one(&w, t);
  HOLDS(w.outcomes[0].status == SC_OK && w.outcomes[0].attempts == 2);
done:
  world_end(&w, t);
}

/* 406, 421 and 425 made up by a hop change nothing. */
static void codes_made_up_by_hops_have_no_effect(sc_test *t) {
  static const int codes[] = {406, 421, 425};
  static world w;
  for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
    world_init(&w, t->env, 12, 12);
    w.options.clock_nodes = 3;
    OK(world_start(&w));
    HOLDS(spoil_path(&w, 0, WORLD_SAYS, codes[i], "{\"snodes\":[]}", false));
    world_pass(&w, 20 * WORLD_SECOND);
    size_t infos = world_count_seen(&w, SC_STORAGE_INFO);
    sc_network_counts counts;
    const sc_storage_request request = world_retrieve(&w, 5, 0);
    OK(world_call_swarm(&w, &request));
    HOLDS(world_wait(&w, 1));
    sc_network_count(&counts, w.network);
    HOLDS(counts.redirects == 0);
    HOLDS(world_count_seen(&w, SC_STORAGE_INFO) == infos);
    HOLDS(w.outcomes[0].status == SC_OK);
    if (i + 1 < sizeof codes / sizeof codes[0])
      world_end(&w, t);
  }
done:
  world_end(&w, t);
}

/* Of every layer: by the last hop, of what is for the destination. */
static void a_layer_sent_back_is_no_reply(sc_test *t) {
  static world w;
  for (size_t place = 0; place < (t->torture ? 1 : 3); place++) {
    world_init(&w, t->env, 24, 24);
    OK(world_start(&w));
    HOLDS(spoil_path(&w, place, WORLD_REFLECTS, 0, NULL, false));
    send_one(&w, t);
    HOLDS(w.outcomes[0].status == SC_OK && w.outcomes[0].attempts == 2);
    HOLDS(w.network->paths.suspicions.count == 0);
    if (place < (t->torture ? 0 : 2))
      world_end(&w, t);
  }
done:
  world_end(&w, t);
}

static void a_retry_takes_another_last_hop_and_guard(sc_test *t) {
  WORLD(24, 24);
  OK(world_start(&w));
  HOLDS(spoil_path(&w, 1, WORLD_SAYS, 504, "Request time out", false));
  world_pass(&w, 2 * WORLD_SECOND);
  sc_path *before = w.network->paths.first;
  const sc_node guard = before->nodes[0], last = before->nodes[2];
  send_one(&w, t);
  HOLDS(w.outcomes[0].status == SC_OK && w.outcomes[0].attempts == 2);
  const sc_path *after = w.network->paths.first;
  HOLDS(after != before && after->has_replied);
  HOLDS(!sc_node_same(&after->nodes[0], &guard) && !sc_node_same(&after->nodes[2], &last));
done:
  world_end(&w, t);
}

/* The text of one hop does not end a request that may be repeated. */
static void no_text_of_one_hop_ends_a_request(sc_test *t) {
  static const struct {
    int code;
    const char *text;
  } texts[] = {
      {400, "Error parsing onion request: x"},
      {400, "Invalid internal onion request: x"},
      {400, "Invalid ciphertext"},
      {400, "onion request max path length exceeded"},
      {429, "Too many requests, try again later"},
      {500, "Invalid response from snode"},
      {502, "bad gateway"},
      {503, "Service node is not ready: x\n"},
      {503, "Server busy, try again later"},
      {504, "Request time out"},
      {599, "anything"},
  };
  static world w;
  size_t count = t->torture ? 1 : sizeof texts / sizeof texts[0];
  for (size_t i = 0; i < count; i++) {
    world_init(&w, t->env, 24, 24);
    OK(world_start(&w));
    HOLDS(spoil_path(&w, i % 3, WORLD_SAYS, texts[i].code, texts[i].text, false));
    send_one(&w, t);
    HOLDS(w.outcomes[0].status == SC_OK && w.outcomes[0].attempts == 2);
    if (i + 1 < count)
      world_end(&w, t);
  }
done:
  world_end(&w, t);
}

/* Every guard says that it is busy. */
static bool let_guards_be_busy(world *w) {
  world_pass(w, 2 * WORLD_SECOND);
  for (size_t i = 0; i < w->node_count; i++)
    if (sc_guards_has(&w->network->guards, w->nodes[i].node.key)) {
      w->nodes[i].mood = WORLD_SAYS;
      w->nodes[i].code = 503;
      w->nodes[i].text = "Server busy, try again later";
    }
  return world_active(w, SC_NETWORK_STANDARD) > 0;
}

static void busy_guards_get_the_request_again_after_a_while(sc_test *t) {
  WORLD(24, 24);
  OK(world_start(&w));
  HOLDS(let_guards_be_busy(&w));
  uint64_t begun = w.now;
  const sc_storage_request request = world_retrieve(&w, 5, 0);
  OK(world_call_swarm(&w, &request));
  world_pass(&w, 20 * WORLD_SECOND);
  HOLDS(w.outcomes[0].times == 0);
  for (size_t i = 0; i < w.node_count; i++)
    w.nodes[i].mood = WORLD_FINE;
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_OK && w.outcomes[0].attempts == 3);
  HOLDS(w.now - begun >= 31 * WORLD_SECOND && w.now - begun < 32 * WORLD_SECOND);
done:
  world_end(&w, t);
}

static void a_request_without_time_for_busy_guards_says_so(sc_test *t) {
  WORLD(24, 24);
  OK(world_start(&w));
  HOLDS(let_guards_be_busy(&w));
  const sc_storage_request request = world_retrieve(&w, 5, 0);
  OK(world_send(&w, &(sc_network_request){
                        .to = SC_NETWORK_TO_SWARM, .storage = &request, .overall = 10 * WORLD_SECOND}));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_ERR_NETWORK_PATH && w.outcomes[0].code == 503);
done:
  world_end(&w, t);
}

static void a_request_without_a_reply_is_sent_again(sc_test *t) {
  WORLD(12, 12);
  w.options.request_timeout = WORLD_SECOND;
  OK(world_start(&w));
  HOLDS(spoil_path(&w, 1, WORLD_SILENT, 0, NULL, false));
  sc_network_path before;
  HOLDS(world_path(&before, &w, SC_NETWORK_STANDARD));
  send_one(&w, t);
  HOLDS(w.outcomes[0].status == SC_OK && w.outcomes[0].attempts == 2);
done:
  world_end(&w, t);
}

/* One hop's word cannot get another node excluded. */
static void a_hostile_hop_cannot_get_a_node_excluded(sc_test *t) {
  WORLD(16, 16);
  OK(world_start(&w));
  HOLDS(spoil_path(&w, 0, WORLD_SAYS, 502, "Next node not found: ", true));
  sc_network_path path;
  HOLDS(world_path(&path, &w, SC_NETWORK_STANDARD));
  const sc_storage_request request = world_retrieve(&w, 5, 0);
  for (size_t i = 0; i < 20; i++) {
    OK(world_call_swarm(&w, &request));
    HOLDS(world_wait(&w, i + 1));
  }
  for (size_t i = 0; i < w.node_count; i++)
    HOLDS(w.nodes[i].mood == WORLD_SAYS ||
          sc_network_node_strikes(w.network, w.nodes[i].node.key) < w.options.nodes.struck_out);
done:
  world_end(&w, t);
}

static void a_lost_guard_ends_its_path_at_once(sc_test *t) {
  WORLD(12, 12);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  sc_network_path before, after;
  HOLDS(world_path(&before, &w, SC_NETWORK_STANDARD));
  const sc_storage_request request = world_retrieve(&w, 5, 0);
  OK(world_call_swarm(&w, &request));
  world_pass(&w, WORLD_MS);
  world_break(&w, world_index(&w, before.nodes[0].key), SC_ERR_QUIC_RESET);
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_OK && w.outcomes[0].attempts == 2);
  HOLDS(world_path(&after, &w, SC_NETWORK_STANDARD) && after.id != before.id);
  HOLDS(w.network->paths.suspicions.waiting_count == 0);
done:
  world_end(&w, t);
}

static void a_busy_transport_is_tried_again(sc_test *t) {
  WORLD(12, 12);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  w.refuses = SC_ERR_QUIC_BUSY;
  send_one(&w, t);
  HOLDS(w.outcomes[0].status == SC_OK && w.outcomes[0].attempts == 2);
done:
  world_end(&w, t);
}

static sc_status call_server(world *w, sc_onion_method method) {
  sc_onion_server server = {
      .url = {.host = sc_bytes_text("example.org"), .target = sc_bytes_text("/oxen/v4/lsrpc")}};
  memcpy(server.x25519, w->server.x.public_key, SC_KEY_BYTES);
  const sc_onion_request http = {.method = method, .endpoint = sc_bytes_text("/room")};
  return world_send(w, &(sc_network_request){.to = SC_NETWORK_TO_SERVER, .server = &server, .http = &http});
}

/* The hop may have passed it on before it said so. */
static void a_call_that_may_not_be_repeated_is_sent_once(sc_test *t) {
  WORLD(24, 24);
  OK(world_start(&w));
  HOLDS(spoil_path(&w, 1, WORLD_SAYS, 504, "Request time out", false));
  OK(call_server(&w, SC_ONION_POST));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_ERR_REQUEST_TIMEOUT && w.outcomes[0].code == 0);
  HOLDS(w.outcomes[0].attempts == 1);
  OK(call_server(&w, SC_ONION_GET));
  HOLDS(world_wait(&w, 2));
  HOLDS(w.outcomes[1].status == SC_OK);
done:
  world_end(&w, t);
}

/* Every node but the guard reports the failure; two last hops must agree. */
static void a_server_is_unreachable_when_two_last_hops_say_so(sc_test *t) {
  WORLD(24, 24);
  OK(world_start(&w));
  HOLDS(world_connect(&w));
  world_pass(&w, 2 * WORLD_SECOND);
  for (size_t i = 0; i < w.node_count; i++)
    if (!sc_guards_has(&w.network->guards, w.nodes[i].node.key)) {
      w.nodes[i].mood = WORLD_SAYS;
      w.nodes[i].code = 502;
      w.nodes[i].text = "no route to host";
    }
  OK(call_server(&w, SC_ONION_GET));
  HOLDS(world_wait(&w, 1));
  HOLDS(w.outcomes[0].status == SC_ERR_NETWORK_UNREACHABLE && w.outcomes[0].code == 502);
  HOLDS(w.outcomes[0].attempts == 2);
done:
  world_end(&w, t);
}

/* A list may contain a member with an unsafe key: it is skipped like an unreachable one. */
static void a_member_with_an_unsafe_key_is_skipped(sc_test *t) {
  WORLD(12, 4);
  for (size_t i = 4; i < 7; i++) {
    memset(w.nodes[i].node.key, 0xff, SC_KEY_BYTES); /* no point of the curve */
    w.nodes[i].node.key[0] = (uint8_t)i;
  }
  OK(world_start(&w));
  send_one(&w, t);
  HOLDS(w.outcomes[0].status == SC_OK && world_index(&w, w.outcomes[0].node) == 7);
done:
  world_end(&w, t);
}

SUITE(network_router_reply, "network/router/reply",
      {"an unreachable member is skipped", an_unreachable_member_is_skipped},
      {"each member is called once", each_member_is_called_once},
      {"at most three attempts are made", at_most_three_attempts_are_made},
      {"attempts back off", attempts_back_off}, {"final replies are delivered", final_replies_are_delivered},
      {"a malformed reply is an error", a_malformed_reply_is_an_error},
      {"a forged reply is rejected", a_forged_reply_is_rejected},
      {"codes made up by hops have no effect", codes_made_up_by_hops_have_no_effect},
      {"B7: a layer sent back is no reply", a_layer_sent_back_is_no_reply},
      {"a retry takes another last hop and guard", a_retry_takes_another_last_hop_and_guard},
      {"no text of one hop ends a request", no_text_of_one_hop_ends_a_request},
      {"B11: busy guards get the request again after a while",
       busy_guards_get_the_request_again_after_a_while},
      {"B11: a request without time for busy guards says so", a_request_without_time_for_busy_guards_says_so},
      {"a request without a reply is sent again", a_request_without_a_reply_is_sent_again},
      {"a hostile hop cannot get a node excluded", a_hostile_hop_cannot_get_a_node_excluded},
      {"a lost guard ends its path at once", a_lost_guard_ends_its_path_at_once},
      {"a busy transport is tried again", a_busy_transport_is_tried_again},
      {"a call that may not be repeated is sent once", a_call_that_may_not_be_repeated_is_sent_once},
      {"B15: a server is unreachable when two last hops say so",
       a_server_is_unreachable_when_two_last_hops_say_so},
      {"a member with an unsafe key is skipped", a_member_with_an_unsafe_key_is_skipped});
