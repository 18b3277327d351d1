/* Records of nodes. One that cannot be used is passed over and counted, so that it never takes the others
 * down with it. */
#include <stdio.h>

#include "../../base/sort.h"
#include "../../crypto/birational.h"
#include "reply.h"
#include "session-core/base/encoding.h"

/* Four numbers with dots between. */
static bool read_ipv4(uint8_t out[static 4], sc_bytes text) {
  size_t at = 0;
  for (size_t i = 0; i < 4; i++) {
    unsigned number = 0, digits = 0;
    for (; at < text.len && text.ptr[at] >= '0' && text.ptr[at] <= '9' && digits < 4; at++, digits++)
      number = number * 10 + (unsigned)(text.ptr[at] - '0');
    bool spare_zero = digits > 1 && text.ptr[at - digits] == '0';
    if (digits == 0 || number > UINT8_MAX || spare_zero)
      return false;
    out[i] = (uint8_t)number;
    if (i < 3 && (at == text.len || text.ptr[at++] != '.'))
      return false;
  }
  return at == text.len;
}

static void write_ipv4(char out[static 16], const uint8_t ip[static 4]) {
  snprintf(out, 16, "%u.%u.%u.%u", ip[0], ip[1], ip[2], ip[3]);
}

static bool read_ip_member(uint8_t out[static 4], sc_rpc_value dict, const char *key) {
  sc_rpc_value value;
  sc_bytes text;
  return sc_rpc_member(&value, dict, key) && sc_rpc_text(&text, value) && read_ipv4(out, text);
}

/* `*out` stays when there is none. */
static bool read_u16_member(uint16_t *out, sc_rpc_value dict, const char *key) {
  uint64_t number = *out;
  if (!sc_rpc_member_u64(&number, dict, key) || number > UINT16_MAX)
    return false;
  *out = (uint16_t)number;
  return true;
}

static bool read_key_member(uint8_t out[static SC_KEY_BYTES], sc_rpc_value dict, const char *key) {
  sc_rpc_value value;
  return sc_rpc_member(&value, dict, key) && sc_rpc_key(out, SC_KEY_BYTES, value);
}

/* Both keys, of which one follows from the other. */
static bool read_keys(sc_storage_node *node, sc_rpc_value dict) {
  return read_key_member(node->ed25519, dict, "pubkey_ed25519") &&
         read_key_member(node->x25519, dict, "pubkey_x25519") &&
         sc_x25519_is_form_of(node->x25519, node->ed25519);
}

static bool has_address(const sc_storage_node *node) {
  static const uint8_t nowhere[4];
  return node->quic_port != 0 && memcmp(node->ip, nowhere, sizeof nowhere) != 0;
}

static bool read_swarm_node(sc_storage_node *node, sc_rpc_value dict) {
  if (!read_keys(node, dict) || !read_key_member(node->legacy, dict, "pubkey_legacy") ||
      !read_ip_member(node->ip, dict, "ip") || !read_u16_member(&node->https_port, dict, "port_https") ||
      !read_u16_member(&node->quic_port, dict, "port_omq") ||
      !read_u16_member(&node->quic_port, dict, "port_quic"))
    return false;
  node->funded = true;
  return has_address(node);
}

typedef sc_bytes (*key_of_node)(const sc_storage_node *node);

static sc_bytes ed25519_of(const sc_storage_node *node) {
  return SC_BYTES(node->ed25519);
}

static sc_bytes legacy_of(const sc_storage_node *node) {
  return SC_BYTES(node->legacy);
}

/* Of nodes that have one key, the first stays. */
static sc_status drop_repeated(sc_storage_node *nodes, size_t *count, sc_storage_memory *memory,
                               key_of_node key_of) {
  size_t kept = 0;
  sc_sorted *sorted = sc_storage_take(memory, *count, sizeof *sorted);
  bool *repeated = sc_storage_take(memory, *count, sizeof *repeated);
  if (sorted == NULL || repeated == NULL)
    return SC_ERR_NO_MEMORY;
  for (size_t i = 0; i < *count; i++)
    sorted[i] = (sc_sorted){key_of(&nodes[i]), i};
  sc_sort_keys(sorted, *count);
  for (size_t i = 1; i < *count; i++)
    repeated[sorted[i].index] = sc_bytes_same(sorted[i - 1].key, sorted[i].key);
  for (size_t i = 0; i < *count; i++)
    if (!repeated[i])
      nodes[kept++] = nodes[i];
  *count = kept;
  return SC_OK;
}

