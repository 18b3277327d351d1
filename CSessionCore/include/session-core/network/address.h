/* The source or destination of a datagram: an IP address and a port, as a plain value. */
#ifndef SC_NETWORK_ADDRESS_H
#define SC_NETWORK_ADDRESS_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"

SC_API_BEGIN

typedef enum sc_address_family {
  SC_ADDRESS_NONE = 0, /* unknown */
  SC_ADDRESS_IPV4 = 4,
  SC_ADDRESS_IPV6 = 6,
} sc_address_family;

typedef struct sc_address {
  uint8_t ip[16];  /* in network order; IPv4 uses the first four bytes, followed by zeros */
  uint32_t scope;  /* of a link-local IPv6 address; otherwise 0 */
  uint16_t port;   /* in host byte order */
  uint16_t family; /* one of sc_address_family */
} sc_address;

/* "[2001:db8::1%4294967295]:65535" with the terminator, and some reserve. */
#define SC_ADDRESS_TEXT_BYTES 72

SC_API void sc_address_ipv4(sc_address *out, const uint8_t ip[SC_AT_LEAST(4)], uint16_t port);
SC_API void sc_address_ipv6(sc_address *out, const uint8_t ip[SC_AT_LEAST(16)], uint32_t scope,
                            uint16_t port);

/* Parses "192.0.2.1:443" or "[2001:db8::1]:443"; names are not resolved. SC_ERR_ADDRESS. */
SC_API SC_NODISCARD sc_status sc_address_parse(sc_address *out, sc_bytes text);

/* Writes the text that sc_address_parse reads; "-" for SC_ADDRESS_NONE. */
SC_API void sc_address_format(char out[SC_AT_LEAST(SC_ADDRESS_TEXT_BYTES)], const sc_address *address);

/* True if address and port are equal. */
SC_API bool sc_address_same(const sc_address *a, const sc_address *b);

/* True if the hosts are equal; ignores the ports. */
SC_API bool sc_address_same_host(const sc_address *a, const sc_address *b);

SC_API_END

#endif
