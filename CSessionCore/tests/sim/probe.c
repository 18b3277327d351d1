#include "probe.h"

world *probe_world(uint64_t seed, size_t nodes, size_t swarm_size) {
  const plan p = {.seed = seed, .nodes = nodes, .swarm_size = swarm_size};
  return world_new(&p);
}

static void ignore(void *user, const wire_request *request) {
  (void)user;
  (void)request;
}

void probe_init(probe *p, world *w, uint8_t number) {
  const uint8_t seed[SC_ED25519_SEED_BYTES] = {'p', number};
  *p = (probe){.world = w, .host = wire_add(&w->wire, ignore, NULL)};
  sc_keypair_from_seed(&p->keys, seed);
  p->account[0] = 0x05;
  memcpy(p->account + 1, p->keys.x.public_key, SC_KEY_BYTES);
}

static void forget_reply(probe *p) {
  if (p->is_open)
    sc_onion_reply_free(&p->reply);
  blob_drop(p->body);
  p->body = NULL;
  p->is_open = false;
  p->done = 0;
}

void probe_free(probe *p) {
  forget_reply(p);
}

static const registry_swarm *swarm_of(const probe *p) {
  return registry_swarm_of(p->world->registry.newest, p->account);
}

size_t probe_swarm_size(const probe *p) {
  return swarm_of(p)->count;
}

uint32_t probe_member(const probe *p, size_t n) {
  return p->world->registry.newest->nodes[swarm_of(p)->first + n];
}

size_t probe_keepers(const probe *p, const char *text) {
  char hash[SC_STORAGE_HASH_CHARS + 1];
  size_t keepers = 0;
  sc_storage_message_hash(hash, p->account, 2, sc_bytes_text(text));
  for (size_t i = 0; i < probe_swarm_size(p); i++)
    keepers += node_store_find(&p->world->nodes[probe_member(p, i)].store, sc_bytes_text(hash)) != NULL;
  return keepers;
}

void probe_path(uint32_t out[static 3], const probe *p) {
  const registry_list *list = p->world->registry.newest;
  uint32_t found = 0;
  for (uint32_t i = 0; i < p->world->node_count && found < 3; i++)
    if (list->listed[i] && !registry_is_member(list, i, p->account))
      out[found++] = i;
}

static sc_onion_node public_half(const node *n) {
  sc_onion_node half;
  memcpy(half.ed25519, n->keys->ed.public_key, SC_KEY_BYTES);
  memcpy(half.x25519, n->keys->x.public_key, SC_KEY_BYTES);
  return half;
}

static void read_reply(probe *p, const wire_reply *reply) {
  sc_bytes body = blob_bytes(reply->body);
  if (reply->outcome == WIRE_ANSWERED && p->destination.kind == SC_ONION_TO_NODE &&
      sc_onion_reply_open(&p->reply, NULL, &p->key, body) == SC_OK) {
    p->is_open = true;
    p->status = p->reply.status;
    return;
  }
  sc_onion_failure_parse(&p->failure, reply->outcome == WIRE_ANSWERED ? 200 : 0, body, p->hops, 3,
                         &p->destination);
  p->status = p->failure.code;
}

static void answered(void *user, const wire_reply *reply) {
  probe *p = user;
  p->done++;
  p->outcome = reply->outcome;
  p->body = reply->body == NULL ? NULL : blob_share(reply->body);
  read_reply(p, reply);
}

static sc_status send_payload(probe *p, sc_bytes payload) {
  sc_buffer onion;
  uint32_t path[3];
  forget_reply(p);
  sc_buffer_init(&onion, NULL);
  probe_path(path, p);
  for (size_t i = 0; i < 3; i++)
    p->hops[i] = public_half(&p->world->nodes[path[i]]);
  sc_status status = sc_onion_build(&onion, &p->key, &p->world->node_env, SC_HOP_XCHACHA20, p->hops, 3,
                                    &p->destination, payload);
  if (status == SC_OK) {
    blob *body = blob_make(sc_buffer_bytes(&onion));
    const wire_call_options options = {.from = p->host,
                                       .to = p->world->nodes[path[0]].host,
                                       .tag = 1,
                                       .command = "onion_req",
                                       .body = body,
                                       .timeout = 60 * SIM_SECOND,
                                       .done = answered,
                                       .user = p};
    (void)wire_begin_call(&p->world->wire, &options);
    blob_drop(body);
    for (uint64_t end = p->world->agenda.now + 70 * SIM_SECOND; p->done == 0;)
      if (!agenda_step(&p->world->agenda, end))
        break;
  }
  sc_buffer_free(&onion);
  return status;
}

