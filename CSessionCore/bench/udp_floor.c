#define _GNU_SOURCE /* recvmmsg, pthread_setaffinity_np */

#include "udp_floor.h"

#include <errno.h>
#include <gnutls/crypto.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
  message_count = 32,
  message_bytes = 65536,
  run_datagrams = 45, /* as many as fit one send */
  window_bytes = 1024 * 1024,
  buffer_bytes = 4 * 1024 * 1024,
  tag_bytes = 16,
  header_bytes = 12,
};

/* How the far end treats a datagram. */
typedef enum far_end {
  FAR_ECHO, /* sends it back */
  FAR_SINK, /* counts it, and tells the count */
} far_end;

typedef struct far_thread {
  pthread_t thread;
  int fd;
  far_end kind;
  gnutls_aead_cipher_hd_t cipher;
  struct mmsghdr messages[message_count];
  struct iovec pieces[message_count];
  char control[message_count][64];
  uint8_t *bytes;
} far_thread;

struct udp_floor {
  far_thread echo, sink;
  int to_echo, to_sink;
  gnutls_aead_cipher_hd_t cipher;
  uint64_t sent, counted; /* bytes of the stream, of all calls */
  uint8_t payload[floor_payload_bytes];
  uint8_t run[run_datagrams * floor_datagram_bytes];
  uint8_t back[message_bytes];
};

/* The first byte of a stream's datagram. */
enum { plain_mark = 0, sealed_mark = 1 };

static const uint8_t key[16] = {1};
static const uint8_t nonce[12] = {2};

static void must(bool held, const char *what) {
  if (held)
    return;
  fprintf(stderr, "udp floor: %s: %s\n", what, strerror(errno));
  exit(1);
}

void udp_floor_pin(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET((unsigned)processor, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set); /* a single processor has to do for both */
}

static gnutls_aead_cipher_hd_t new_cipher(void) {
  gnutls_aead_cipher_hd_t cipher;
  const gnutls_datum_t datum = {(unsigned char *)(uintptr_t)key, sizeof key};
  must(gnutls_aead_cipher_init(&cipher, GNUTLS_CIPHER_AES_128_GCM, &datum) == 0, "AES-128-GCM");
  return cipher;
}

static void seal(gnutls_aead_cipher_hd_t cipher, uint8_t *datagram, const uint8_t *payload) {
  size_t len = floor_payload_bytes + tag_bytes;
  must(gnutls_aead_cipher_encrypt(cipher, nonce, sizeof nonce, datagram, header_bytes, tag_bytes, payload,
                                  floor_payload_bytes, datagram + header_bytes, &len) == 0,
       "sealing");
}

static void open_one(gnutls_aead_cipher_hd_t cipher, const uint8_t *datagram) {
  uint8_t payload[floor_payload_bytes];
  size_t len = sizeof payload;
  must(gnutls_aead_cipher_decrypt(cipher, nonce, sizeof nonce, datagram, header_bytes, tag_bytes,
                                  datagram + header_bytes, floor_payload_bytes + tag_bytes, payload,
                                  &len) == 0,
       "opening");
}

static int new_socket(void) {
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  int bytes = buffer_bytes, on = 1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  must(fd >= 0 && bind(fd, (const struct sockaddr *)&address, sizeof address) == 0, "a socket");
  setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  must(setsockopt(fd, SOL_UDP, UDP_GRO, &on, sizeof on) == 0, "joined datagrams");
  return fd;
}

static void send_run(int fd, const uint8_t *bytes, size_t len, size_t segment) {
  alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(uint16_t))] = {0};
  struct iovec piece = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = len};
  struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
  if (segment < len) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    c->cmsg_level = SOL_UDP;
    c->cmsg_type = UDP_SEGMENT;
    c->cmsg_len = CMSG_LEN(sizeof(uint16_t));
    uint16_t size = (uint16_t)segment;
    memcpy(CMSG_DATA(c), &size, sizeof size);
  }
  must(sendmsg(fd, &message, 0) == (ssize_t)len, "sending");
}

static size_t segment_of(struct msghdr *message, size_t len) {
  for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c != NULL; c = CMSG_NXTHDR(message, c)) {
    if (c->cmsg_level != SOL_UDP || c->cmsg_type != UDP_GRO)
      continue;
    int size;
    memcpy(&size, CMSG_DATA(c), sizeof size);
    return (size_t)size;
  }
  return len;
}

static void take_message(far_thread *far, size_t i) {
  const uint8_t *bytes = far->pieces[i].iov_base;
  size_t len = far->messages[i].msg_len;
  size_t segment = segment_of(&far->messages[i].msg_hdr, len);
  if (far->kind == FAR_ECHO)
    send_run(far->fd, bytes, len, segment);
  else if (bytes[0] == sealed_mark)
    for (size_t at = 0; at < len; at += segment)
      open_one(far->cipher, bytes + at);
}

