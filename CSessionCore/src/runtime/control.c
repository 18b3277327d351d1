#define _GNU_SOURCE /* struct in6_pktinfo */

#include "control.h"

#include <netinet/udp.h>

#include "socket_address.h"

enum { ecn_mask = 3 };

typedef struct writer {
  struct msghdr *message;
  struct cmsghdr *next;
} writer;

static void put(writer *w, int level, int type, const void *value, size_t len) {
  w->next->cmsg_level = level;
  w->next->cmsg_type = type;
  w->next->cmsg_len = CMSG_LEN(len);
  memcpy(CMSG_DATA(w->next), value, len);
  w->message->msg_controllen += CMSG_SPACE(len);
  w->next = (struct cmsghdr *)((uint8_t *)w->next + CMSG_SPACE(len));
}

static void put_ecn(writer *w, bool v4, uint8_t ecn) {
  int bits = ecn & ecn_mask;
  if (v4)
    put(w, SOL_IP, IP_TOS, &bits, sizeof bits);
  else
    put(w, SOL_IPV6, IPV6_TCLASS, &bits, sizeof bits);
}

static void put_source(writer *w, bool v4, const sc_address *local) {
  if (v4) {
    struct in_pktinfo info = {0};
    memcpy(&info.ipi_spec_dst, local->ip, 4);
    put(w, SOL_IP, IP_PKTINFO, &info, sizeof info);
  } else {
    struct in6_pktinfo info = {.ipi6_ifindex = local->scope};
    memcpy(&info.ipi6_addr, local->ip, 16);
    put(w, SOL_IPV6, IPV6_PKTINFO, &info, sizeof info);
  }
}

void sc_control_write(struct msghdr *message, sc_control *room, const sc_udp_socket *from,
                      const sc_datagrams *run, size_t segment) {
  memset(room, 0, sizeof *room);
  message->msg_control = room->bytes;
  message->msg_controllen = 0;
  writer w = {.message = message, .next = (struct cmsghdr *)room->bytes};
  bool v4 = run->peer.family == SC_ADDRESS_IPV4;
  if (run->ecn != 0)
    put_ecn(&w, v4, run->ecn);
  if (from->any && run->local.family == run->peer.family && !sc_socket_address_is_any(&run->local))
    put_source(&w, v4, &run->local);
  if (segment > 0) {
    uint16_t size = (uint16_t)segment;
    put(&w, SOL_UDP, UDP_SEGMENT, &size, sizeof size);
  }
  if (message->msg_controllen == 0)
    message->msg_control = NULL;
}

static void read_ip(sc_datagrams *run, const struct cmsghdr *c, uint16_t port) {
  if (c->cmsg_type == IP_TOS) {
    run->ecn = *CMSG_DATA(c) & ecn_mask; /* a single byte, unlike when sending */
  } else if (c->cmsg_type == IP_PKTINFO) {
    struct in_pktinfo info;
    memcpy(&info, CMSG_DATA(c), sizeof info);
    sc_address_ipv4(&run->local, (const uint8_t *)&info.ipi_spec_dst, port);
  }
}

static void read_ipv6(sc_datagrams *run, const struct cmsghdr *c, uint16_t port) {
  if (c->cmsg_type == IPV6_TCLASS) {
    int class;
    memcpy(&class, CMSG_DATA(c), sizeof class);
    run->ecn = (uint8_t)(class & ecn_mask);
  } else if (c->cmsg_type == IPV6_PKTINFO) {
    struct in6_pktinfo info;
    memcpy(&info, CMSG_DATA(c), sizeof info);
    uint32_t scope = IN6_IS_ADDR_LINKLOCAL(&info.ipi6_addr) ? info.ipi6_ifindex : 0;
    sc_socket_address_from_ipv6(&run->local, &info.ipi6_addr, scope, port);
  }
}

static void read_segment(sc_datagrams *run, const struct cmsghdr *c) {
  if (c->cmsg_type != UDP_GRO)
    return;
  int size;
  memcpy(&size, CMSG_DATA(c), sizeof size);
  if (size > 0 && (size_t)size < run->bytes.len)
    run->segment = (uint16_t)size;
}

void sc_control_read(sc_datagrams *run, const struct msghdr *message, const sc_udp_socket *to) {
  run->local = to->local;
  run->ecn = 0;
  run->segment = (uint16_t)run->bytes.len;
  if (to->any)
    run->local = (sc_address){0};
  for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c != NULL;
       c = CMSG_NXTHDR((struct msghdr *)(uintptr_t)message, c)) {
    if (c->cmsg_level == SOL_IP)
      read_ip(run, c, to->local.port);
    else if (c->cmsg_level == SOL_IPV6)
      read_ipv6(run, c, to->local.port);
    else if (c->cmsg_level == SOL_UDP)
      read_segment(run, c);
  }
}
