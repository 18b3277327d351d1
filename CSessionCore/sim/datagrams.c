#include "datagrams.h"

#include <stdlib.h>

#include "memory.h"
#include "world.h"

enum { header_bytes = 28 }; /* of IP and UDP */

void datagrams_free(datagrams *d) {
  for (size_t i = 0; i < d->count; i++)
    blob_drop(d->slots[i].bytes);
  free(d->slots);
}

static uint32_t take_slot(datagrams *d) {
  uint32_t slot = d->free_slot;
  if (slot > 0) {
    d->free_slot = d->slots[slot - 1].next_free;
    return slot - 1;
  }
  d->slots = memory_grow(d->slots, d->count, &d->capacity, sizeof *d->slots);
  return (uint32_t)d->count++;
}

static void arrives(void *user, uint64_t slot) {
  world *w = user;
  datagrams *d = &w->datagrams;
  const datagram packet = d->slots[slot];
  d->slots[slot] = (datagram){.next_free = d->free_slot};
  d->free_slot = (uint32_t)slot + 1;
  driver *to = driver_at(w, &packet.to);
  if (to != NULL) {
    const sc_datagrams run = {.peer = packet.from, .bytes = blob_bytes(packet.bytes), .ecn = packet.ecn};
    driver_receive(to, &run);
  }
  blob_drop(packet.bytes);
}

static void send_one(world *w, wire_host from, const datagram *packet, sc_bytes bytes) {
  const driver *to = driver_at(w, &packet->to);
  wire_end *ends = w->wire.ends;
  uint64_t arrival;
  w->datagrams.sent++;
  if (to == NULL || !link_carry_datagram(&arrival, &ends[from].link, &ends[to->host].link, w->agenda.now,
                                         bytes.len + header_bytes, &w->wire.chance))
    return;
  uint32_t slot = take_slot(&w->datagrams);
  w->datagrams.slots[slot] = *packet;
  w->datagrams.slots[slot].bytes = blob_make(bytes);
  agenda_add(&w->agenda, arrival, arrives, w, slot);
}

void datagrams_send(world *w, wire_host from, const sc_address *address, const sc_datagrams *run) {
  const datagram packet = {.from = *address, .to = run->peer, .ecn = run->ecn};
  for (size_t at = 0; at < run->bytes.len; at += run->segment) {
    size_t left = run->bytes.len - at;
    send_one(w, from, &packet, sc_bytes_make(run->bytes.ptr + at, left < run->segment ? left : run->segment));
  }
}
