#include "hosting.h"

#include <sys/epoll.h>

#include "system.h"
#include "udp_send.h"

sc_status sc_io_init(sc_io *out, const sc_env *env, int epoll, bool coalescing, sc_tally *tally) {
  sc_io io = {.env = env, .epoll = epoll, .tally = tally};
  sc_status status = sc_inbox_new(&io.inbox, env, coalescing);
  if (status != SC_OK)
    return status;
  sc_outbox *outbox = &io.outbox;
  outbox->runs = sc_allocate(env, SC_OUTBOX_RUNS * sizeof *outbox->runs + SC_OUTBOX_BYTES);
  if (outbox->runs == NULL) {
    sc_inbox_free(io.inbox, env);
    return SC_ERR_NO_MEMORY;
  }
  outbox->run_capacity = SC_OUTBOX_RUNS;
  outbox->bytes = (uint8_t *)(outbox->runs + SC_OUTBOX_RUNS);
  outbox->capacity = SC_OUTBOX_BYTES;
  *out = io;
  return SC_OK;
}

void sc_io_finish(sc_io *io) {
  sc_inbox_free(io->inbox, io->env);
  sc_release(io->env, io->outbox.runs);
}

static sc_status open_socket(sc_guest *guest, const sc_address *address, bool dual,
                             const sc_runtime_options *options, int epoll) {
  sc_guest_socket *socket = &guest->sockets[guest->socket_count];
  *socket = (sc_guest_socket){.guest = guest};
  sc_status status = sc_udp_open(&socket->udp, address, dual, options);
  if (status != SC_OK)
    return status;
  guest->socket_count++;
  return sc_system_watch(epoll, socket->udp.fd, socket);
}

sc_status sc_guest_open(sc_guest *guest, const sc_guest_options *options, const sc_runtime_options *sockets,
                        const sc_io *io) {
  for (size_t i = 0; i < options->address_count; i++) {
    sc_status status = open_socket(guest, &options->addresses[i], options->dual, sockets, io->epoll);
    if (status != SC_OK) {
      sc_guest_close(guest, io);
      return status;
    }
  }
  return SC_OK;
}

static void drop_leftover(sc_guest *guest, const sc_io *io) {
  sc_release(io->env, guest->leftover.runs);
  guest->leftover = (sc_leftover){0};
}

void sc_guest_close(sc_guest *guest, const sc_io *io) {
  for (size_t i = 0; i < guest->socket_count; i++)
    sc_udp_close(&guest->sockets[i].udp); /* which ends the watching too */
  guest->socket_count = 0;
  drop_leftover(guest, io);
}

bool sc_guest_receive(sc_guest *guest, sc_io *io, uint64_t now) {
  bool any = false;
  /* Receiving may free the guest, which then has no sockets. */
  for (size_t i = 0; i < guest->socket_count; i++) {
    sc_guest_socket *socket = &guest->sockets[i];
    if (!socket->readable)
      continue;
    socket->readable = false;
    const sc_datagrams *runs;
    size_t count = sc_udp_receive(&runs, io->inbox, &socket->udp, io->tally);
    if (count == 0)
      continue;
    sc_driven_receive(guest->driven, now, runs, count);
    any = true;
  }
  return any;
}

/* The socket with the run's local address, or the first that speaks the peer's family. */
static sc_guest_socket *way_out(sc_guest *guest, const sc_datagrams *run) {
  sc_guest_socket *found = NULL;
  for (size_t i = 0; i < guest->socket_count; i++) {
    sc_guest_socket *socket = &guest->sockets[i];
    if (!sc_udp_speaks(&socket->udp, run->peer.family))
      continue;
    if (sc_address_same(&socket->udp.local, &run->local))
      return socket;
    bool better = socket->udp.any && socket->udp.local.port == run->local.port;
    if (found == NULL || better)
      found = socket;
  }
  return found;
}

/* The number of runs from the first on that leave by the same socket. */
static size_t same_way(sc_guest *guest, const sc_datagrams *runs, size_t count,
                       const sc_guest_socket *socket) {
  size_t same = 1;
  while (same < count && way_out(guest, &runs[same]) == socket)
    same++;
  return same;
}

