/* A network on its thread, among real nodes: requests cross three hops over QUIC on this machine's loopback.
 * Hosts take no memory from the test's environment, which counts without locks. */
#define _XOPEN_SOURCE 700 /* mkdtemp */

#include "session-core/runtime/network_host.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "network/router/real_nodes.h"
#include "runtime/toy.h"

enum { grace_s = 5, node_count = 6, thread_count = 4, calls_each = 25 };

typedef struct crowd {
  sc_network_host *host;
  toy_latch done;
  atomic_size_t good;
  atomic_size_t wrong;
  sc_status last;
} crowd;

static sc_network_options options_for(const real_nodes *nodes, sc_node *seed) {
  sc_network_options options;
  sc_network_options_default(&options, SC_NETWORK_PRIVATE);
  *seed = nodes->list[0].node;
  options.nodes.seeds = seed;
  options.nodes.seed_count = 1;
  options.nodes.smallest_pool = 1;
  options.request_timeout = 20 * SC_NODE_SECOND;
  options.guard_timeout = 20 * SC_NODE_SECOND;
  return options;
}

typedef struct expectation {
  crowd *crowd;
  int number;
} expectation;

static void note_done(void *user, sc_network_ticket ticket, const sc_network_reply *reply) {
  expectation *e = user;
  char expected[32];
  (void)ticket;
  snprintf(expected, sizeof expected, "\"number\":%d,", e->number);
  char body[160] = "";
  size_t len = reply->body.len < sizeof body - 1 ? reply->body.len : sizeof body - 1;
  if (len > 0)
    memcpy(body, reply->body.ptr, len);
  if (reply->status == SC_OK && strstr(body, expected) != NULL)
    atomic_fetch_add(&e->crowd->good, 1);
  else
    e->crowd->last = reply->status;
  toy_latch_add(&e->crowd->done, 1);
  free(e);
}

static void send_request(crowd *c, int number) {
  expectation *e = malloc(sizeof *e);
  sc_storage_request storage = {
      .method = SC_STORAGE_RETRIEVE, .account = {3}, .of.retrieve.number = (int16_t)number};
  storage.of.retrieve.max_size = 1000;
  if (e == NULL)
    abort();
  *e = (expectation){c, number};
  const sc_network_request request = {
      .to = SC_NETWORK_TO_SWARM, .storage = &storage, .done = note_done, .user = e};
  if (sc_network_host_send(NULL, c->host, &request) != SC_OK) {
    atomic_fetch_add(&c->wrong, 1);
    free(e);
  }
}

static void *call_many(void *user) {
  for (int i = 0; i < calls_each; i++)
    send_request(user, i);
  return NULL;
}

static size_t relayed_in_all(real_nodes *nodes) {
  size_t sum = 0;
  for (size_t i = 0; i < nodes->count; i++)
    sum += atomic_load(&nodes->list[i].relayed);
  return sum;
}

static size_t answered_in_all(real_nodes *nodes) {
  size_t sum = 0;
  for (size_t i = 0; i < nodes->count; i++)
    sum += atomic_load(&nodes->list[i].answered);
  return sum;
}

static void requests_cross_three_hops(sc_test *t) {
  static real_nodes nodes;
  crowd c = {.done = TOY_LATCH};
  sc_node seed;
  OK(real_nodes_start(&nodes, node_count));
  const sc_network_options options = options_for(&nodes, &seed);
  OK(sc_network_host_new(&c.host, NULL, &options, &(sc_network_host_options){0}));
  OK(sc_network_host_start(c.host, true));
  pthread_t threads[thread_count];
  for (size_t i = 0; i < thread_count; i++)
    CHECK(pthread_create(&threads[i], NULL, call_many, &c) == 0);
  for (size_t i = 0; i < thread_count; i++)
    pthread_join(threads[i], NULL);
  CHECK(toy_latch_wait(&c.done, thread_count * calls_each));
  OK(sc_network_host_stop(c.host, grace_s * SC_NODE_SECOND));
  OK(c.last);
  CHECK(atomic_load(&c.wrong) == 0 && atomic_load(&c.good) == thread_count * calls_each);
  CHECK(relayed_in_all(&nodes) >= 3 * answered_in_all(&nodes));
  CHECK(answered_in_all(&nodes) < thread_count * calls_each);
done:
  sc_network_host_free(c.host);
  real_nodes_end(&nodes);
}

static size_t files_in(const char *folder) {
  DIR *directory = opendir(folder);
  size_t count = 0;
  for (const struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;)
    count += entry->d_name[0] != '.';
  if (directory != NULL)
    closedir(directory);
  return count;
}

static void remove_folder(const char *folder) {
  char path[512];
  DIR *directory = opendir(folder);
  for (const struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;)
    if (entry->d_name[0] != '.' && snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) > 0)
      remove(path);
  if (directory != NULL)
    closedir(directory);
  remove(folder);
}

