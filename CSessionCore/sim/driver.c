#include "driver.h"

#include "world.h"

enum {
  most_runs = 64,
  most_spins = 20000,
  first_byte = 10, /* of the addresses of clients */
  client_port = 4433,
};

void driver_init(driver *d, world *w, wire_host host, const sc_address *address) {
  *d = (driver){.world = w, .host = host, .address = *address, .woken_for = SC_NEVER};
}

void driver_start(driver *d, sc_driven driven) {
  d->driven = driven;
  d->running = true;
  driver_wake(d);
}

void driver_stop(driver *d) {
  d->running = false;
}

/* Addresses */

sc_address driver_client_address(uint32_t client) {
  sc_address address;
  const uint8_t ip[4] = {first_byte, (uint8_t)(client >> 16), (uint8_t)(client >> 8), (uint8_t)client};
  sc_address_ipv4(&address, ip, client_port);
  return address;
}

uint64_t driver_client_at(const sc_address *address) {
  const uint8_t *ip = address->ip;
  return ip[0] != first_byte ? 0 : ((uint64_t)ip[1] << 16 | (uint64_t)ip[2] << 8 | ip[3]) + 1;
}

driver *driver_at(world *w, const sc_address *address) {
  uint64_t client = driver_client_at(address);
  if (client > 0)
    return client <= w->client_count ? &w->clients[client - 1].driver : NULL;
  wire_host host = world_host_at(w, address->ip, address->port);
  return host == w->nowhere ? NULL : &w->nodes[node_index_at(address->ip)].driver;
}

/* Driving */

static void drive(driver *d) {
  static uint8_t room[SC_RUN_MAX_BYTES];
  sc_datagrams runs[most_runs];
  sc_outbox out = {.runs = runs, .run_capacity = most_runs, .bytes = room, .capacity = sizeof room};
  do {
    sc_driven_send(d->driven, d->world->agenda.now, &out);
    for (size_t i = 0; i < out.run_count; i++)
      datagrams_send(d->world, d->host, &d->address, &runs[i]);
  } while (out.run_count > 0);
}

static void time_to_drive(void *user, uint64_t at) {
  driver *d = user;
  if (at != d->woken_for)
    return;
  d->woken_for = SC_NEVER;
  if (!d->running)
    return;
  if (d->spun_at != at)
    d->spins = 0;
  d->spun_at = at;
  if (++d->spins > most_spins) {
    oracle_break(d->world, "host %u does something again and again without time going on", d->host);
    return;
  }
  drive(d);
  driver_wake(d);
}

void driver_wake(driver *d) {
  if (!d->running)
    return;
  uint64_t now = d->world->agenda.now, due = sc_driven_deadline(d->driven);
  due = due > now ? due : now;
  if (due >= d->woken_for)
    return;
  d->woken_for = due;
  if (due != SC_NEVER)
    agenda_add(&d->world->agenda, due, time_to_drive, d, due);
}

void driver_receive(driver *d, const sc_datagrams *run) {
  if (!d->running)
    return;
  sc_driven_receive(d->driven, d->world->agenda.now, run, 1);
  driver_wake(d);
}
