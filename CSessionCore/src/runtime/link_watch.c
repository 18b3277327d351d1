#define _DEFAULT_SOURCE /* getifaddrs, IFF_RUNNING */

#include "link_watch.h"

#include <ifaddrs.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

static void mix(uint64_t *hash, const void *ptr, size_t len) {
  const uint8_t *bytes = ptr;
  for (size_t i = 0; i < len; i++)
    *hash = (*hash ^ bytes[i]) * UINT64_C(0x100000001b3);
}

static bool leads_outside(const struct ifaddrs *entry) {
  const unsigned needed = IFF_UP | IFF_RUNNING;
  return entry->ifa_addr != NULL && entry->ifa_addr->sa_family == AF_INET &&
         (entry->ifa_flags & needed) == needed && (entry->ifa_flags & IFF_LOOPBACK) == 0;
}

/* The order of the list does not matter. */
uint64_t sc_link_addresses(const struct ifaddrs *list) {
  uint64_t all = 0;
  for (; list != NULL; list = list->ifa_next) {
    uint64_t one = UINT64_C(0xcbf29ce484222325);
    if (!leads_outside(list))
      continue;
    const struct sockaddr_in *address = (const void *)list->ifa_addr;
    mix(&one, &address->sin_addr, sizeof address->sin_addr);
    for (const char *name = list->ifa_name; *name != '\0'; name++)
      mix(&one, name, 1);
    all += one | 1;
  }
  return all;
}

/* What was known before, if the system does not say. */
static uint64_t addresses_now(uint64_t before) {
  struct ifaddrs *list;
  if (getifaddrs(&list) != 0)
    return before;
  uint64_t now = sc_link_addresses(list);
  freeifaddrs(list);
  return now;
}

void sc_link_watch_open(sc_link_watch *out) {
  struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR};
  *out = (sc_link_watch){.fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE)};
  if (out->fd >= 0 && bind(out->fd, (const struct sockaddr *)&address, sizeof address) != 0)
    sc_link_watch_close(out);
  if (out->fd >= 0)
    out->known = addresses_now(0);
}

void sc_link_watch_close(sc_link_watch *watch) {
  if (watch->fd >= 0)
    close(watch->fd);
  watch->fd = -1;
}

/* The messages themselves do not matter: there may be too many of them, and some may be lost. */
bool sc_link_watch_read(sc_link_watch *watch) {
  uint8_t message[4096];
  uint64_t before = watch->known;
  while (recv(watch->fd, message, sizeof message, 0) > 0)
    continue;
  watch->known = addresses_now(before);
  return watch->known != before;
}