static size_t listed_in_all(real_nodes *nodes) {
  size_t sum = 0;
  for (size_t i = 0; i < nodes->count; i++)
    sum += atomic_load(&nodes->list[i].listed);
  return sum;
}

/* The second start does not call any node for the list: the saved one is enough. */
static void learnt_nodes_are_kept_in_files(sc_test *t) {
  static real_nodes nodes;
  crowd c = {.done = TOY_LATCH};
  sc_node seed;
  char folder[] = P_tmpdir "/sc-network-host-XXXXXX";
  bool made = mkdtemp(folder) != NULL;
  CHECK(made);
  OK(real_nodes_start(&nodes, node_count));
  sc_network_options options = options_for(&nodes, &seed);
  const sc_network_host_options host = {.folder = folder};
  OK(sc_network_host_new(&c.host, NULL, &options, &host));
  OK(sc_network_host_start(c.host, true));
  send_request(&c, 1);
  CHECK(toy_latch_wait(&c.done, 1));
  OK(sc_network_host_stop(c.host, grace_s * SC_NODE_SECOND));
  sc_network_host_free(c.host);
  c.host = NULL;
  CHECK(files_in(folder) >= 2);
  size_t listed = listed_in_all(&nodes);
  OK(sc_network_host_new(&c.host, NULL, &options, &host));
  OK(sc_network_host_start(c.host, true));
  send_request(&c, 2);
  CHECK(toy_latch_wait(&c.done, 2));
  CHECK(atomic_load(&c.good) == 2);
  CHECK(listed == 1 && listed_in_all(&nodes) == listed);
done:
  sc_network_host_free(c.host);
  real_nodes_end(&nodes);
  if (made)
    remove_folder(folder);
}

/* The guards of a host, looked at on its thread. */
typedef struct guards_seen {
  sc_network_guard list[SC_NETWORK_MAX_GUARDS];
  size_t count;
  toy_latch done;
} guards_seen;

static void look_at_guards(void *user, sc_network *network, uint64_t now) {
  guards_seen *seen = user;
  (void)now;
  seen->count = sc_network_guards(seen->list, SC_NETWORK_MAX_GUARDS, network);
  toy_latch_add(&seen->done, 1);
}

static bool are_same(const guards_seen *a, const guards_seen *b) {
  size_t found = 0;
  for (size_t i = 0; i < a->count; i++)
    for (size_t k = 0; k < b->count; k++)
      found += sc_node_same(&a->list[i].node, &b->list[k].node);
  return a->count > 0 && a->count == b->count && found == a->count;
}

/* Both begin without a file. The one that writes second takes the guards of the first. */
static void programs_in_one_network_share_their_guards(sc_test *t) {
  static real_nodes nodes;
  crowd one = {.done = TOY_LATCH}, other = {.done = TOY_LATCH};
  guards_seen first = {.done = TOY_LATCH}, second = {.done = TOY_LATCH};
  sc_node seed;
  char folder[] = P_tmpdir "/sc-network-host-XXXXXX";
  bool made = mkdtemp(folder) != NULL;
  CHECK(made);
  OK(real_nodes_start(&nodes, node_count));
  const sc_network_options options = options_for(&nodes, &seed);
  const sc_network_host_options host = {.state_folder = folder};
  OK(sc_network_host_new(&one.host, NULL, &options, &host));
  OK(sc_network_host_new(&other.host, NULL, &options, &host));
  OK(sc_network_host_start(one.host, true));
  send_request(&one, 1);
  CHECK(toy_latch_wait(&one.done, 1));
  OK(sc_network_host_start(other.host, true));
  send_request(&other, 1);
  CHECK(toy_latch_wait(&other.done, 1));
  OK(sc_network_host_post(one.host, look_at_guards, &first));
  OK(sc_network_host_post(other.host, look_at_guards, &second));
  CHECK(toy_latch_wait(&first.done, 1) && toy_latch_wait(&second.done, 1));
  CHECK(first.count == 3 && are_same(&first, &second));
  CHECK(files_in(folder) == 2);
done:
  sc_network_host_free(one.host);
  sc_network_host_free(other.host);
  real_nodes_end(&nodes);
  if (made)
    remove_folder(folder);
}

static void stopping_ends_every_request(sc_test *t) {
  static real_nodes nodes;
  crowd c = {.done = TOY_LATCH};
  sc_node seed;
  OK(real_nodes_start(&nodes, 3));
  sc_network_options options = options_for(&nodes, &seed);
  seed.quic_port = 1;
  OK(sc_network_host_new(&c.host, NULL, &options, &(sc_network_host_options){0}));
  OK(sc_network_host_start(c.host, true));
  for (int i = 0; i < 10; i++)
    send_request(&c, i);
  OK(sc_network_host_stop(c.host, grace_s * SC_NODE_SECOND));
  CHECK(toy_latch_wait(&c.done, 10));
  FAILS(SC_ERR_NETWORK_SUSPENDED, c.last);
  send_request(&c, 11);
  CHECK(atomic_load(&c.wrong) == 1);
done:
  sc_network_host_free(c.host);
  real_nodes_end(&nodes);
}

