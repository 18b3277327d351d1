/* Loopback sockets for tests of the layers above them. */
#ifndef SC_TESTS_LOOPBACK_H
#define SC_TESTS_LOOPBACK_H

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/udp_receive.h"
#include "runtime/udp_send.h"
#include "runtime/udp_socket.h"
#include "session-core/runtime.h"
#include "support/test.h"

/* Long enough for any machine; reaching it fails the test. */
enum { loopback_patience_ms = 120000 };

static inline sc_address loopback_v4(uint16_t port) {
  sc_address address;
  sc_address_ipv4(&address, (const uint8_t[4]){127, 0, 0, 1}, port);
  return address;
}

static inline sc_address loopback_v6(uint16_t port) {
  sc_address address;
  sc_address_ipv6(&address, (const uint8_t[16]){[15] = 1}, 0, port);
  return address;
}

static inline sc_address any_v4(void) {
  sc_address address;
  sc_address_ipv4(&address, (const uint8_t[4]){0}, 0);
  return address;
}

static inline sc_address any_v6(void) {
  sc_address address;
  sc_address_ipv6(&address, (const uint8_t[16]){0}, 0, 0);
  return address;
}

/* True if this machine has ::1. */
static inline bool loopback_has_v6(void) {
  sc_udp_socket probe;
  sc_address address = loopback_v6(0);
  if (sc_udp_open(&probe, &address, false, &(sc_runtime_options){0}) != SC_OK)
    return false;
  sc_udp_close(&probe);
  return true;
}

static inline bool loopback_readable(int fd) {
  struct pollfd wanted = {.fd = fd, .events = POLLIN};
  return poll(&wanted, 1, loopback_patience_ms) == 1;
}

static inline bool loopback_quiet(int fd) {
  struct pollfd wanted = {.fd = fd, .events = POLLIN};
  return poll(&wanted, 1, 0) == 0;
}

/* `len` bytes to `peer` as one run. */
static inline sc_datagrams loopback_run(const sc_address *peer, const uint8_t *bytes, size_t len,
                                        uint16_t segment) {
  return (sc_datagrams){.peer = *peer, .bytes = sc_bytes_make(bytes, len), .segment = segment};
}

/* Reads runs until `datagrams` of them have arrived; appends their bytes to `into`. False if they do not
 * arrive. */
static inline bool loopback_collect(sc_buffer *into, sc_datagrams *last, size_t datagrams, sc_inbox *inbox,
                                    const sc_udp_socket *socket, sc_tally *tally) {
  uint64_t wanted = tally->received + datagrams;
  while (tally->received < wanted) {
    if (!loopback_readable(socket->fd))
      return false;
    const sc_datagrams *runs;
    size_t count = sc_udp_receive(&runs, inbox, socket, tally);
    for (size_t i = 0; i < count; i++) {
      if (sc_buffer_append(into, runs[i].bytes) != SC_OK)
        return false;
      *last = runs[i];
    }
  }
  return tally->received == wanted;
}

#endif
