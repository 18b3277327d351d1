/* Messages: one payload for all devices of an account, and a slot with its key for each device.
 *
 * Sealing advances every session that it uses, opening the one that opens the message. A failed call changes
 * no session.
 *
 * To open a message, parse it and look up three things: the sessions whose tag keys it has
 * (sc_ratchet_envelope_has_tag), if a message with this mark was opened before, and, for a message that may
 * start a session, its starts (sc_ratchet_starts). Then:
 *
 * 1. sc_ratchet_open with those sessions.
 * 2. If it returned SC_ERR_RATCHET_OTHER or SC_ERR_RATCHET_DAMAGED, then for each start: if a session with
 * its start key is there, sc_ratchet_open_slot; else, if its start key was seen before, it is a duplicate;
 * else sc_ratchet_open_start with the prekeys of its generation.
 *
 * A device may reply only to SC_ERR_RATCHET_BROKEN: strangers and nodes cannot cause it. */
#ifndef SC_RATCHET_ENVELOPE_H
#define SC_RATCHET_ENVELOPE_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"
#include "device.h"
#include "session.h"

SC_API_BEGIN

#define SC_RATCHET_MIN_MESSAGE_BYTES 1024
#define SC_RATCHET_MAX_MESSAGE_BYTES 76800
#define SC_RATCHET_MAX_SLOTS 32
#define SC_RATCHET_MARK_BYTES 16

/* Borrows from the message. */
typedef struct sc_ratchet_envelope {
  sc_bytes message;
  bool has_starts; /* slots are long, and may start sessions */
  size_t slot_count;
  uint8_t digest[32]; /* begins with the mark, to be stored for 16 days after the message was opened */
} sc_ratchet_envelope;

/* Parses a message. SC_ERR_RATCHET_FORMAT if it is not one of this protocol. */
SC_API SC_NODISCARD sc_status sc_ratchet_envelope_parse(sc_ratchet_envelope *out, sc_bytes message);

/* True if a slot may be for the session that gave this tag key. */
SC_API bool sc_ratchet_envelope_has_tag(const sc_ratchet_envelope *envelope,
                                        const uint8_t tag_key[SC_AT_LEAST(16)]);

/* Seals a body (`body.h`) for the devices at the other ends of `sessions`, which advance. `places` has the
 * slot of each session, to reproduce recorded messages; NULL draws them. SC_ERR_ARGUMENT without sessions, or
 * if a session or place is given twice; SC_ERR_RATCHET_BODY for a body that no device would accept,
 * SC_ERR_TOO_LARGE over 32 sessions or SC_RATCHET_MAX_MESSAGE_BYTES, SC_ERR_RATCHET_CLOSED for a session that
 * cannot send. */
SC_API SC_NODISCARD sc_status sc_ratchet_seal(sc_buffer *out, const sc_env *env,
                                              sc_ratchet_session *const *sessions, size_t session_count,
                                              sc_bytes body, const uint8_t *places);

typedef struct sc_ratchet_open_options {
  uint64_t now_s;
  bool was_opened;    /* a message with this mark was opened before */
  size_t max_skipped; /* maximum number of skipped keys in the session; 0 for SC_RATCHET_MAX_SKIPPED */
} sc_ratchet_open_options;

/* Opens a message with one of these sessions, which advances. `*index` is its index, or after
 * SC_ERR_RATCHET_BROKEN that of the broken session. `out` is the body, which sc_ratchet_body_read has
 * accepted.
 *
 * SC_ERR_RATCHET_OTHER if no slot is for these sessions; SC_ERR_RATCHET_DAMAGED if one is but was forged or
 * damaged; SC_ERR_RATCHET_BODY for a genuine message whose body breaks a rule; SC_ERR_RATCHET_DUPLICATE if it
 * was opened before; SC_ERR_RATCHET_BROKEN if it is genuine and does not continue the session. */
SC_API SC_NODISCARD sc_status sc_ratchet_open(sc_buffer *out, size_t *index, const sc_env *env,
                                              const sc_ratchet_envelope *envelope,
                                              sc_ratchet_session *const *sessions, size_t session_count,
                                              const sc_ratchet_open_options *options);

/* The same with one session and one slot, ignoring its tag. */
SC_API SC_NODISCARD sc_status sc_ratchet_open_slot(sc_buffer *out, const sc_env *env,
                                                   const sc_ratchet_envelope *envelope, size_t slot,
                                                   sc_ratchet_session *session,
                                                   const sc_ratchet_open_options *options);

/* The start of a session in a slot, unverified. */
typedef struct sc_ratchet_start {
  size_t slot;
  uint32_t generation; /* generation of the prekeys used */
  uint16_t one_time;
  uint32_t started_s;
  uint8_t start_key[SC_KEY_BYTES]; /* identifies the start; store those seen as long as the generation */
  uint8_t ciphertext[SC_MLKEM768_CIPHERTEXT_BYTES];
  uint8_t identity[SC_RATCHET_CERTIFICATE_BYTES + 16];
} sc_ratchet_start;

/* Finds the slots that start a session with this device. `out` has room for SC_RATCHET_MAX_SLOTS. */
SC_API SC_NODISCARD sc_status sc_ratchet_starts(sc_ratchet_start *out, size_t *count,
                                                const sc_ratchet_envelope *envelope,
                                                const sc_ratchet_device *own);

/* Opens the message that starts a session. `prekeys` are those of the start's generation, NULL if they are
 * gone. `*sender` is the sender: store nothing if the program does not accept messages from that device.
 *
 * SC_ERR_RATCHET_LOST_START if the prekeys or the one-time prekey are gone, or it was started more than ten
 * minutes from now; SC_ERR_RATCHET_DAMAGED if anything is wrong with it; SC_ERR_RATCHET_BODY; and
 * SC_ERR_RATCHET_BROKEN, after which `*sender` is set too. */
SC_API SC_NODISCARD sc_status sc_ratchet_open_start(
    sc_buffer *out, sc_ratchet_session **session, sc_ratchet_certificate *sender, const sc_env *env,
    const sc_ratchet_envelope *envelope, const sc_ratchet_start *start, const sc_ratchet_device *own,
    const sc_ratchet_prekeys *prekeys, const sc_ratchet_open_options *options);

SC_API_END

#endif