typedef bool (*record_reader)(sc_storage_node *out, sc_rpc_value record);

/* The first `most` records; those behind them count as passed over. */
static sc_status read_list(sc_storage_node_list *out, sc_storage_memory *memory, size_t most,
                           record_reader read, sc_rpc_list list) {
  sc_rpc_value record;
  size_t looked_at = list.count < most ? list.count : most;
  sc_storage_node *nodes = sc_storage_take(memory, looked_at, sizeof *nodes);
  if (nodes == NULL)
    return SC_ERR_NO_MEMORY;
  size_t count = 0;
  for (size_t i = 0; i < looked_at && sc_rpc_list_next(&record, &list); i++) {
    sc_storage_node node = {.swarm = SC_STORAGE_NO_SWARM};
    if (read(&node, record))
      nodes[count++] = node;
  }
  sc_status status = drop_repeated(nodes, &count, memory, ed25519_of);
  if (status == SC_OK)
    status = drop_repeated(nodes, &count, memory, legacy_of);
  *out = (sc_storage_node_list){nodes, count, list.count - count};
  return status;
}

/* Up to 16 hexadecimal digits. */
static bool read_swarm_id(uint64_t *out, sc_rpc_value dict) {
  enum { most_digits = 16 };
  sc_rpc_value value;
  sc_bytes text;
  char padded[] = "0000000000000000";
  uint8_t bytes[8];
  if (!sc_rpc_member(&value, dict, "swarm") || !sc_rpc_text(&text, value) || text.len == 0 ||
      text.len > most_digits)
    return false;
  memcpy(padded + most_digits - text.len, text.ptr, text.len);
  if (sc_hex_decode(bytes, sizeof bytes, sc_bytes_text(padded)) != SC_OK)
    return false;
  *out = 0;
  for (size_t i = 0; i < sizeof bytes; i++)
    *out = *out << 8 | bytes[i];
  return true;
}

sc_status sc_storage_swarm_read(sc_storage_swarm *out, sc_storage_memory *memory, sc_rpc_value dict) {
  sc_rpc_value value;
  sc_rpc_list list;
  if (!sc_rpc_member(&value, dict, "snodes") || !sc_rpc_list_open(&list, value) ||
      !read_swarm_id(&out->id, dict))
    return SC_ERR_STORAGE_REPLY;
  sc_status status = read_list(&out->nodes, memory, SC_STORAGE_MAX_REDIRECT, read_swarm_node, list);
  sc_storage_node *nodes = (sc_storage_node *)(uintptr_t)out->nodes.list;
  for (size_t i = 0; status == SC_OK && i < out->nodes.count; i++)
    nodes[i].swarm = out->id;
  return status;
}

static void put_u64(sc_rpc_writer *w, const char *key, uint64_t value) {
  sc_rpc_put_key(w, key);
  sc_rpc_put_u64(w, value);
}

static void put_hex(sc_rpc_writer *w, const char *key, const uint8_t bytes[static SC_KEY_BYTES]) {
  sc_rpc_put_key(w, key);
  sc_rpc_put_hex(w, sc_bytes_make(bytes, SC_KEY_BYTES));
}

static void put_text(sc_rpc_writer *w, const char *key, const char *text) {
  sc_rpc_put_key(w, key);
  sc_rpc_put_text(w, sc_bytes_text(text));
}

