#include "receive.h"

#include "../base/declassify.h"
#include "../base/little.h"
#include "session-core/base/secret.h"

/* An opened header. Its fields decide how to go on: they are no secret any more. */
typedef struct header {
  uint8_t key[SC_KEY_BYTES];
  uint32_t previous;
  uint32_t number;
} header;

static const size_t none = SIZE_MAX;

void sc_ratchet_receipt_init(sc_ratchet_receipt *out, const sc_env *env) {
  memset(out, 0, sizeof *out);
  sc_buffer_init(&out->added, env);
  out->used = none;
}

void sc_ratchet_receipt_free(sc_ratchet_receipt *receipt) {
  sc_buffer_free(&receipt->added);
  sc_wipe(receipt, sizeof *receipt);
}

static bool open_header(header *out, const uint8_t header_key[static 32], const sc_ratchet_letter *letter,
                        const sc_ratchet_associated *associated) {
  uint8_t bytes[sc_ratchet_header_bytes];
  if (!sc_ratchet_decrypt(bytes, header_key, letter->nonce, sc_bytes_make(associated->bytes, associated->len),
                          sc_bytes_make(letter->header, sc_ratchet_sealed_header_bytes)))
    return false;
  sc_declassify(bytes, sizeof bytes);
  memcpy(out->key, bytes, SC_KEY_BYTES);
  out->previous = sc_load_u32(bytes + SC_KEY_BYTES);
  out->number = sc_load_u32(bytes + SC_KEY_BYTES + 4);
  return true;
}

static bool same_key(const uint8_t a[static 32], const uint8_t b[static 32]) {
  bool same = sc_equal(a, b, SC_KEY_BYTES);
  sc_declassify(&same, sizeof same);
  return same;
}

static sc_status used_already(const sc_ratchet_open_options *options) {
  return options->was_opened ? SC_ERR_RATCHET_DUPLICATE : SC_ERR_RATCHET_BROKEN;
}

/* The index of a skipped key; `none` if it is not kept. */
static size_t find_skipped(const sc_ratchet_session *session, const uint8_t header_key[static 32],
                           uint32_t number) {
  const sc_ratchet_skipped *skipped = sc_ratchet_skipped_in(&session->skipped);
  for (size_t i = 0; i < sc_ratchet_skipped_count(&session->skipped); i++)
    if (skipped[i].number == number && same_key(skipped[i].header_key, header_key))
      return i;
  return none;
}

/* Tries the header keys of skipped messages, each once: those of one chain stand together. Returns one of
 * them that opens the header; NULL if there is none. */
static const uint8_t *try_skipped(header *out, const sc_ratchet_session *session,
                                  const sc_ratchet_letter *letter, const sc_ratchet_associated *associated) {
  const sc_ratchet_skipped *skipped = sc_ratchet_skipped_in(&session->skipped);
  const uint8_t *previous = NULL;
  for (size_t i = 0; i < sc_ratchet_skipped_count(&session->skipped); i++) {
    const uint8_t *header_key = skipped[i].header_key;
    if ((previous == NULL || !same_key(previous, header_key)) &&
        open_header(out, header_key, letter, associated))
      return header_key;
    previous = header_key;
  }
  return NULL;
}

/* Keeps the keys of the receiving chain up to `number`, which is not among them. */
static sc_status skip_to(sc_ratchet_receipt *r, uint32_t number, const sc_ratchet_open_options *options) {
  sc_ratchet_state *state = &r->state;
  if (number <= state->received)
    return SC_OK;
  uint32_t count = number - state->received;
  if (count > SC_RATCHET_MAX_SKIP)
    return SC_ERR_RATCHET_BROKEN;
  sc_status status = sc_buffer_reserve(&r->added, count * sizeof(sc_ratchet_skipped));
  if (status != SC_OK)
    return status;
  while (state->received < number && status == SC_OK) {
    sc_ratchet_skipped key;
    memset(&key, 0, sizeof key);
    memcpy(key.header_key, state->header_r, SC_KEY_BYTES);
    sc_ratchet_chain_step(state->chain_r, key.message_key);
    key.number = state->received++;
    key.skipped_s = options->now_s;
    status = sc_buffer_append(&r->added, sc_bytes_make(&key, sizeof key));
    sc_wipe(&key, sizeof key);
  }
  return status;
}