static void note_cancelled(void *user, sc_network_ticket ticket, const sc_network_reply *reply) {
  crowd *c = user;
  (void)ticket;
  c->last = reply->status;
  toy_latch_add(&c->done, 1);
}

static void a_request_can_be_cancelled(sc_test *t) {
  static real_nodes nodes;
  crowd c = {.done = TOY_LATCH};
  sc_node seed;
  OK(real_nodes_start(&nodes, 3));
  sc_network_options options = options_for(&nodes, &seed);
  seed.quic_port = 1;
  OK(sc_network_host_new(&c.host, NULL, &options, &(sc_network_host_options){0}));
  OK(sc_network_host_start(c.host, true));
  const sc_storage_request info = {.method = SC_STORAGE_INFO};
  const sc_network_request request = {
      .to = SC_NETWORK_TO_ANY_NODE, .storage = &info, .done = note_cancelled, .user = &c};
  sc_network_ticket ticket;
  OK(sc_network_host_send(&ticket, c.host, &request));
  OK(sc_network_host_cancel(c.host, ticket));
  CHECK(toy_latch_wait(&c.done, 1));
  FAILS(SC_ERR_REQUEST_CANCELLED, c.last);
  OK(sc_network_host_cancel(c.host, ticket));
done:
  sc_network_host_free(c.host);
  real_nodes_end(&nodes);
}

typedef struct seen {
  toy_latch done;
  sc_network_status status;
} seen;

static void look(void *user, sc_network *network, uint64_t now) {
  seen *s = user;
  (void)now;
  sc_network_inspect(&s->status, network);
  toy_latch_add(&s->done, 1);
}

static void every_call_works_on_the_runtimes_thread(sc_test *t) {
  enum { most_requests = 100 };
  static real_nodes nodes;
  crowd c = {.done = TOY_LATCH};
  seen s = {.done = TOY_LATCH};
  sc_node seed;
  OK(real_nodes_start(&nodes, node_count));
  const sc_network_options options = options_for(&nodes, &seed);
  OK(sc_network_host_new(&c.host, NULL, &options, &(sc_network_host_options){0}));
  OK(sc_network_host_start(c.host, false));
  /* Two nodes must say the same fork, and requests go to any node. */
  for (size_t i = 1; i <= most_requests && !s.status.fork_is_known; i++) {
    send_request(&c, 1);
    CHECK(toy_latch_wait(&c.done, i));
    OK(sc_network_host_post(c.host, look, &s));
    CHECK(toy_latch_wait(&s.done, i));
  }
  CHECK(s.status.state == SC_NETWORK_CONNECTED && s.status.fork_is_known && s.status.fork[0] == 19);
done:
  sc_network_host_free(c.host);
  real_nodes_end(&nodes);
}

static void hush(void *user, sc_network *network, uint64_t now) {
  seen *s = user;
  sc_network_suspend(network, now);
  toy_latch_add(&s->done, 1);
}

/* A second start is refused and does not affect the running network. */
static void the_network_is_started_once(sc_test *t) {
  crowd c = {.done = TOY_LATCH};
  seen s = {.done = TOY_LATCH};
  sc_node seed;
  static real_nodes nodes;
  OK(real_nodes_start(&nodes, 1));
  const sc_network_options options = options_for(&nodes, &seed);
  OK(sc_network_host_new(&c.host, NULL, &options, &(sc_network_host_options){0}));
  OK(sc_network_host_start(c.host, false));
  OK(sc_network_host_post(c.host, hush, &s));
  CHECK(toy_latch_wait(&s.done, 1));
  FAILS(SC_ERR_STATE, sc_network_host_start(c.host, false));
  OK(sc_network_host_post(c.host, look, &s));
  CHECK(toy_latch_wait(&s.done, 2));
  CHECK(s.status.why == SC_ERR_NETWORK_SUSPENDED);
done:
  sc_network_host_free(c.host);
  real_nodes_end(&nodes);
}

SUITE(runtime_network_host, "runtime/network_host", {"requests cross three hops", requests_cross_three_hops},
      {"learnt nodes are kept in files", learnt_nodes_are_kept_in_files},
      {"programs in one network share their guards", programs_in_one_network_share_their_guards},
      {"stopping ends every request", stopping_ends_every_request},
      {"a request can be cancelled", a_request_can_be_cancelled},
      {"every call works on the runtime's thread", every_call_works_on_the_runtimes_thread},
      {"the network is started once", the_network_is_started_once});