/* `address` and `port` are for clients of long ago. */
static void put_swarm_node(sc_rpc_writer *w, const sc_storage_node *node) {
  char address[SC_BASE32Z_CHARS(SC_KEY_BYTES) + sizeof ".snode"];
  char ip[16], port[8];
  sc_base32z_encode(address, SC_BYTES(node->legacy));
  memcpy(address + SC_BASE32Z_CHARS(SC_KEY_BYTES), ".snode", sizeof ".snode");
  write_ipv4(ip, node->ip);
  snprintf(port, sizeof port, "%u", node->https_port);
  sc_rpc_begin_dict(w);
  put_text(w, "address", address);
  put_text(w, "ip", ip);
  put_text(w, "port", port);
  put_u64(w, "port_https", node->https_port);
  put_u64(w, "port_omq", node->quic_port);
  put_u64(w, "port_quic", node->quic_port);
  put_hex(w, "pubkey_ed25519", node->ed25519);
  put_hex(w, "pubkey_legacy", node->legacy);
  put_hex(w, "pubkey_x25519", node->x25519);
  sc_rpc_end_dict(w);
}

void sc_storage_swarm_put(sc_rpc_writer *w, const sc_storage_swarm *swarm, const sc_storage_clock *clock) {
  char id[17];
  snprintf(id, sizeof id, "%016llx", (unsigned long long)swarm->id);
  sc_storage_put_fork(w, clock);
  sc_rpc_put_key(w, "snodes");
  sc_rpc_begin_list(w);
  for (size_t i = 0; i < swarm->nodes.count; i++)
    put_swarm_node(w, &swarm->nodes.list[i]);
  sc_rpc_end_list(w);
  put_text(w, "swarm", id);
  sc_storage_put_time(w, clock);
}

static bool read_service_node(sc_storage_node *node, sc_rpc_value dict) {
  sc_rpc_value version;
  bool has_version = sc_rpc_member(&version, dict, "storage_server_version");
  return read_keys(node, dict) && read_key_member(node->legacy, dict, "service_node_pubkey") &&
         read_ip_member(node->ip, dict, "public_ip") &&
         read_u16_member(&node->https_port, dict, "storage_port") &&
         read_u16_member(&node->quic_port, dict, "storage_lmq_port") &&
         sc_rpc_member_u64(&node->swarm, dict, "swarm_id") &&
         sc_rpc_member_flag(&node->funded, dict, "funded") &&
         sc_rpc_member_u64(&node->unlock_height, dict, "requested_unlock_height") &&
         (!has_version || sc_storage_numbers_read(node->version, 3, version));
}

sc_status sc_storage_service_nodes_read(sc_storage_service_nodes *out, sc_storage_memory *memory,
                                        sc_rpc_value dict) {
  sc_rpc_value value;
  sc_rpc_list list;
  if (!sc_rpc_is_dict(dict) || !sc_rpc_member_u64(&out->height, dict, "height") ||
      !sc_rpc_member_text(&out->block_hash, dict, "block_hash") ||
      !sc_rpc_member_flag(&out->unchanged, dict, "unchanged"))
    return SC_ERR_STORAGE_REPLY;
  if (!sc_rpc_member(&value, dict, "service_node_states"))
    return out->unchanged ? SC_OK : SC_ERR_STORAGE_REPLY;
  if (!sc_rpc_list_open(&list, value) || list.count > SC_STORAGE_MAX_NODES)
    return SC_ERR_STORAGE_REPLY;
  return read_list(&out->nodes, memory, SC_STORAGE_MAX_NODES, read_service_node, list);
}

/* In the order in which they are written; each has the bit of its place. */
static const char *const service_node_fields[] = {
    "funded",
    "pubkey_ed25519",
    "pubkey_x25519",
    "public_ip",
    "requested_unlock_height",
    "service_node_pubkey",
    "storage_lmq_port",
    "storage_port",
    "storage_server_version",
    "swarm_id",
};
enum { service_node_field_count = sizeof service_node_fields / sizeof service_node_fields[0] };

static void add_field(uint32_t *fields, bool *all, sc_bytes name) {
  *all |= sc_bytes_same(name, sc_bytes_text("all"));
  for (size_t i = 0; i < service_node_field_count; i++)
    if (sc_bytes_same(name, sc_bytes_text(service_node_fields[i])))
      *fields |= UINT32_C(1) << i;
}