/* A root step against the peer's ratchet key. A key of small order is not one of a device of ours. */
static sc_status root_step(sc_ratchet_root *out, const sc_ratchet_state *state) {
  uint8_t agreed[SC_KEY_BYTES];
  sc_status status = sc_x25519(agreed, state->own_secret, state->peer_key);
  if (status == SC_OK)
    sc_ratchet_root_step(out, state->root, agreed);
  sc_wipe(agreed, sizeof agreed);
  return status == SC_OK ? SC_OK : SC_ERR_RATCHET_DAMAGED;
}

/* The peer answers with a new ratchet key, and so does this side from now on. */
static sc_status turn(sc_ratchet_receipt *r, const header *header, const sc_env *env) {
  sc_ratchet_state *state = &r->state;
  sc_ratchet_root step;
  memset(&step, 0, sizeof step);
  state->previous = state->sent;
  state->sent = state->received = 0;
  memcpy(state->header_s, state->next_header_s, SC_KEY_BYTES);
  memcpy(state->header_r, state->next_header_r, SC_KEY_BYTES);
  memcpy(state->peer_key, header->key, SC_KEY_BYTES);
  sc_status status = root_step(&step, state);
  if (status != SC_OK)
    return status;
  memcpy(state->root, step.root, SC_KEY_BYTES);
  memcpy(state->chain_r, step.chain, SC_KEY_BYTES);
  memcpy(state->next_header_r, step.next_header, SC_KEY_BYTES);
  sc_random(env, state->own_secret, SC_KEY_BYTES);
  r->has_stepped = true;
  status = root_step(&step, state);
  memcpy(state->root, step.root, SC_KEY_BYTES);
  memcpy(state->chain_s, step.chain, SC_KEY_BYTES);
  memcpy(state->next_header_s, step.next_header, SC_KEY_BYTES);
  state->flags |= sc_ratchet_has_chain_s | sc_ratchet_has_chain_r | sc_ratchet_has_peer_key |
                  sc_ratchet_has_header_s | sc_ratchet_has_header_r;
  sc_wipe(&step, sizeof step);
  return status;
}

static sc_status begin_new_chain(sc_ratchet_receipt *r, const header *header, const sc_env *env,
                                 const sc_ratchet_open_options *options) {
  sc_status status = SC_OK;
  if (sc_ratchet_state_has(&r->state, sc_ratchet_has_header_r))
    status = skip_to(r, header->previous, options);
  else if (header->previous != 0)
    status = SC_ERR_RATCHET_BROKEN;
  return status == SC_OK ? turn(r, header, env) : status;
}

/* Takes the message's key off the receiving chain. */
static sc_status advance(sc_ratchet_receipt *r, uint8_t message_key[static 32], uint32_t number,
                         const sc_ratchet_open_options *options) {
  if (number < r->state.received)
    return used_already(options);
  if (number == UINT32_MAX)
    return SC_ERR_RATCHET_BROKEN;
  sc_status status = skip_to(r, number, options);
  if (status == SC_OK) {
    sc_ratchet_chain_step(r->state.chain_r, message_key);
    r->state.received++;
  }
  return status;
}

/* Finds the key of the message: among those skipped, on the receiving chain, or on a new one. */
static sc_status find_key(sc_ratchet_receipt *r, uint8_t message_key[static 32],
                          const sc_ratchet_session *session, const sc_env *env,
                          const sc_ratchet_letter *letter, const sc_ratchet_associated *associated,
                          const sc_ratchet_open_options *options) {
  const sc_ratchet_state *state = &session->state;
  const bool has_header = sc_ratchet_state_has(state, sc_ratchet_has_header_r);
  header header;
  const uint8_t *header_key = try_skipped(&header, session, letter, associated);
  if (header_key != NULL) {
    r->used = find_skipped(session, header_key, header.number);
    if (r->used != none) {
      memcpy(message_key, sc_ratchet_skipped_in(&session->skipped)[r->used].message_key, SC_KEY_BYTES);
      return SC_OK;
    }
    if (!has_header || !same_key(header_key, state->header_r))
      return used_already(options);
  }
  if (header_key != NULL || (has_header && open_header(&header, state->header_r, letter, associated))) {
    if (!same_key(header.key, state->peer_key))
      return SC_ERR_RATCHET_BROKEN;
    return advance(r, message_key, header.number, options);
  }
  if (!open_header(&header, state->next_header_r, letter, associated))
    return SC_ERR_RATCHET_DAMAGED;
  sc_status status = begin_new_chain(r, &header, env, options);
  return status == SC_OK ? advance(r, message_key, header.number, options) : status;
}