sc_status probe_send(probe *p, uint32_t destination) {
  sc_buffer call;
  sc_buffer_init(&call, NULL);
  p->destination = (sc_onion_destination){.kind = SC_ONION_TO_NODE};
  p->destination.node = public_half(&p->world->nodes[destination]);
  sc_status status = sc_storage_call_write(&call, &p->request);
  if (status == SC_OK)
    status = send_payload(p, sc_buffer_bytes(&call));
  sc_buffer_free(&call);
  return status;
}

sc_status probe_call(probe *p, sc_storage_method method, uint32_t destination) {
  p->request = (sc_storage_request){.method = method};
  return probe_send(p, destination);
}

sc_status probe_sign_and_send(probe *p, uint32_t destination) {
  sc_storage_signer signer = sc_storage_account_signer(&p->keys.ed);
  memcpy(p->request.account, p->account, sizeof p->account);
  sc_status status = sc_storage_request_sign(&p->request, NULL, &signer);
  return status == SC_OK ? probe_send(p, destination) : status;
}

sc_status probe_store(probe *p, const char *text) {
  uint64_t now = world_wall(p->world);
  p->request = (sc_storage_request){.method = SC_STORAGE_STORE};
  p->request.of.store = (sc_storage_store){2, now, now + 86400000, now, sc_bytes_text(text)};
  return probe_sign_and_send(p, probe_member(p, 0));
}

sc_status probe_retrieve(probe *p, uint32_t destination) {
  p->request = (sc_storage_request){.method = SC_STORAGE_RETRIEVE};
  p->request.of.retrieve = (sc_storage_retrieve){.number = 2, .signed_at = world_wall(p->world)};
  return probe_sign_and_send(p, destination);
}

sc_status probe_call_server(probe *p, uint32_t server, sc_bytes body) {
  const sc_onion_request request = {
      .method = SC_ONION_POST, .endpoint = sc_bytes_text("/echo"), .has_body = true, .body = body};
  sc_buffer payload;
  sc_buffer_init(&payload, NULL);
  p->destination = (sc_onion_destination){.kind = SC_ONION_TO_SERVER};
  p->destination.server = server_address(&p->world->servers[server]);
  sc_status status = sc_onion_request_write(&payload, &request);
  if (status == SC_OK)
    status = send_payload(p, sc_buffer_bytes(&payload));
  sc_buffer_free(&payload);
  return status;
}

sc_status probe_read(sc_storage_parsed_reply *out, const probe *p) {
  if (!p->is_open)
    return SC_ERR_STATE;
  return sc_storage_reply_parse(out, NULL, &p->request, p->reply.body);
}

void probe_pass(const probe *p, uint64_t time) {
  world_run(p->world, p->world->agenda.now + time);
}

sc_status probe_verify(sc_storage_tally *out, const probe *p, bool by_the_swarm) {
  enum { most = 64 };
  uint8_t swarm[most][SC_KEY_BYTES];
  sc_storage_parsed_reply parsed;
  size_t count = probe_swarm_size(p) < most ? probe_swarm_size(p) : most;
  for (size_t i = 0; i < count; i++)
    memcpy(swarm[i], p->world->nodes[probe_member(p, i)].keys->ed.public_key, SC_KEY_BYTES);
  sc_status status = probe_read(&parsed, p);
  if (status != SC_OK)
    return status;
  const sc_storage_keepers keepers = {.keys = (const uint8_t(*)[SC_KEY_BYTES])swarm, .count = count};
  status = sc_storage_reply_verify(out, NULL, &p->request, &parsed.reply, by_the_swarm ? &keepers : NULL);
  sc_storage_parsed_reply_free(&parsed);
  return status;
}
