/* Two people write to each other over a network that obeys the input: each byte sends a message, or loses,
 * delays, repeats, changes or delivers one that is under way.
 *
 * Under every network, neither side reads a message that was never written: an accepted message has the exact
 * content, sender and recipient of one that was sent. A message that the network left alone is always
 * accepted, no matter how late and how often it arrives. */
#include "letters.h"

enum {
  most_under_way = 8,
  most_steps = 24, /* sending and opening take their time */
};

typedef enum way { to_contact, to_group, to_inbox, way_count } way;

typedef struct delivery {
  way way;
  bool from_alice;
  bool changed;
  sc_buffer content;
  sc_buffer sent;
} delivery;

typedef struct network {
  delivery under_way[most_under_way];
  size_t count;
} network;

static void delivery_init(delivery *out) {
  *out = (delivery){.way = to_contact};
  sc_buffer_init(&out->content, fuzz_env());
  sc_buffer_init(&out->sent, fuzz_env());
}

static void delivery_free(delivery *p) {
  sc_buffer_free(&p->content);
  sc_buffer_free(&p->sent);
}

static const fuzz_person *sender_of(const delivery *p) {
  const fuzz_world *world = fuzz_the_world();
  return p->from_alice ? &world->alice : &world->bob;
}

static const fuzz_person *reader_of(const delivery *p) {
  const fuzz_world *world = fuzz_the_world();
  return p->from_alice ? &world->bob : &world->alice;
}

static sc_status encode(delivery *p) {
  const fuzz_world *world = fuzz_the_world();
  const sc_keypair *from = &sender_of(p)->keys;
  sc_bytes content = sc_buffer_bytes(&p->content);
  switch (p->way) {
  case to_contact:
    return sc_encode_for_contact(&p->sent, fuzz_env(), from, &reader_of(p)->id, content, FUZZ_SENT_MS, NULL);
  case to_group:
    return sc_encode_for_group(&p->sent, fuzz_env(), from, &world->group, SC_BYTES(world->group_key), content,
                               FUZZ_SENT_MS, NULL);
  default:
    return sc_encode_for_inbox(&p->sent, fuzz_env(), from, world->server, &reader_of(p)->blinded, content,
                               NULL);
  }
}

static sc_status decode(sc_message **out, const delivery *p) {
  const fuzz_world *world = fuzz_the_world();
  const fuzz_person *reader = reader_of(p);
  const uint8_t *backend = world->backend.ed.public_key;
  sc_bytes key = SC_BYTES(world->group_key);
  sc_bytes sent = sc_buffer_bytes(&p->sent);
  switch (p->way) {
  case to_contact:
    return sc_decode_from_contact(out, fuzz_env(), &reader->keys.x, 1, backend, sent);
  case to_group:
    return sc_decode_from_group(out, fuzz_env(), &world->group, &key, 1, backend, sent);
  default:
    return sc_decode_from_inbox(out, fuzz_env(), &reader->keys, world->server, &sender_of(p)->blinded,
                                &reader->blinded, backend, FUZZ_POSTED_S, sent);
  }
}

static void send(network *net, sc_bytes *input) {
  if (net->count == most_under_way)
    return;
  delivery *p = &net->under_way[net->count++];
  uint8_t choice = fuzz_take_byte(input);
  delivery_init(p);
  p->way = (way)(choice % way_count);
  p->from_alice = choice >= 0x80;
  fuzz_write_content(&p->content, fuzz_take_message(input), false);
  REQUIRE(encode(p) == SC_OK);
}

static void lose(network *net, size_t at) {
  delivery_free(&net->under_way[at]);
  net->under_way[at] = net->under_way[--net->count];
}

static void delay(network *net, size_t at) {
  delivery first = net->under_way[at];
  net->under_way[at] = net->under_way[net->count - 1];
  net->under_way[net->count - 1] = first;
}

static void repeat(network *net, size_t at) {
  if (net->count == most_under_way)
    return;
  const delivery *original = &net->under_way[at];
  delivery *copy = &net->under_way[net->count++];
  delivery_init(copy);
  copy->way = original->way;
  copy->from_alice = original->from_alice;
  copy->changed = original->changed;
  REQUIRE(sc_buffer_append(&copy->content, sc_buffer_bytes(&original->content)) == SC_OK);
  REQUIRE(sc_buffer_append(&copy->sent, sc_buffer_bytes(&original->sent)) == SC_OK);
}

static void change(network *net, size_t at, sc_bytes *input) {
  delivery *p = &net->under_way[at];
  p->changed |= fuzz_change(&p->sent, fuzz_take(input, 4));
}

/* Sends it back to who wrote it, as if the other had. */
static void reflect(network *net, size_t at) {
  delivery *p = &net->under_way[at];
  if (p->way == to_group)
    return; /* a group's messages come back to their author as well */
  p->from_alice = !p->from_alice;
  sc_message *message;
  REQUIRE(decode(&message, p) != SC_OK);
  p->from_alice = !p->from_alice;
}

static void deliver(const network *net, size_t at) {
  const delivery *p = &net->under_way[at];
  sc_message *message;
  sc_status status = decode(&message, p);
  fuzz_require_whole(status, message);
  REQUIRE(p->changed || status == SC_OK);
  if (status == SC_OK) {
    const sc_sender *sender = sc_message_sender(message);
    REQUIRE(sc_bytes_same(sc_message_content(message), sc_buffer_bytes(&p->content)));
    REQUIRE(memcmp(sender->id.bytes, sender_of(p)->id.bytes, SC_ID_BYTES) == 0);
    REQUIRE(memcmp(sender->ed25519_public, sender_of(p)->keys.ed.public_key, 32) == 0);
    REQUIRE(p->way == to_inbox || sc_message_envelope(message)->timestamp_ms == FUZZ_SENT_MS);
  }
  sc_message_free(message);
}

static void step(network *net, sc_bytes *input) {
  uint8_t choice = fuzz_take_byte(input);
  if (net->count == 0 || choice % 7 == 0) {
    send(net, input);
    return;
  }
  size_t at = choice / 7 % net->count;
  switch (choice % 7) {
  case 1:
    lose(net, at);
    break;
  case 2:
    delay(net, at);
    break;
  case 3:
    repeat(net, at);
    break;
  case 4:
    change(net, at, input);
    break;
  case 5:
    reflect(net, at);
    break;
  default:
    deliver(net, at);
    break;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static network net;
  sc_bytes input = sc_bytes_make(data, size);
  for (int i = 0; i < most_steps && input.len > 0; i++)
    step(&net, &input);
  /* In the end everything that is still under way arrives. */
  while (net.count > 0) {
    deliver(&net, net.count - 1);
    lose(&net, net.count - 1);
  }
  return 0;
}
