#define _GNU_SOURCE /* recvmmsg */

#include "udp_receive.h"

#include <errno.h>

#include "control.h"
#include "socket_address.h"

enum {
  message_count = SC_RUNTIME_MESSAGES_PER_TURN,
  joined_bytes = 65536,
  /* Reports about other datagrams that are passed over before a turn is given up. */
  most_reports = 16,
};

struct sc_inbox {
  struct mmsghdr messages[message_count];
  struct iovec pieces[message_count];
  sc_socket_address peers[message_count];
  sc_control control[message_count];
  sc_datagrams runs[message_count];
  size_t room; /* for each message */
  uint8_t *bytes;
};

sc_status sc_inbox_new(sc_inbox **out, const sc_env *env, bool coalescing) {
  size_t room = coalescing ? joined_bytes : SC_DATAGRAM_MAX_BYTES;
  /* Pages are touched only as messages need them, which is seldom all. */
  sc_inbox *inbox = sc_allocate(env, sizeof *inbox + message_count * room);
  if (inbox == NULL)
    return SC_ERR_NO_MEMORY;
  memset(inbox, 0, sizeof *inbox);
  inbox->room = room;
  inbox->bytes = (uint8_t *)(inbox + 1);
  for (size_t i = 0; i < message_count; i++) {
    inbox->pieces[i] = (struct iovec){.iov_base = inbox->bytes + i * room, .iov_len = room};
    struct msghdr *header = &inbox->messages[i].msg_hdr;
    header->msg_name = &inbox->peers[i];
    header->msg_iov = &inbox->pieces[i];
    header->msg_iovlen = 1;
    header->msg_control = &inbox->control[i];
    header->msg_namelen = sizeof inbox->peers[i];
    header->msg_controllen = sizeof inbox->control[i];
  }
  *out = inbox;
  return SC_OK;
}

void sc_inbox_free(sc_inbox *inbox, const sc_env *env) {
  sc_release(env, inbox);
}

/* Reads into the messages, whose lengths were left as the last call of the system needs them. */
static int read_messages(sc_inbox *inbox, const sc_udp_socket *socket, sc_tally *tally) {
  for (int reports = 0; reports < most_reports; reports++) {
    int got = recvmmsg(socket->fd, inbox->messages, message_count, 0, NULL);
    if (got >= 0)
      return got;
    if (errno == EAGAIN || errno == EWOULDBLOCK)
      return 0;
    if (errno != EINTR)
      sc_tally_add(&tally->unreachable, 1);
  }
  return 0;
}

static bool read_run(sc_datagrams *run, const sc_inbox *inbox, size_t i, const sc_udp_socket *socket) {
  const struct msghdr *header = &inbox->messages[i].msg_hdr;
  if ((header->msg_flags & MSG_TRUNC) != 0)
    return false;
  run->bytes = sc_bytes_make(inbox->bytes + i * inbox->room, inbox->messages[i].msg_len);
  sc_socket_address_read(&run->peer, &inbox->peers[i]);
  sc_control_read(run, header, socket);
  return true;
}

static size_t datagrams_in(const sc_datagrams *run) {
  return run->segment == 0 ? 1 : (run->bytes.len + run->segment - 1) / run->segment;
}

static void rearm(sc_inbox *inbox, size_t i) {
  struct msghdr *header = &inbox->messages[i].msg_hdr;
  header->msg_namelen = sizeof inbox->peers[i];
  header->msg_controllen = sizeof inbox->control[i];
}

size_t sc_udp_receive(const sc_datagrams **out, sc_inbox *inbox, const sc_udp_socket *socket,
                      sc_tally *tally) {
  size_t got = (size_t)read_messages(inbox, socket, tally);
  size_t count = 0;
  uint64_t datagrams = 0, bytes = 0;
  for (size_t i = 0; i < got; i++) {
    sc_datagrams *run = &inbox->runs[count];
    if (read_run(run, inbox, i, socket)) {
      datagrams += datagrams_in(run);
      bytes += run->bytes.len;
      count++;
    } else {
      sc_tally_add(&tally->truncated, 1);
    }
    rearm(inbox, i);
  }
  if (got > 0)
    sc_tally_add(&tally->receive_calls, 1);
  sc_tally_add(&tally->received, datagrams);
  sc_tally_add(&tally->received_bytes, bytes);
  *out = inbox->runs;
  return count;
}
