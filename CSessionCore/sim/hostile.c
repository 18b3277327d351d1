#include "hostile.h"

#include <stdlib.h>

#include "memory.h"
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

/* Forges a destination's reply that passes for a real one if the client does not check. */
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

/* Strategies */

/* Sends back a layer of the request, as a node can that saw it: it decrypts with the keys of its reply. */
static void reflect(onion_job *job) {
  bool is_last = job->layer.role != SC_ONION_RELAY;
  sc_bytes sealed = is_last ? job->block.sealed : job->layer.next.sealed;
  if (draw_one_in(chance_of(job->at), 2)) {
    onion_job_answer(job, 200, sealed);
    return;
  }
  char *base64 = memory_new(SC_BASE64_CHARS(sealed.len) + 1, 1);
  size_t chars = sc_base64_encode(base64, sealed, SC_BASE64_STANDARD);
  onion_job_answer(job, 200, sc_bytes_make(base64, chars));
  free(base64);
}

static void claim_to_be_busy(onion_job *job) {
  uint32_t way = draw_below(chance_of(job->at), 3);
  if (way == 0)
    onion_job_fail(job, SC_ONION_FAILED_GUARD_BUSY, NULL, "");
  else if (way == 1)
    onion_job_fail(job, SC_ONION_FAILED_GUARD_NOT_READY, NULL, "not done syncing");
  else
    onion_job_answer(job, 429, sc_bytes_text("Too many requests"));
}

/* True when the node has dealt with the layer as all nodes with its strategy do. */
static bool conspire(onion_job *job) {
  node *n = job->at;
  if (hostile_tempted(n, TRAIT_REFLECT))
    reflect(job);
  else if (hostile_tempted(n, TRAIT_BUSY))
    claim_to_be_busy(job);
  else if (job->layer.role == SC_ONION_RELAY && hostile_tempted(n, TRAIT_BLAME))
    onion_job_fail(job, SC_ONION_FAILED_NEXT_UNREACHABLE, job->layer.destination, "");
  else
    return false;
  return true;
}

bool hostile_hop(onion_job *job) {
  node *n = job->at;
  if (conspire(job))
    return true;
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

size_t hostile_hide(node *n, sc_storage_message *list, size_t count) {
  enum { ways = 3 };
  size_t kept = 0;
  if (!hostile_tempted(n, TRAIT_HIDE))
    return count;
  if (n->index % ways == 0)
    return 0;
  if (n->index % ways == 1)
    return count / 2;
  for (size_t i = 0; i < count; i++)
    if (draw_one_in(chance_of(n), 2))
      list[kept++] = list[i];
  return kept;
}

int hostile_mood(node *n) {
  static const int moods[] = {400, 401, 404, 406, 421, 421, 425, 429, 500, 502, 503, 504};
  if (!hostile_tempted(n, TRAIT_MOODY))
    return 0;
  return moods[draw_below(chance_of(n), sizeof moods / sizeof moods[0])];
}