static void *far_main(void *user) {
  far_thread *far = user;
  udp_floor_pin(far_processor);
  uint64_t counted = 0;
  for (;;) {
    for (size_t i = 0; i < message_count; i++)
      far->messages[i].msg_hdr.msg_controllen = sizeof far->control[i];
    int got = recvmmsg(far->fd, far->messages, message_count, MSG_WAITFORONE, NULL);
    must(got > 0, "receiving");
    for (size_t i = 0; i < (size_t)got; i++) {
      if (far->messages[i].msg_len == 0)
        return NULL;
      counted += far->messages[i].msg_len;
      take_message(far, i);
    }
    if (far->kind == FAR_SINK)
      must(send(far->fd, &counted, sizeof counted, 0) == sizeof counted, "counting");
  }
}

/* A socket connected to a far end, which is connected to it. */
static int start_far(far_thread *far, far_end kind) {
  int near = new_socket();
  far->fd = new_socket();
  far->kind = kind;
  far->cipher = new_cipher();
  far->bytes = malloc((size_t)message_count * message_bytes);
  must(far->bytes != NULL, "memory");
  for (size_t i = 0; i < message_count; i++) {
    far->pieces[i] = (struct iovec){far->bytes + i * message_bytes, message_bytes};
    far->messages[i].msg_hdr =
        (struct msghdr){.msg_iov = &far->pieces[i], .msg_iovlen = 1, .msg_control = far->control[i]};
  }
  struct sockaddr_in address;
  socklen_t len = sizeof address;
  must(getsockname(near, (struct sockaddr *)&address, &len) == 0, "an address");
  must(connect(far->fd, (const struct sockaddr *)&address, len) == 0, "connecting");
  must(getsockname(far->fd, (struct sockaddr *)&address, &len) == 0, "an address");
  must(connect(near, (const struct sockaddr *)&address, len) == 0, "connecting");
  must(pthread_create(&far->thread, NULL, far_main, far) == 0, "a thread");
  return near;
}

/* An empty datagram ends it. */
static void stop_far(far_thread *far, int near) {
  must(send(near, "", 0, 0) == 0, "stopping");
  pthread_join(far->thread, NULL);
  close(far->fd);
  close(near);
  gnutls_aead_cipher_deinit(far->cipher);
  free(far->bytes);
}

udp_floor *udp_floor_new(void) {
  udp_floor *floor = calloc(1, sizeof *floor);
  must(floor != NULL, "memory");
  floor->cipher = new_cipher();
  floor->to_echo = start_far(&floor->echo, FAR_ECHO);
  floor->to_sink = start_far(&floor->sink, FAR_SINK);
  return floor;
}

void udp_floor_free(udp_floor *floor) {
  stop_far(&floor->echo, floor->to_echo);
  stop_far(&floor->sink, floor->to_sink);
  gnutls_aead_cipher_deinit(floor->cipher);
  free(floor);
}

void udp_floor_ping(udp_floor *floor, size_t len, size_t segment, size_t times) {
  for (size_t i = 0; i < times; i++) {
    send_run(floor->to_echo, floor->run, len, segment);
    for (size_t back = 0; back < len;) {
      ssize_t got = recv(floor->to_echo, floor->back, sizeof floor->back, 0);
      must(got > 0, "receiving");
      back += (size_t)got;
    }
  }
}

/* Waits until no more than `most` bytes are on their way. */
static void await_room(udp_floor *floor, uint64_t most) {
  while (floor->sent - floor->counted > most) {
    ssize_t got = recv(floor->to_sink, floor->back, sizeof floor->back, 0);
    must(got > 0 && got % (ssize_t)sizeof floor->counted == 0, "receiving");
    /* Several may have been joined; the last is the newest. */
    memcpy(&floor->counted, floor->back + got - sizeof floor->counted, sizeof floor->counted);
  }
}

/* Fills the run with what the next datagrams carry, and returns how many those are. */
static size_t fill_run(udp_floor *floor, size_t len, bool sealed) {
  size_t datagrams = 0;
  for (; datagrams < run_datagrams && len > 0; datagrams++) {
    uint8_t *datagram = floor->run + datagrams * floor_datagram_bytes;
    datagram[0] = sealed ? sealed_mark : plain_mark;
    if (sealed)
      seal(floor->cipher, datagram, floor->payload);
    len -= len < floor_payload_bytes ? len : floor_payload_bytes;
  }
  return datagrams;
}

void udp_floor_stream(udp_floor *floor, size_t len, bool sealed) {
  while (len > 0) {
    size_t datagrams = fill_run(floor, len, sealed);
    size_t bytes = datagrams * floor_datagram_bytes;
    send_run(floor->to_sink, floor->run, bytes, floor_datagram_bytes);
    floor->sent += bytes;
    size_t payload = datagrams * floor_payload_bytes;
    len -= payload < len ? payload : len;
    await_room(floor, window_bytes);
  }
  await_room(floor, 0);
}

void udp_floor_seal(udp_floor *floor, size_t len) {
  for (size_t at = 0; at < len; at += floor_payload_bytes)
    seal(floor->cipher, floor->run, floor->payload);
}

void udp_floor_open(udp_floor *floor, size_t len) {
  seal(floor->cipher, floor->run, floor->payload);
  for (size_t at = 0; at < len; at += floor_payload_bytes)
    open_one(floor->cipher, floor->run);
}
