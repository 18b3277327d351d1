#include "virtual_net.h"

#include <stdio.h>
#include <stdlib.h>

enum {
  room_bytes = SC_RUN_MAX_BYTES + 2000,
  most_runs = 64,

  most_steps = 20000000,
};

static void *must(void *ptr) {
  if (ptr == NULL) {
    fprintf(stderr, "virtual_net: no memory\n");
    abort();
  }
  return ptr;
}

void net_init(net *n, uint64_t seed) {
  *n = (net){.now = 1000000000, .seed = seed, .conditions = {.delay = 10000000}};
  n->room = must(malloc(room_bytes));
}

void net_free(net *n) {
  for (size_t i = 0; i < n->count; i++)
    free(n->under_way[i].bytes);
  free(n->under_way);
  free(n->room);
}

uint64_t net_random(net *n, uint64_t bound) {
  uint64_t z = n->seed += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (z ^ (z >> 31)) % bound;
}

sc_address net_address(uint8_t last_byte, uint16_t port) {
  sc_address address;
  const uint8_t ip[4] = {10, 0, 0, last_byte};
  sc_address_ipv4(&address, ip, port);
  return address;
}

size_t net_add(net *n, sc_driven driven) {
  n->parties[n->party_count] =
      (net_party){.driven = driven, .address = net_address((uint8_t)(1 + n->party_count), 4433)};
  return n->party_count++;
}

static bool before(const net_datagram *a, const net_datagram *b) {
  return a->at < b->at || (a->at == b->at && a->order < b->order);
}

static void put_under_way(net *n, net_datagram datagram) {
  if (n->count == n->capacity) {
    n->capacity = n->capacity == 0 ? 256 : 2 * n->capacity;
    n->under_way = must(realloc(n->under_way, n->capacity * sizeof *n->under_way));
  }
  size_t at = n->count++;
  for (; at > 0 && before(&datagram, &n->under_way[(at - 1) / 2]); at = (at - 1) / 2)
    n->under_way[at] = n->under_way[(at - 1) / 2];
  n->under_way[at] = datagram;
}

static net_datagram take_first(net *n) {
  net_datagram first = n->under_way[0];
  net_datagram last = n->under_way[--n->count];
  size_t at = 0;
  for (size_t child; (child = 2 * at + 1) < n->count; at = child) {
    if (child + 1 < n->count && before(&n->under_way[child + 1], &n->under_way[child]))
      child++;
    if (!before(&n->under_way[child], &last))
      break;
    n->under_way[at] = n->under_way[child];
  }
  if (n->count > 0)
    n->under_way[at] = last;
  return first;
}

static void digest(net *n, const void *ptr, size_t len) {
  const uint8_t *bytes = ptr;
  for (size_t i = 0; i < len; i++)
    n->digest = (n->digest ^ bytes[i]) * UINT64_C(0x100000001b3);
}

static void carry(net *n, const sc_address *from, const sc_address *to, uint8_t ecn, sc_bytes bytes) {
  const net_conditions *c = &n->conditions;
  if (net_random(n, 1000) < c->lost || (c->largest != 0 && bytes.len > c->largest))
    return;
  int copies = net_random(n, 1000) < c->doubled ? 2 : 1;
  for (int i = 0; i < copies; i++) {
    net_datagram datagram = {.at = n->now + c->delay + (c->jitter > 0 ? net_random(n, c->jitter) : 0),
                             .order = n->order++,
                             .from = *from,
                             .to = *to,
                             .ecn = ecn,
                             .len = bytes.len,
                             .bytes = must(malloc(bytes.len))};
    memcpy(datagram.bytes, bytes.ptr, bytes.len);
    if (net_random(n, 1000) < c->damaged)
      datagram.bytes[net_random(n, bytes.len)] ^= (uint8_t)(1U << net_random(n, 8));
    put_under_way(n, datagram);
  }
}

void net_inject(net *n, const sc_address *from, const sc_address *to, sc_bytes bytes) {
  carry(n, from, to, 0, bytes);
}

static void send_run(net *n, size_t from, const sc_datagrams *run) {
  for (size_t at = 0; at < run->bytes.len; at += run->segment) {
    size_t left = run->bytes.len - at;
    sc_bytes bytes = sc_bytes_make(run->bytes.ptr + at, left < run->segment ? left : run->segment);
    n->sent++;
    n->sent_bytes += bytes.len;
    n->largest_sent = bytes.len > n->largest_sent ? bytes.len : n->largest_sent;
    digest(n, &n->now, sizeof n->now);
    digest(n, &from, sizeof from);
    digest(n, run->peer.ip, sizeof run->peer.ip);
    digest(n, bytes.ptr, bytes.len);
    if (n->watch == NULL || n->watch(n->user, from, bytes))
      carry(n, &n->parties[from].address, &run->peer, run->ecn, bytes);
  }
}

static void drive(net *n, size_t index) {
  sc_datagrams runs[most_runs];
  sc_outbox out = {.runs = runs, .run_capacity = most_runs, .bytes = n->room, .capacity = room_bytes};
  const net_party *party = &n->parties[index];
  do {
    sc_driven_send(party->driven, n->now, &out);
    for (size_t i = 0; i < out.run_count; i++)
      send_run(n, index, &runs[i]);
  } while (out.run_count > 0);
}

/* Delivers the datagrams that have arrived by now. */
static void deliver(net *n) {
  while (n->count > 0 && n->under_way[0].at <= n->now) {
    net_datagram datagram = take_first(n);
    sc_datagrams run = {.peer = datagram.from, .bytes = {datagram.bytes, datagram.len}, .ecn = datagram.ecn};
    if (n->tells_local)
      run.local = datagram.to;
    for (size_t i = 0; i < n->party_count; i++)
      if (!n->parties[i].dead && sc_address_same(&n->parties[i].address, &datagram.to))
        sc_driven_receive(n->parties[i].driven, n->now, &run, 1);
    free(datagram.bytes);
  }
}

static uint64_t next_time(const net *n) {
  uint64_t next = n->count > 0 ? n->under_way[0].at : SC_NEVER;
  for (size_t i = 0; i < n->party_count; i++)
    if (!n->parties[i].dead) {
      uint64_t deadline = sc_driven_deadline(n->parties[i].driven);
      next = deadline < next ? deadline : next;
    }
  return next;
}

bool net_run(net *n, uint64_t until, bool (*condition)(void *user), void *user) {
  for (uint64_t steps = 0; steps < most_steps; steps++) {
    for (size_t i = 0; i < n->party_count; i++)
      if (!n->parties[i].dead && sc_driven_deadline(n->parties[i].driven) <= n->now)
        drive(n, i);
    if (condition != NULL && condition(user))
      return true;
    uint64_t next = next_time(n);
    if (next > until) {
      n->now = until > n->now && until != SC_NEVER ? until : n->now;
      return false;
    }
    n->now = next > n->now ? next : n->now;
    n->steps++;
    deliver(n);
  }
  fprintf(stderr, "virtual_net: too many steps without an end\n");
  abort();
}
