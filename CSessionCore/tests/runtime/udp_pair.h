/* Two sockets of this machine, an inbox for the second, and a tally for both. */
#ifndef SC_TESTS_UDP_PAIR_H
#define SC_TESTS_UDP_PAIR_H

#include "loopback.h"

typedef struct udp_pair {
  const sc_env *env;
  sc_udp_socket from;
  sc_udp_socket to;
  sc_inbox *inbox;
  sc_tally tally;
  sc_buffer got;     /* all bytes received so far */
  sc_datagrams last; /* the last run received */
} udp_pair;

SC_NODISCARD static inline sc_status udp_pair_open(udp_pair *out, const sc_env *env, sc_address from,
                                                   sc_address to, sc_runtime_options options) {
  *out = (udp_pair){.env = env, .from.fd = -1, .to.fd = -1};
  sc_buffer_init(&out->got, NULL); /* what is tested allocates nothing then */
  sc_status status = sc_inbox_new(&out->inbox, env, !options.no_coalescing);
  if (status == SC_OK)
    status = sc_udp_open(&out->from, &from, true, &options);
  if (status == SC_OK)
    status = sc_udp_open(&out->to, &to, true, &options);
  return status;
}

SC_NODISCARD static inline sc_status udp_pair_open_v4(udp_pair *out, const sc_env *env,
                                                      sc_runtime_options options) {
  return udp_pair_open(out, env, loopback_v4(0), loopback_v4(0), options);
}

static inline void udp_pair_close(udp_pair *pair) {
  sc_udp_close(&pair->from);
  sc_udp_close(&pair->to);
  sc_inbox_free(pair->inbox, pair->env);
  sc_buffer_free(&pair->got);
}

/* One run of `len` bytes from the first to the second. */
static inline sc_datagrams udp_pair_run(const udp_pair *pair, const uint8_t *bytes, size_t len,
                                        uint16_t segment) {
  return loopback_run(&pair->to.local, bytes, len, segment);
}

static inline bool udp_pair_receive(udp_pair *pair, size_t datagrams) {
  return loopback_collect(&pair->got, &pair->last, datagrams, pair->inbox, &pair->to, &pair->tally);
}

#endif