void sc_guest_wait_for_room(sc_guest_socket *socket, const sc_io *io, bool wait) {
  if (socket->blocked == wait)
    return;
  socket->blocked = wait;
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = socket};
  if (wait)
    event.events |= EPOLLOUT;
  epoll_ctl(io->epoll, EPOLL_CTL_MOD, socket->udp.fd, &event); /* cannot fail for a watched descriptor */
}

/* Sends runs in order and returns how many are done with; fewer than `count` when a socket is full. */
static size_t send_runs(sc_guest *guest, const sc_io *io, sc_datagrams *runs, size_t count) {
  size_t done = 0;
  while (done < count) {
    sc_guest_socket *socket = way_out(guest, &runs[done]);
    if (socket == NULL) {
      sc_tally_add(&io->tally->send_lost, 1);
      done++;
      continue;
    }
    size_t same = same_way(guest, runs + done, count - done, socket);
    size_t sent = sc_udp_send(&socket->udp, runs + done, same, io->tally);
    done += sent;
    if (sent < same) {
      sc_guest_wait_for_room(socket, io, true);
      break;
    }
  }
  return done;
}

/* Copies runs that could not be sent, as the outbox has to serve others meanwhile. Without memory they are
 * lost, as any datagram may be. */
static void keep_leftover(sc_guest *guest, const sc_io *io, const sc_datagrams *runs, size_t count) {
  size_t bytes = 0;
  for (size_t i = 0; i < count; i++)
    bytes += runs[i].bytes.len;
  sc_datagrams *kept = sc_allocate(io->env, count * sizeof *kept + bytes);
  if (kept == NULL) {
    sc_tally_add(&io->tally->send_lost, count);
    return;
  }
  uint8_t *at = (uint8_t *)(kept + count);
  for (size_t i = 0; i < count; i++) {
    size_t len = runs[i].bytes.len;
    memcpy(at, runs[i].bytes.ptr, len);
    kept[i] = runs[i];
    kept[i].bytes = sc_bytes_make(at, len);
    at += len;
  }
  guest->leftover = (sc_leftover){.runs = kept, .count = count};
}

/* True if nothing is left over. */
static bool send_leftover(sc_guest *guest, const sc_io *io) {
  sc_leftover *left = &guest->leftover;
  left->next += send_runs(guest, io, left->runs + left->next, left->count - left->next);
  if (left->next < left->count)
    return false;
  drop_leftover(guest, io);
  return true;
}

/* Lets the guest fill the outbox once, and sends it; true if the guest can continue at once. */
static bool send_once(sc_guest *guest, sc_io *io, uint64_t now) {
  sc_outbox *outbox = &io->outbox;
  sc_outbox_clear(outbox);
  sc_driven_send(guest->driven, now, outbox);
  if (guest->gone || outbox->run_count == 0)
    return false;
  size_t done = send_runs(guest, io, outbox->runs, outbox->run_count);
  if (done == outbox->run_count)
    return true;
  keep_leftover(guest, io, outbox->runs + done, outbox->run_count - done);
  return false;
}

static bool has_full_socket(const sc_guest *guest) {
  for (size_t i = 0; i < guest->socket_count; i++)
    if (guest->sockets[i].blocked)
      return true;
  return false;
}

void sc_guest_send(sc_guest *guest, sc_io *io, uint64_t now) {
  if (guest->leftover.runs != NULL && (has_full_socket(guest) || !send_leftover(guest, io)))
    return;
  for (int i = 0; i < SC_RUNTIME_SENDS_PER_TURN; i++)
    if (!send_once(guest, io, now) || sc_driven_deadline(guest->driven) > now)
      break;
}

uint64_t sc_guest_deadline(const sc_guest *guest) {
  if (guest->leftover.runs == NULL)
    return sc_driven_deadline(guest->driven);
  return has_full_socket(guest) ? SC_NEVER : 0;
}

bool sc_guest_is_closed(const sc_guest *guest, uint64_t now) {
  if (guest->leftover.runs != NULL)
    return false;
  return guest->closed != NULL ? guest->closed(guest->user) : sc_driven_deadline(guest->driven) > now;
}
