#define _GNU_SOURCE /* sendmmsg */

#include "udp_send.h"

#include <errno.h>

#include "control.h"
#include "socket_address.h"

enum {
  message_count = 64, /* given to the system in one call */
  /* Times a message is tried: the system reports what became of others before it takes one. */
  most_tries = 3,
};

typedef enum verdict {
  VERDICT_AGAIN,  /* the report was about something else */
  VERDICT_FULL,   /* later */
  VERDICT_SPLIT,  /* datagram by datagram, perhaps */
  VERDICT_LARGE,  /* never: too large for this way */
  VERDICT_ABSENT, /* the peer is unreachable */
  VERDICT_LOST,
} verdict;

static verdict judge(int error, bool segmented) {
  switch (error) {
  case EINTR:
  case ECONNREFUSED: /* about an earlier datagram, to any peer */
    return VERDICT_AGAIN;
  case EAGAIN:
#if EWOULDBLOCK != EAGAIN
  case EWOULDBLOCK:
#endif
    return VERDICT_FULL;
  case EIO:    /* the device cannot compute the checksums of segments */
  case EINVAL: /* the kernel or the way out cannot cut them */
    return segmented ? VERDICT_SPLIT : VERDICT_LOST;
  case EMSGSIZE:
    return segmented ? VERDICT_SPLIT : VERDICT_LARGE;
  case EHOSTUNREACH:
  case ENETUNREACH:
  case EHOSTDOWN:
  case ENETDOWN:
    return VERDICT_ABSENT;
  default:
    return VERDICT_LOST;
  }
}

typedef struct sender {
  sc_udp_socket *socket;
  sc_datagrams *runs;
  size_t count;
  size_t next; /* the first unfinished run; its bytes are the rest of it */
  bool split;  /* that run goes datagram by datagram, to see whether this works better */
  int tries;   /* of the next message */
  sc_tally *tally;
} sender;

/* Messages made of the runs from `next` on. */
typedef struct batch {
  struct mmsghdr messages[message_count];
  struct iovec pieces[message_count];
  sc_socket_address peers[message_count];
  sc_control control[message_count];
  size_t count;
} batch;

static size_t segment_of(const sc_datagrams *run) {
  return run->segment > 0 && run->segment < run->bytes.len ? run->segment : run->bytes.len;
}

static size_t datagrams_in(const sc_datagrams *run, size_t len) {
  size_t segment = segment_of(run);
  return segment == 0 ? 1 : (len + segment - 1) / segment;
}

/* One message for `len` bytes of the run, cut by the system into segments if there are several. */
static void put_message(batch *b, const sender *s, const sc_datagrams *run, size_t from, size_t len) {
  size_t i = b->count++;
  size_t segment = segment_of(run);
  b->pieces[i] = (struct iovec){.iov_base = (void *)(uintptr_t)(run->bytes.ptr + from), .iov_len = len};
  struct msghdr *header = &b->messages[i].msg_hdr;
  *header = (struct msghdr){.msg_name = &b->peers[i], .msg_iov = &b->pieces[i], .msg_iovlen = 1};
  header->msg_namelen = sc_socket_address_make(&b->peers[i], &run->peer, s->socket->family);
  sc_control_write(header, &b->control[i], s->socket, run, segment < len ? segment : 0);
}

static void put_run(batch *b, const sender *s, const sc_datagrams *run, bool whole) {
  size_t step = whole ? run->bytes.len : segment_of(run);
  for (size_t at = 0; at < run->bytes.len && b->count < message_count; at += step) {
    size_t left = run->bytes.len - at;
    put_message(b, s, run, at, left < step ? left : step);
  }
}

static void fill(batch *b, const sender *s) {
  b->count = 0;
  for (size_t i = s->next; i < s->count && b->count < message_count; i++)
    put_run(b, s, &s->runs[i], s->socket->segmentation && !(s->split && i == s->next));
}

static void skip_done(sender *s) {
  for (; s->next < s->count && s->runs[s->next].bytes.len == 0; s->next++)
    s->split = false;
}

/* The next `len` bytes are sent or given up. */
static void advance(sender *s, size_t len) {
  sc_datagrams *run = &s->runs[s->next];
  run->bytes = sc_bytes_make(run->bytes.ptr + len, run->bytes.len - len);
  s->tries = 0;
  skip_done(s);
}

/* A full segment got out alone, and with others it did not: so it is not its size that was refused. */
static void blame_segmentation(sender *s, const batch *b) {
  if (!s->split || b->pieces[0].iov_len != s->runs[s->next].segment)
    return;
  s->socket->segmentation = false;
  sc_tally_add(&s->tally->segmentation_off, 1);
}

static void note_sent(sender *s, const batch *b, size_t messages) {
  if (s->socket->segmentation)
    blame_segmentation(s, b);
  uint64_t datagrams = 0, bytes = 0;
  for (size_t i = 0; i < messages; i++) {
    size_t len = b->pieces[i].iov_len;
    datagrams += datagrams_in(&s->runs[s->next], len);
    bytes += len;
    advance(s, len);
  }
  sc_tally_add(&s->tally->sent, datagrams);
  sc_tally_add(&s->tally->sent_bytes, bytes);
  sc_tally_add(&s->tally->send_calls, 1);
}

static void give_up(sender *s, size_t len, _Atomic uint64_t *counter) {
  sc_tally_add(counter, datagrams_in(&s->runs[s->next], len));
  advance(s, len);
}

/* Handles a message that the system refused; true to continue. */
static bool note_refused(sender *s, const batch *b, int error) {
  size_t len = b->pieces[0].iov_len;
  bool segmented = segment_of(&s->runs[s->next]) < len;
  switch (judge(error, segmented)) {
  case VERDICT_FULL:
    sc_tally_add(&s->tally->send_blocked, 1);
    return false;
  case VERDICT_AGAIN:
    if (error != EINTR)
      sc_tally_add(&s->tally->unreachable, 1);
    if (++s->tries == most_tries)
      give_up(s, len, &s->tally->send_lost);
    break;
  case VERDICT_SPLIT:
    s->split = true;
    break;
  case VERDICT_LARGE:
    give_up(s, len, &s->tally->send_too_large);
    break;
  case VERDICT_ABSENT:
    sc_tally_add(&s->tally->unreachable, 1);
    give_up(s, len, &s->tally->send_lost);
    break;
  case VERDICT_LOST:
    give_up(s, len, &s->tally->send_lost);
    break;
  }
  return true;
}

size_t sc_udp_send(sc_udp_socket *socket, sc_datagrams *runs, size_t count, sc_tally *tally) {
  sender s = {.socket = socket, .runs = runs, .count = count, .tally = tally};
  skip_done(&s);
  batch b;
  bool more = true;
  while (more && s.next < count) {
    fill(&b, &s);
    int sent = sendmmsg(socket->fd, b.messages, (unsigned)b.count, 0);
    if (sent > 0)
      note_sent(&s, &b, (size_t)sent);
    else
      more = note_refused(&s, &b, errno);
  }
  return s.next;
}
