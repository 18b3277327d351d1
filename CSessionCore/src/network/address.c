#include "session-core/network/address.h"

#include <arpa/inet.h>
#include <stdio.h>

#include "../base/text.h"

enum { longest_host = 64 };

void sc_address_ipv4(sc_address *out, const uint8_t ip[static 4], uint16_t port) {
  *out = (sc_address){.port = port, .family = SC_ADDRESS_IPV4};
  memcpy(out->ip, ip, 4);
}

void sc_address_ipv6(sc_address *out, const uint8_t ip[static 16], uint32_t scope, uint16_t port) {
  *out = (sc_address){.scope = scope, .port = port, .family = SC_ADDRESS_IPV6};
  memcpy(out->ip, ip, 16);
}

/* Reads a decimal number of up to 10 digits. */
static bool read_number(uint32_t *out, sc_bytes text, uint32_t largest) {
  uint64_t number;
  if (text.len > 10 || !sc_text_number(&number, text, largest))
    return false;
  *out = (uint32_t)number;
  return true;
}

/* Splits at the last `separator`, which is in neither half. */
static bool split(sc_bytes *before, sc_bytes *after, sc_bytes text, char separator) {
  for (size_t at = text.len; at-- > 0;)
    if (text.ptr[at] == (uint8_t)separator) {
      *before = sc_bytes_make(text.ptr, at);
      *after = sc_bytes_make(text.ptr + at + 1, text.len - at - 1);
      return true;
    }
  return false;
}

static bool read_host(uint8_t *out, int family, sc_bytes text) {
  char host[longest_host];
  if (text.len >= sizeof host || memchr(text.ptr, '\0', text.len) != NULL)
    return false;
  memcpy(host, text.ptr, text.len);
  host[text.len] = '\0';
  return inet_pton(family, host, out) == 1;
}

static bool read_ipv6(sc_address *out, sc_bytes host, uint16_t port) {
  uint8_t ip[16];
  uint32_t scope = 0;
  sc_bytes zone;
  if (host.len < 2 || host.ptr[0] != '[' || host.ptr[host.len - 1] != ']')
    return false;
  host = sc_bytes_make(host.ptr + 1, host.len - 2);
  if (split(&host, &zone, host, '%') && !read_number(&scope, zone, UINT32_MAX))
    return false;
  if (!read_host(ip, AF_INET6, host))
    return false;
  sc_address_ipv6(out, ip, scope, port);
  return true;
}

sc_status sc_address_parse(sc_address *out, sc_bytes text) {
  sc_bytes host;
  sc_bytes digits;
  uint32_t port;
  uint8_t ip[4];
  if (!split(&host, &digits, text, ':') || !read_number(&port, digits, UINT16_MAX))
    return SC_ERR_ADDRESS;
  if (read_ipv6(out, host, (uint16_t)port))
    return SC_OK;
  if (host.len == 0 || !read_host(ip, AF_INET, host))
    return SC_ERR_ADDRESS;
  sc_address_ipv4(out, ip, (uint16_t)port);
  return SC_OK;
}

void sc_address_format(char out[static SC_ADDRESS_TEXT_BYTES], const sc_address *address) {
  char host[INET6_ADDRSTRLEN];
  bool ipv6 = address->family == SC_ADDRESS_IPV6;
  if (address->family == SC_ADDRESS_NONE ||
      inet_ntop(ipv6 ? AF_INET6 : AF_INET, address->ip, host, sizeof host) == NULL)
    (void)snprintf(out, SC_ADDRESS_TEXT_BYTES, "-");
  else if (!ipv6)
    (void)snprintf(out, SC_ADDRESS_TEXT_BYTES, "%s:%u", host, address->port);
  else if (address->scope == 0)
    (void)snprintf(out, SC_ADDRESS_TEXT_BYTES, "[%s]:%u", host, address->port);
  else
    (void)snprintf(out, SC_ADDRESS_TEXT_BYTES, "[%s%%%u]:%u", host, address->scope, address->port);
}

bool sc_address_same_host(const sc_address *a, const sc_address *b) {
  return a->family == b->family && a->scope == b->scope && memcmp(a->ip, b->ip, sizeof a->ip) == 0;
}

bool sc_address_same(const sc_address *a, const sc_address *b) {
  return a->port == b->port && sc_address_same_host(a, b);
}
