#include "session-core/network/quic_pool.h"

enum {
  bucket_count = 64, /* a power of two */
};

/* How long a node's silence on other streams is remembered, in nanoseconds: the network may have caused it.
 */
static const uint64_t silence_memory = UINT64_C(600) * 1000 * 1000 * 1000;

/* True if a node reads all streams, according to its connections. */
typedef struct habit {
  uint8_t key[SC_KEY_BYTES];
  bool known;
  bool all_streams;
  uint64_t at;
} habit;

typedef struct pooled {
  struct pooled *next; /* in its bucket */
  sc_quic_pool *pool;
  sc_quic_node node;
  sc_quic_connection connection;
  uint64_t last_use;
  bool parted; /* from the pool, while its connection ends */
} pooled;

struct sc_quic_pool {
  const sc_env *env;
  sc_quic_endpoint *endpoint;
  sc_quic_pool_options options;
  uint32_t count;
  uint64_t now;
  bool closing;
  pooled *buckets[bucket_count];
  habit habits[bucket_count]; /* one for each bucket: the last that showed */
};

void sc_quic_pool_options_default(sc_quic_pool_options *out) {
  *out = (sc_quic_pool_options){.nodes = 64,
                                .handshake_timeout = 3 * SC_QUIC_SECOND,
                                .keep_alive = 10 * SC_QUIC_SECOND,
                                .idle_close = 60 * SC_QUIC_SECOND};
}

sc_status sc_quic_pool_new(sc_quic_pool **out, const sc_env *env, sc_quic_endpoint *endpoint,
                           const sc_quic_pool_options *options) {
  *out = NULL;
  if (options->nodes == 0)
    return SC_ERR_ARGUMENT;
  sc_quic_pool *pool = sc_allocate(env, sizeof *pool);
  if (pool == NULL)
    return SC_ERR_NO_MEMORY;
  *pool = (sc_quic_pool){.env = env, .endpoint = endpoint, .options = *options};
  *out = pool;
  return SC_OK;
}

/* Keys are random enough to be spread by their first byte. */
static pooled **bucket_of(sc_quic_pool *pool, const sc_quic_node *node) {
  return &pool->buckets[node->key[0] % bucket_count];
}

static pooled *find(sc_quic_pool *pool, const sc_quic_node *node) {
  pooled *entry = *bucket_of(pool, node);
  while (entry != NULL && (memcmp(entry->node.key, node->key, SC_KEY_BYTES) != 0 ||
                           !sc_address_same(&entry->node.address, &node->address)))
    entry = entry->next;
  return entry;
}

static habit *habit_of(sc_quic_pool *pool, const sc_quic_node *node) {
  return &pool->habits[node->key[0] % bucket_count];
}

static void streams_known(void *user, sc_quic_connection connection, bool all) {
  const pooled *entry = user;
  habit *habit = habit_of(entry->pool, &entry->node);
  (void)connection;
  memcpy(habit->key, entry->node.key, SC_KEY_BYTES);
  habit->known = true;
  habit->all_streams = all;
  habit->at = entry->pool->now;
}

static bool reads_all_streams(sc_quic_pool *pool, const sc_quic_node *node) {
  const habit *habit = habit_of(pool, node);
  bool is_known = habit->known && memcmp(habit->key, node->key, SC_KEY_BYTES) == 0 &&
                  (habit->all_streams || pool->now - habit->at < silence_memory);
  return is_known ? habit->all_streams : node->all_streams;
}

static void part(pooled *entry) {
  if (entry->parted)
    return;
  pooled **at = bucket_of(entry->pool, &entry->node);
  while (*at != entry)
    at = &(*at)->next;
  *at = entry->next;
  entry->pool->count--;
  entry->parted = true;
}

static void forget(pooled *entry) {
  part(entry);
  sc_release(entry->pool->env, entry);
}

static void opened(void *user, sc_quic_connection connection, const uint8_t *peer_key) {
  const pooled *entry = user;
  const sc_quic_pool_options *options = &entry->pool->options;
  sc_quic_node node = entry->node;
  (void)connection;
  (void)peer_key;
  if (options->opened != NULL)
    options->opened(options->user, &node);
}

static void closed(void *user, sc_quic_connection connection, sc_status reason) {
  pooled *entry = user;
  sc_quic_pool_options options = entry->pool->options;
  sc_quic_node node = entry->node;
  (void)connection;
  forget(entry);
  if (options.closed != NULL)
    options.closed(options.user, &node, reason);
  if (reason != SC_ERR_QUIC_STOPPED && options.failed != NULL)
    options.failed(options.user, &node, reason);
}

static sc_status close_entry(pooled *entry) {
  return sc_quic_close(entry->pool->endpoint, entry->pool->now, entry->connection);
}

static void close_entries(sc_quic_pool *pool) {
  pool->closing = true;
  for (size_t i = 0; i < bucket_count; i++)
    while (pool->buckets[i] != NULL)
      if (close_entry(pool->buckets[i]) != SC_OK)
        part(pool->buckets[i]); /* it is ending already */
  pool->closing = false;
}

