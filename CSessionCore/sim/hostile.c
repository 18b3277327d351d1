#include "hostile.h"

#include <stdlib.h>

#include "session-core/base/encoding.h"
#include "world.h"

static draws *chance_of(const node *n) {
  return &n->world->chance;
}

bool hostile_tempted(node *n, trait t) {
  return node_has(n, t) && draw_below(chance_of(n), 1000) < n->wickedness;
}

/* Forged errors. None of them is sealed, so none may be believed. */

static const uint8_t *somebody(const onion_job *job) {
  const world *w = job->at->world;
  return w->nodes[draw_below(chance_of(job->at), (uint32_t)w->node_count)].keys->ed.public_key;
}

static void name_in_passing(onion_job *job) {
  char text[160], hex[SC_HEX_CHARS(SC_KEY_BYTES) + 1];
  sc_hex_encode(hex, sc_bytes_make(somebody(job), SC_KEY_BYTES));
  snprintf(text, sizeof text, "I was told: Next node not found: %s", hex);
  onion_job_answer(job, 502, sc_bytes_text(text));
}

/* What looks like the reply of a destination to somebody who does not check. */
static void pretend(onion_job *job, int status) {
  char json[512], base64[SC_BASE64_CHARS(sizeof json) + 1], hex[SC_HEX_CHARS(SC_KEY_BYTES) + 1];
  sc_hex_encode(hex, sc_bytes_make(somebody(job), SC_KEY_BYTES));
  snprintf(json, sizeof json,
           "{\"status\":%d,\"body\":\"{\\\"snodes\\\":[{\\\"pubkey_ed25519\\\":\\\"%s\\\",\\\"ip\\\":"
           "\\\"51.1.1.1\\\"}],\\\"swarm\\\":\\\"1\\\",\\\"t\\\":1,\\\"hf\\\":[99,9]}\"}",
           status, hex);
  if (draw_one_in(chance_of(job->at), 2)) {
    size_t len = sc_base64_encode(base64, sc_bytes_text(json), SC_BASE64_STANDARD);
    onion_job_answer(job, 200, sc_bytes_make(base64, len));
  } else {
    onion_job_answer(job, status, sc_bytes_text(json));
  }
}

static void forge(onion_job *job) {
  const uint8_t *next = job->layer.role == SC_ONION_RELAY ? job->layer.destination : somebody(job);
  switch (draw_below(chance_of(job->at), 14)) {
  case 0:
    onion_job_fail(job, SC_ONION_FAILED_NEXT_UNKNOWN, next, "");
    break;
  case 1:
    onion_job_fail(job, SC_ONION_FAILED_NEXT_UNREACHABLE, next, "");
    break;
  case 2:
  case 3:
    onion_job_fail(job, SC_ONION_FAILED_NEXT_UNKNOWN, somebody(job), "");
    break;
  case 4:
    onion_job_fail(job, SC_ONION_FAILED_NODE_NOT_READY, somebody(job), "");
    break;
  case 5:
    onion_job_fail(job, SC_ONION_FAILED_NODE_NOT_READY, next, "");
    break;
  case 6:
    onion_job_fail(job, SC_ONION_FAILED_TIMEOUT, NULL, "");
    break;
  case 7:
    onion_job_fail(job, SC_ONION_FAILED_RESPONSE, NULL, "");
    break;
  case 8:
    onion_job_fail(job, SC_ONION_FAILED_OPENING, NULL, "");
    break;
  case 9:
    onion_job_fail(job, SC_ONION_FAILED_GUARD_BUSY, NULL, "");
    break;
  case 10:
    name_in_passing(job);
    break;
  case 11:
    pretend(job, 421);
    break;
  case 12:
    pretend(job, 406);
    break;
  default:
    pretend(job, 425);
    break;
  }
}

static void babble(onion_job *job) {
  uint8_t bytes[600];
  size_t len = draw_below(chance_of(job->at), sizeof bytes);
  sc_random(&job->at->world->node_env, bytes, len);
  if (draw_one_in(chance_of(job->at), 2)) {
    char base64[SC_BASE64_CHARS(sizeof bytes) + 1];
    size_t chars = sc_base64_encode(base64, sc_bytes_make(bytes, len), SC_BASE64_STANDARD);
    onion_job_answer(job, 200, sc_bytes_make(base64, chars));
  } else {
    onion_job_answer(job, 200, sc_bytes_make(bytes, len));
  }
}

bool hostile_hop(onion_job *job) {
  node *n = job->at;
  if (hostile_tempted(n, TRAIT_SWALLOW)) {
    onion_job_drop(job);
    return true;
  }
  if (hostile_tempted(n, TRAIT_FORGE)) {
    forge(job);
    return true;
  }
  if (hostile_tempted(n, TRAIT_GARBAGE)) {
    babble(job);
    return true;
  }
  if (n->kept_reply != NULL && hostile_tempted(n, TRAIT_REPLAY)) {
    onion_job_answer(job, 200, blob_bytes(n->kept_reply));
    return true;
  }
  return false;
}

static void flip(const node *n, sc_buffer *bytes) {
  if (bytes->len > 0)
    bytes->ptr[draw(chance_of(n)) % bytes->len] ^= (uint8_t)(1U << draw_below(chance_of(n), 8));
}

