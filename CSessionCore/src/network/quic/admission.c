#include "admission.h"

#include <assert.h>
#include <sodium.h>

/* A host is looked for in so many places from its home on. */
enum { neighbourhood = 8 };

bool sc_quic_rate_allows(sc_quic_rate *rate, uint64_t now, uint32_t burst, uint32_t a_second) {
  if (burst == 0 || a_second == 0)
    return false;
  uint64_t interval = SC_QUIC_SECOND / a_second;
  uint64_t from = rate->on_time > now ? rate->on_time : now;
  if (from - now > (burst - 1) * interval)
    return false;
  rate->on_time = from + interval;
  return true;
}

void sc_quic_admission_init(sc_quic_admission *admission, const sc_env *env, uint32_t hosts) {
  *admission = (sc_quic_admission){.env = env, .capacity = hosts < neighbourhood ? neighbourhood : hosts};
  sc_random(env, admission->key, sizeof admission->key);
}

void sc_quic_admission_free(sc_quic_admission *admission) {
  sc_release(admission->env, admission->hosts);
  admission->hosts = NULL;
}

static bool make_table(sc_quic_admission *admission) {
  if (admission->hosts == NULL) {
    size_t size = admission->capacity * sizeof *admission->hosts;
    admission->hosts = sc_allocate(admission->env, size);
    if (admission->hosts != NULL)
      memset(admission->hosts, 0, size);
  }
  return admission->hosts != NULL;
}

/* The host's place, or one that can be had: free, or left by a host that was quiet the longest. */
static sc_quic_host *find_host(sc_quic_admission *admission, const sc_address *peer) {
  sc_quic_host wanted = {.family = (uint8_t)peer->family};
  uint64_t hash;
  if (!make_table(admission))
    return NULL;
  memcpy(wanted.prefix, peer->ip, peer->family == SC_ADDRESS_IPV6 ? 8 : 4);
  crypto_shorthash((uint8_t *)&hash, wanted.prefix, sizeof wanted.prefix, admission->key);
  sc_quic_host *best = NULL;
  for (uint32_t i = 0; i < neighbourhood; i++) {
    sc_quic_host *host = &admission->hosts[(hash + i) % admission->capacity];
    if (host->family == wanted.family && memcmp(host->prefix, wanted.prefix, sizeof wanted.prefix) == 0)
      return host;
    if (host->links == 0 && (best == NULL || host->handshakes.on_time < best->handshakes.on_time))
      best = host;
  }
  if (best != NULL)
    *best = wanted;
  return best;
}

sc_quic_verdict sc_quic_admission_judge(sc_quic_admission *admission, sc_quic_host **out, uint64_t now,
                                        const sc_address *peer, bool proved, sc_quic_load load,
                                        const sc_quic_limits *limits) {
  *out = NULL;
  if (load.handshakes >= limits->handshakes)
    return SC_QUIC_IGNORE;
  if (load.links >= limits->connections)
    return SC_QUIC_REFUSE;
  if (!proved && load.handshakes >= limits->handshakes_before_retry)
    return SC_QUIC_PROVE;
  sc_quic_host *host = find_host(admission, peer);
  if (host == NULL)
    return proved ? SC_QUIC_REFUSE : SC_QUIC_PROVE;
  if (host->links >= limits->connections_per_host)
    return proved ? SC_QUIC_REFUSE : SC_QUIC_PROVE;
  if (!sc_quic_rate_allows(&host->handshakes, now, limits->handshakes_per_host,
                           limits->handshakes_per_host_a_second))
    return proved ? SC_QUIC_REFUSE : SC_QUIC_PROVE;
  host->links++;
  *out = host;
  return SC_QUIC_ADMIT;
}

void sc_quic_admission_leave(sc_quic_host *host) {
  if (host == NULL)
    return;
  assert(host->links > 0);
  host->links--;
}