/* The peer has answered, so it has the start. */
static void end_pending(sc_ratchet_state *state) {
  state->flags &= (uint8_t)~sc_ratchet_pending;
  state->generation = 0;
  state->one_time = 0;
  sc_wipe(state->ciphertext, sizeof state->ciphertext);
  sc_wipe(state->identity, sizeof state->identity);
}

sc_status sc_ratchet_receive(sc_ratchet_receipt *out, const sc_ratchet_session *session, const sc_env *env,
                             const sc_ratchet_envelope *envelope, size_t slot,
                             const sc_ratchet_open_options *options) {
  const sc_ratchet_letter letter = sc_ratchet_letter_in(envelope, slot);
  const sc_ratchet_associated associated =
      sc_ratchet_header_associated(session->state.transcript, envelope->digest);
  uint8_t message_key[SC_KEY_BYTES];
  sc_ratchet_cipher_key cipher;
  sc_buffer_clear(&out->added);
  out->state = session->state;
  out->used = none;
  out->has_stepped = false;
  sc_status status = find_key(out, message_key, session, env, &letter, &associated, options);
  if (status == SC_OK) {
    const sc_ratchet_associated with_header =
        sc_ratchet_key_associated(session->state.transcript, &letter, envelope->digest);
    sc_ratchet_message_key(&cipher, message_key, letter.nonce);
    if (!sc_ratchet_decrypt(out->payload_key, cipher.key, cipher.nonce,
                            sc_bytes_make(with_header.bytes, with_header.len),
                            sc_bytes_make(letter.key, sc_ratchet_sealed_key_bytes)))
      status = SC_ERR_RATCHET_DAMAGED;
    end_pending(&out->state);
    sc_wipe(&cipher, sizeof cipher);
  }
  sc_wipe(message_key, sizeof message_key);
  return status;
}

/* Moves the oldest keys to those removed until `most` are left. */
static void drop_oldest(sc_ratchet_session *session, size_t most) {
  size_t count = sc_ratchet_skipped_count(&session->skipped);
  size_t surplus = count > most ? count - most : 0;
  size_t bytes = surplus * sizeof(sc_ratchet_skipped);
  if (bytes == 0)
    return;
  sc_status status = sc_buffer_append(&session->removed, sc_bytes_make(session->skipped.ptr, bytes));
  (void)status; /* reserved */
  memmove(session->skipped.ptr, session->skipped.ptr + bytes, session->skipped.len - bytes);
  sc_buffer_truncate(&session->skipped, session->skipped.len - bytes);
}

/* Moves the key that was used to those removed. */
static void take_used(sc_ratchet_session *session, size_t used) {
  if (used == none)
    return;
  sc_ratchet_skipped *keys = sc_ratchet_skipped_in(&session->skipped);
  size_t after = sc_ratchet_skipped_count(&session->skipped) - used - 1;
  sc_status status = sc_buffer_append(&session->removed, sc_bytes_make(&keys[used], sizeof keys[used]));
  (void)status; /* reserved */
  memmove(&keys[used], &keys[used + 1], after * sizeof *keys);
  sc_buffer_truncate(&session->skipped, session->skipped.len - sizeof *keys);
}

sc_status sc_ratchet_receipt_commit(sc_ratchet_session *session, const sc_ratchet_receipt *receipt,
                                    const sc_ratchet_open_options *options) {
  size_t most = options->max_skipped == 0 || options->max_skipped > SC_RATCHET_MAX_SKIPPED
                    ? SC_RATCHET_MAX_SKIPPED
                    : options->max_skipped;
  sc_buffer_clear(&session->removed);
  session->added = 0;
  size_t used = receipt->used != none ? sizeof(sc_ratchet_skipped) : 0;
  size_t kept_bytes = session->skipped.len - used + receipt->added.len;
  size_t most_bytes = most * sizeof(sc_ratchet_skipped);
  size_t surplus = kept_bytes > most_bytes ? kept_bytes - most_bytes : 0;
  sc_status status = sc_buffer_reserve(&session->removed, used + surplus);
  if (status == SC_OK)
    status = sc_buffer_append(&session->skipped, sc_buffer_bytes(&receipt->added));
  if (status != SC_OK)
    return status;
  take_used(session, receipt->used);
  drop_oldest(session, most);
  size_t added = sc_ratchet_skipped_count(&receipt->added),
         kept = sc_ratchet_skipped_count(&session->skipped);
  session->added = added < kept ? added : kept;
  session->state = receipt->state;
  if (receipt->has_stepped)
    session->has_own_key = false;
  return SC_OK;
}