void hostile_forward(const onion_job *job, sc_buffer *relay) {
  if (hostile_tempted(job->at, TRAIT_TAMPER) && draw_one_in(chance_of(job->at), 2))
    flip(job->at, relay);
}

void hostile_return(onion_job *job, sc_buffer *body) {
  enum { most_padding = 3 }; /* without it, base64 says the same */
  node *n = job->at;
  if (n->traits == 0)
    return;
  if (node_has(n, TRAIT_REPLAY) && draw_one_in(chance_of(n), 4)) {
    blob_drop(n->kept_reply);
    n->kept_reply = blob_make(sc_buffer_bytes(body));
  }
  if (hostile_tempted(n, TRAIT_TAMPER))
    flip(n, body);
  if (hostile_tempted(n, TRAIT_TRUNCATE) && body->len > most_padding)
    sc_buffer_truncate(body, draw(chance_of(n)) % (body->len - most_padding));
}

int hostile_mood(node *n) {
  static const int moods[] = {400, 401, 404, 406, 421, 421, 425, 429, 500, 502, 503, 504};
  if (!hostile_tempted(n, TRAIT_MOODY))
    return 0;
  return moods[draw_below(chance_of(n), sizeof moods / sizeof moods[0])];
}

/* Half of them are nodes that there are, in swarms of the liar's choice. */
size_t hostile_nodes(node *n, sc_storage_node *out, size_t capacity) {
  world *w = n->world;
  draws *from = chance_of(n);
  uint64_t swarm = draw(from);
  size_t count = draw(from) % (capacity + 1);
  for (size_t i = 0; i < count; i++) {
    out[i] = node_record(&w->nodes[draw_below(from, (uint32_t)w->node_count)], swarm);
    if (draw_one_in(from, 2))
      continue;
    sc_keypair stranger;
    sc_keypair_generate(&stranger, &w->node_env);
    memcpy(out[i].ed25519, stranger.ed.public_key, SC_KEY_BYTES);
    memcpy(out[i].x25519, stranger.x.public_key, SC_KEY_BYTES);
    memcpy(out[i].legacy, stranger.ed.public_key, SC_KEY_BYTES);
  }
  return count;
}

/* Poisoned lists. Nodes that work together tell the same, or they would not be believed. */

/* A node that exists in lists only, each in a network of its own. */
static sc_storage_node stranger(world *w, size_t number, uint64_t swarm) {
  enum { stream = 900000 };
  sc_storage_node record = {.ip = {203, (uint8_t)number, (uint8_t)(number >> 8), 1},
                            .https_port = 22021,
                            .quic_port = 22020,
                            .version = {2, 11, 0},
                            .swarm = swarm,
                            .funded = true};
  draws from = draws_from(world_stream(w, stream + number));
  sc_keypair keys;
  uint8_t seed[SC_ED25519_SEED_BYTES];
  draws_fill(&from, seed, sizeof seed);
  sc_keypair_from_seed(&keys, seed);
  memcpy(record.ed25519, keys.ed.public_key, SC_KEY_BYTES);
  memcpy(record.x25519, keys.x.public_key, SC_KEY_BYTES);
  memcpy(record.legacy, keys.ed.public_key, SC_KEY_BYTES);
  return record;
}

/* Replaces so many honest nodes by strangers in their swarms; more are left, the higher their number. */
static size_t replace(const node *n, sc_storage_node *out, size_t replaced) {
  const registry_list *list = n->list;
  world *w = n->world;
  size_t count = 0, strangers = 0;
  for (uint32_t i = 0; i < list->most; i++) {
    if (!list->listed[i])
      continue;
    bool stays = !node_is_honest(&w->nodes[i]) || strangers == replaced;
    out[count++] =
        stays ? node_record(&w->nodes[i], list->swarm_of[i]) : stranger(w, strangers, list->swarm_of[i]);
    strangers += !stays;
  }
  return count;
}

static size_t drifted(const node *n) {
  enum { step_s = 300, percent = 3 };
  return (size_t)(n->world->agenda.now / (step_s * SIM_SECOND)) * n->list->count * percent / 100;
}

static size_t in_one_swarm(const node *n, sc_storage_node *out) {
  size_t count = replace(n, out, 0);
  uint64_t swarm = SC_STORAGE_NO_SWARM;
  for (uint32_t i = 0; i < n->list->most && swarm == SC_STORAGE_NO_SWARM; i++)
    if (n->list->listed[i] && node_has(&n->world->nodes[i], TRAIT_ONE_SWARM))
      swarm = n->list->swarm_of[i];
  for (size_t i = 0; i < count; i++)
    out[i].swarm = swarm;
  return count;
}

bool hostile_list(size_t *count, node *n, sc_storage_node *out) {
  if (node_has(n, TRAIT_FRIENDS))
    *count = replace(n, out, SIZE_MAX);
  else if (node_has(n, TRAIT_DRIFT))
    *count = replace(n, out, drifted(n));
  else if (node_has(n, TRAIT_ONE_SWARM))
    *count = in_one_swarm(n, out);
  else if (hostile_tempted(n, TRAIT_LIST))
    *count = hostile_nodes(n, out, hostile_most_strangers);
  else
    return false;
  return true;
}