void sc_quic_pool_close_all(sc_quic_pool *pool, uint64_t now) {
  pool->now = now;
  close_entries(pool);
}

void sc_quic_pool_free(sc_quic_pool *pool) {
  if (pool == NULL)
    return;
  close_entries(pool);
  sc_release(pool->env, pool);
}

/* Closes the connection without calls that was used least lately. SC_ERR_QUIC_BUSY when all are in use. */
static sc_status make_room(sc_quic_pool *pool) {
  pooled *oldest = NULL;
  for (size_t i = 0; i < bucket_count; i++)
    for (pooled *entry = pool->buckets[i]; entry != NULL; entry = entry->next) {
      sc_quic_connection_info info;
      if (oldest != NULL && entry->last_use >= oldest->last_use)
        continue;
      if (sc_quic_connection_inspect(&info, pool->endpoint, entry->connection) == SC_OK && info.calls == 0)
        oldest = entry;
    }
  return oldest != NULL ? close_entry(oldest) : SC_ERR_QUIC_BUSY;
}

static sc_status connect_to(pooled **out, sc_quic_pool *pool, const sc_quic_node *node,
                            uint64_t handshake_timeout) {
  if (pool->count >= pool->options.nodes) {
    sc_status status = make_room(pool);
    if (status != SC_OK)
      return status;
  }
  pooled *entry = sc_allocate(pool->env, sizeof *entry);
  if (entry == NULL)
    return SC_ERR_NO_MEMORY;
  *entry = (pooled){.pool = pool, .node = *node, .last_use = pool->now};
  sc_quic_target target = {
      .address = node->address,
      .events = {.user = entry, .opened = opened, .closed = closed, .streams_known = streams_known},
      .handshake_timeout = handshake_timeout,
      .keep_alive = pool->options.keep_alive,
      .idle_close = pool->options.idle_close};
  memcpy(target.key, node->key, SC_KEY_BYTES);
  sc_status status = sc_quic_connect(&entry->connection, pool->endpoint, pool->now, &target);
  if (status != SC_OK) {
    sc_release(pool->env, entry);
    return status;
  }
  pooled **bucket = bucket_of(pool, node);
  entry->next = *bucket;
  *bucket = entry;
  pool->count++;
  *out = entry;
  return SC_OK;
}

/* The node's connection; NULL if there is none, or it is about to end. */
static pooled *find_living(sc_quic_connection_info *info, sc_quic_pool *pool, const sc_quic_node *node) {
  pooled *entry = find(pool, node);
  if (entry == NULL || sc_quic_connection_inspect(info, pool->endpoint, entry->connection) == SC_OK)
    return entry;
  part(entry);
  return NULL;
}

sc_status sc_quic_pool_connect(bool *open, sc_quic_pool *pool, uint64_t now, const sc_quic_node *node,
                               uint64_t handshake_timeout) {
  sc_quic_connection_info info;
  *open = false;
  pool->now = now;
  if (pool->closing)
    return SC_ERR_QUIC_STOPPED;
  pooled *entry = find_living(&info, pool, node);
  if (entry != NULL) {
    *open = info.open;
    return SC_OK;
  }
  return connect_to(&entry, pool, node,
                    handshake_timeout != 0 ? handshake_timeout : pool->options.handshake_timeout);
}

sc_status sc_quic_pool_close(sc_quic_pool *pool, uint64_t now, const sc_quic_node *node) {
  sc_quic_connection_info info;
  pool->now = now;
  pooled *entry = find_living(&info, pool, node);
  return entry != NULL ? close_entry(entry) : SC_ERR_NOT_FOUND;
}

static sc_status send_to(sc_quic_call *out, pooled *entry, const sc_quic_command *command) {
  entry->last_use = entry->pool->now;
  return sc_quic_send(out, entry->pool->endpoint, entry->pool->now, entry->connection, command);
}

/* True for a connection that is ending or whose first stream is closed: a new one replaces it, and its calls
 * end. */
static bool is_over(sc_status status, const sc_quic_command *command) {
  bool needs_first = command->stream == 0 || command->stream == SC_QUIC_ANY_STREAM;
  return status == SC_ERR_NOT_FOUND || (status == SC_ERR_QUIC_STREAM && needs_first);
}

sc_status sc_quic_pool_send(sc_quic_call *out, sc_quic_pool *pool, uint64_t now, const sc_quic_node *node,
                            const sc_quic_command *command) {
  sc_quic_command placed = *command;
  if (placed.stream == SC_QUIC_ANY_STREAM && !reads_all_streams(pool, node))
    placed.stream = 0;
  pool->now = now;
  if (pool->closing)
    return SC_ERR_QUIC_STOPPED;
  pooled *entry = find(pool, node);
  if (entry != NULL) {
    sc_status status = send_to(out, entry, &placed);
    if (!is_over(status, &placed))
      return status;
    if (close_entry(entry) != SC_OK)
      part(entry);
  }
  sc_status status = connect_to(&entry, pool, node, pool->options.handshake_timeout);
  return status == SC_OK ? send_to(out, entry, &placed) : status;
}

uint32_t sc_quic_pool_count(const sc_quic_pool *pool) {
  return pool->count;
}
