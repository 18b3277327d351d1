#include "session-core/network/node.h"

#include <stdio.h>

#include "../../base/text.h"
#include "node_text.h"
#include "session-core/base/encoding.h"

bool sc_node_same(const sc_node *a, const sc_node *b) {
  return memcmp(a->key, b->key, SC_KEY_BYTES) == 0;
}

sc_address sc_node_address(const sc_node *node) {
  sc_address address;
  sc_address_ipv4(&address, node->ip, node->quic_port);
  return address;
}

bool sc_node_same_subnet(const sc_node *a, const sc_node *b) {
  return memcmp(a->ip, b->ip, 3) == 0;
}

typedef struct ip_block {
  uint8_t first[4];
  unsigned bits;
} ip_block;

static bool is_in(const uint8_t ip[static 4], const ip_block *block) {
  uint32_t differing = 0;
  for (size_t i = 0; i < 4; i++)
    differing = differing << 8 | (uint32_t)(ip[i] ^ block->first[i]);
  return differing >> (32 - block->bits) == 0;
}

static bool is_in_any(const uint8_t ip[static 4], const ip_block *blocks, size_t count) {
  size_t i = 0;
  while (i < count && !is_in(ip, &blocks[i]))
    i++;
  return i < count;
}

/* "This" network, multicast, reserved and broadcast. */
static const ip_block unroutable[] = {{{0, 0, 0, 0}, 8}, {{224, 0, 0, 0}, 4}, {{240, 0, 0, 0}, 4}};

/* Loopback, private, shared and link-local. */
static const ip_block not_public[] = {{{127, 0, 0, 0}, 8},    {{10, 0, 0, 0}, 8},    {{172, 16, 0, 0}, 12},
                                      {{192, 168, 0, 0}, 16}, {{100, 64, 0, 0}, 10}, {{169, 254, 0, 0}, 16}};

bool sc_node_is_usable(const sc_node *node, bool private_addresses) {
  static const uint8_t no_key[SC_KEY_BYTES];
  return node->quic_port != 0 && memcmp(node->key, no_key, SC_KEY_BYTES) != 0 &&
         !is_in_any(node->ip, unroutable, sizeof unroutable / sizeof unroutable[0]) &&
         (private_addresses || !is_in_any(node->ip, not_public, sizeof not_public / sizeof not_public[0]));
}

size_t sc_node_format(char out[static SC_NODE_TEXT_BYTES], const sc_node *node) {
  sc_hex_encode(out, SC_BYTES(node->key));
  size_t len = SC_HEX_CHARS(SC_KEY_BYTES);
  int more = snprintf(out + len, SC_NODE_TEXT_BYTES - len, "|%u.%u.%u.%u|%u|%u|%u.%u.%u|%llu", node->ip[0],
                      node->ip[1], node->ip[2], node->ip[3], node->https_port, node->quic_port,
                      node->version[0], node->version[1], node->version[2], (unsigned long long)node->swarm);
  return len + (size_t)more;
}

/* Numbers with dots between. */
static bool read_dotted(uint16_t *out, size_t count, sc_bytes text, uint64_t largest) {
  for (size_t i = 0; i < count; i++) {
    sc_bytes part;
    uint64_t number;
    if (!sc_text_part(&part, &text, '.') || !sc_text_number(&number, part, largest))
      return false;
    out[i] = (uint16_t)number;
  }
  return text.ptr == NULL;
}

static bool read_ip(uint8_t out[static 4], sc_bytes text) {
  uint16_t numbers[4];
  if (!read_dotted(numbers, 4, text, UINT8_MAX))
    return false;
  for (size_t i = 0; i < 4; i++)
    out[i] = (uint8_t)numbers[i];
  return true;
}

static bool take_port(uint16_t *out, sc_bytes *rest) {
  sc_bytes part;
  uint64_t port;
  if (!sc_text_part(&part, rest, '|') || !sc_text_number(&port, part, UINT16_MAX))
    return false;
  *out = (uint16_t)port;
  return true;
}

sc_status sc_node_text_take(sc_node *out, sc_bytes *rest) {
  sc_node node = {0};
  sc_bytes part;
  bool good = sc_text_part(&part, rest, '|') && sc_hex_decode(node.key, sizeof node.key, part) == SC_OK &&
              sc_text_part(&part, rest, '|') && read_ip(node.ip, part) && take_port(&node.https_port, rest) &&
              take_port(&node.quic_port, rest) && sc_text_part(&part, rest, '|') &&
              read_dotted(node.version, 3, part, UINT16_MAX) && sc_text_part(&part, rest, '|') &&
              sc_text_number(&node.swarm, part, UINT64_MAX);
  if (!good)
    return SC_ERR_NODE_TEXT;
  *out = node;
  return SC_OK;
}

sc_status sc_node_parse(sc_node *out, sc_bytes text) {
  sc_node node;
  sc_status status = sc_node_text_take(&node, &text);
  if (status != SC_OK || text.ptr != NULL)
    return SC_ERR_NODE_TEXT;
  *out = node;
  return SC_OK;
}