/* A dict of flags, or a list of names. Unknown names are ignored. */
bool sc_storage_service_node_fields_read(uint32_t *out, sc_rpc_value dict) {
  sc_rpc_value value, element;
  sc_rpc_list list;
  sc_bytes name;
  uint32_t fields = 0;
  bool all = false;
  if (!sc_rpc_member(&value, dict, "fields"))
    return true;
  if (sc_rpc_is_dict(value)) {
    for (size_t i = 0; i < service_node_field_count; i++) {
      bool is_wanted = false;
      if (!sc_rpc_member_bool(&is_wanted, value, service_node_fields[i]))
        return false;
      fields |= is_wanted ? UINT32_C(1) << i : 0;
    }
    if (!sc_rpc_member_bool(&all, value, "all"))
      return false;
  } else {
    if (!sc_rpc_list_open(&list, value))
      return false;
    while (sc_rpc_list_next(&element, &list)) {
      if (!sc_rpc_text(&name, element))
        return false;
      add_field(&fields, &all, name);
    }
  }
  *out = all ? 0 : fields;
  return true;
}

/* Writes one field of a node, by its place. */
static void put_service_node_field(sc_rpc_writer *w, const sc_storage_node *node, size_t field) {
  char ip[16];
  const char *name = service_node_fields[field];
  switch (field) {
  case 0:
    sc_rpc_put_key(w, name);
    sc_rpc_put_bool(w, node->funded);
    break;
  case 1:
    put_hex(w, name, node->ed25519);
    break;
  case 2:
    put_hex(w, name, node->x25519);
    break;
  case 3:
    write_ipv4(ip, node->ip);
    put_text(w, name, ip);
    break;
  case 4:
    put_u64(w, name, node->unlock_height);
    break;
  case 5:
    put_hex(w, name, node->legacy);
    break;
  case 6:
    put_u64(w, name, node->quic_port);
    break;
  case 7:
    put_u64(w, name, node->https_port);
    break;
  case 8:
    sc_rpc_put_key(w, name);
    sc_rpc_begin_list(w);
    for (size_t i = 0; i < 3; i++)
      sc_rpc_put_u64(w, node->version[i]);
    sc_rpc_end_list(w);
    break;
  default:
    put_u64(w, name, node->swarm);
    break;
  }
}

static void put_service_node(sc_rpc_writer *w, const sc_storage_node *node, uint32_t fields) {
  sc_rpc_begin_dict(w);
  for (size_t i = 0; i < service_node_field_count; i++)
    if (fields == 0 || (fields >> i & 1) != 0)
      put_service_node_field(w, node, i);
  sc_rpc_end_dict(w);
}

void sc_storage_service_nodes_put(sc_rpc_writer *w, const sc_storage_service_nodes *nodes, uint32_t fields,
                                  const sc_storage_clock *clock) {
  sc_rpc_begin_dict(w);
  sc_rpc_put_key(w, "block_hash");
  sc_rpc_put_text(w, nodes->block_hash);
  if (clock->has_fork)
    put_u64(w, "hardfork", clock->fork[0]);
  put_u64(w, "height", nodes->height);
  if (!nodes->unchanged) {
    sc_rpc_put_key(w, "service_node_states");
    sc_rpc_begin_list(w);
    for (size_t i = 0; i < nodes->nodes.count; i++)
      put_service_node(w, &nodes->nodes.list[i], fields);
    sc_rpc_end_list(w);
  }
  if (clock->has_fork)
    put_u64(w, "snode_revision", clock->fork[1]);
  put_text(w, "status", "OK");
  if (nodes->unchanged) {
    sc_rpc_put_key(w, "unchanged");
    sc_rpc_put_bool(w, true);
  }
  sc_rpc_end_dict(w);
}

/* The offsets of the parts of a binary record. */
enum { swarm_at = 32, ip_at = 40, https_at = 44, quic_at = 46, version_at = 48 };

static void write_big_endian(uint8_t *out, size_t len, uint64_t number) {
  for (size_t i = len; i-- > 0; number >>= 8)
    out[i] = (uint8_t)number;
}

