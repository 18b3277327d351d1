/* Watches this machine's link to other networks: its IPv4 addresses besides loopback, on interfaces that run.
 * The kernel tells when something about them may have changed. Where it tells nothing, there is a link. */
#ifndef SC_RUNTIME_LINK_WATCH_H
#define SC_RUNTIME_LINK_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct ifaddrs;

typedef struct sc_link_watch {
  int fd;         /* of the kernel's messages; -1: there are none */
  uint64_t known; /* the addresses that there were; 0: none */
} sc_link_watch;

/* Begins to watch; `fd` is to be read when it is readable. */
void sc_link_watch_open(sc_link_watch *out);
void sc_link_watch_close(sc_link_watch *watch);

/* Reads all messages. True if there are other addresses than before, or none any more. */
bool sc_link_watch_read(sc_link_watch *watch);

static inline bool sc_link_watch_is_up(const sc_link_watch *watch) {
  return watch->fd < 0 || watch->known != 0;
}

/* A number that tells one set of addresses from another; 0 for none. */
uint64_t sc_link_addresses(const struct ifaddrs *list);

#endif