static uint64_t read_big_endian(const uint8_t *bytes, size_t len) {
  uint64_t number = 0;
  for (size_t i = 0; i < len; i++)
    number = number << 8 | bytes[i];
  return number;
}

void sc_storage_active_node_write(uint8_t out[static 51], const sc_storage_node *node) {
  memcpy(out, node->ed25519, SC_KEY_BYTES);
  write_big_endian(out + swarm_at, 8, node->swarm);
  memcpy(out + ip_at, node->ip, sizeof node->ip);
  write_big_endian(out + https_at, 2, node->https_port);
  write_big_endian(out + quic_at, 2, node->quic_port);
  for (size_t i = 0; i < 3; i++)
    out[version_at + i] = (uint8_t)(node->version[i] < UINT8_MAX ? node->version[i] : UINT8_MAX);
}

void sc_storage_active_node_read(sc_storage_node *out, const uint8_t record[static 51]) {
  *out = (sc_storage_node){.swarm = read_big_endian(record + swarm_at, 8), .funded = true};
  memcpy(out->ed25519, record, SC_KEY_BYTES);
  memcpy(out->ip, record + ip_at, sizeof out->ip);
  out->https_port = (uint16_t)read_big_endian(record + https_at, 2);
  out->quic_port = (uint16_t)read_big_endian(record + quic_at, 2);
  for (size_t i = 0; i < 3; i++)
    out->version[i] = record[version_at + i];
}

static bool is_whole(size_t len) {
  return len % SC_STORAGE_ACTIVE_NODE_BYTES == 0;
}

/* Binary that is all letters of base64 and decodes to whole records does not happen. */
sc_status sc_storage_active_records(sc_bytes *records, sc_storage_memory *memory, sc_bytes body) {
  size_t len;
  *records = body;
  if (body.len > 0 && sc_base64_decoded_len(&len, body) == SC_OK && is_whole(len)) {
    uint8_t *bytes = sc_storage_take(memory, len, 1);
    if (bytes == NULL)
      return SC_ERR_NO_MEMORY;
    if (sc_base64_decode(bytes, len, body, SC_BASE64_STANDARD) == SC_OK)
      *records = sc_bytes_make(bytes, len);
  }
  return is_whole(records->len) ? SC_OK : SC_ERR_STORAGE_REPLY;
}

static bool has_key(const sc_storage_node *node) {
  static const uint8_t none[SC_KEY_BYTES];
  return memcmp(node->ed25519, none, sizeof none) != 0;
}

sc_status sc_storage_active_nodes_read(sc_storage_node_list *out, sc_storage_memory *memory, sc_bytes body) {
  sc_bytes records;
  sc_status status = sc_storage_active_records(&records, memory, body);
  if (status != SC_OK)
    return status;
  size_t all = records.len / SC_STORAGE_ACTIVE_NODE_BYTES;
  if (all > SC_STORAGE_MAX_NODES)
    return SC_ERR_STORAGE_REPLY;
  sc_storage_node *nodes = sc_storage_take(memory, all, sizeof *nodes);
  if (nodes == NULL)
    return SC_ERR_NO_MEMORY;
  size_t count = 0;
  for (size_t i = 0; i < all; i++) {
    sc_storage_active_node_read(&nodes[count], records.ptr + i * SC_STORAGE_ACTIVE_NODE_BYTES);
    count += has_key(&nodes[count]);
  }
  status = drop_repeated(nodes, &count, memory, ed25519_of);
  *out = (sc_storage_node_list){nodes, count, all - count};
  return status;
}

sc_status sc_storage_active_nodes_write(sc_buffer *out, const sc_storage_node_list *nodes) {
  uint8_t *records;
  if (nodes->count > SC_STORAGE_MAX_NODES)
    return SC_ERR_TOO_LARGE;
  sc_status status = sc_buffer_extend(&records, out, nodes->count * SC_STORAGE_ACTIVE_NODE_BYTES);
  for (size_t i = 0; status == SC_OK && i < nodes->count; i++)
    sc_storage_active_node_write(records + i * SC_STORAGE_ACTIVE_NODE_BYTES, &nodes->list[i]);
  return status;
}
