/* Sessions: the keys that two devices share, which change with each message.
 *
 * A session is opaque; save it after each use and load it again, in the transaction of the message. The
 * program stores the keys of skipped messages separately: after a message was opened, the session reports
 * which were added and which removed. Getters borrow until the session is used or freed. */
#ifndef SC_RATCHET_SESSION_H
#define SC_RATCHET_SESSION_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"
#include "bundle.h"
#include "device.h"

SC_API_BEGIN

#define SC_RATCHET_STATE_BYTES 453
#define SC_RATCHET_PENDING_STATE_BYTES 1699
/* The maximum number of messages that one message may skip, and of skipped keys that a session keeps. */
#define SC_RATCHET_MAX_SKIP 1000
#define SC_RATCHET_MAX_SKIPPED 2000
/* A session with a stranger keeps fewer. */
#define SC_RATCHET_MAX_SKIPPED_STRANGER 100
/* The maximum number of messages sent without a reply from the other side. */
#define SC_RATCHET_MAX_CHAIN 0x80000000
#define SC_RATCHET_TAG_KEY_BYTES 16

typedef struct sc_ratchet_session sc_ratchet_session;

/* The key of a message that has not arrived yet. */
typedef struct sc_ratchet_skipped {
  uint8_t header_key[SC_KEY_BYTES];
  uint8_t message_key[SC_KEY_BYTES];
  uint32_t number;
  uint64_t skipped_s; /* when it was skipped; erase it 16 days later */
} sc_ratchet_skipped;

/* Starts a session with the device of a bundle. `one_time` is the place of one of its one-time prekeys, or
 * SC_RATCHET_NO_ONE_TIME; `started_s` is the time; it must be later than that of every session with the
 * device. SC_ERR_ARGUMENT for a withdrawal, another place or time 0, SC_ERR_KEY_INVALID for keys of small
 * order. */
SC_API SC_NODISCARD sc_status sc_ratchet_session_start(sc_ratchet_session **out, const sc_env *env,
                                                       const sc_ratchet_device *own,
                                                       const sc_ratchet_bundle *bundle, uint16_t one_time,
                                                       uint32_t started_s);

/* Loads a saved session with its skipped keys, oldest first. SC_ERR_RATCHET_STATE if the state was damaged or
 * belongs to a later version: treat the session as absent. SC_ERR_TOO_LARGE over SC_RATCHET_MAX_SKIPPED. */
SC_API SC_NODISCARD sc_status sc_ratchet_session_load(sc_ratchet_session **out, const sc_env *env,
                                                      sc_bytes state, const sc_ratchet_skipped *skipped,
                                                      size_t skipped_count);

/* Replaces `out` with the state, which is secret. */
SC_API SC_NODISCARD sc_status sc_ratchet_session_save(sc_buffer *out, const sc_ratchet_session *session);

/* Wipes and releases. NULL is allowed. */
SC_API void sc_ratchet_session_free(sc_ratchet_session *session);

/* Return the keys that the last opening added, and those it removed: the used one, and the oldest beyond the
 * limit. */
SC_API const sc_ratchet_skipped *sc_ratchet_session_added(const sc_ratchet_session *session, size_t *count);
SC_API const sc_ratchet_skipped *sc_ratchet_session_removed(const sc_ratchet_session *session, size_t *count);

/* Returns all skipped keys, oldest first. */
SC_API const sc_ratchet_skipped *sc_ratchet_session_skipped(const sc_ratchet_session *session, size_t *count);

/* Appends the keys by which slots for this session are recognised, SC_RATCHET_TAG_KEY_BYTES each. They change
 * when a message is opened. */
SC_API SC_NODISCARD sc_status sc_ratchet_session_tag_keys(sc_buffer *out, const sc_ratchet_session *session);

SC_API const sc_id *sc_ratchet_session_peer(const sc_ratchet_session *session);
SC_API const uint8_t *sc_ratchet_session_device(const sc_ratchet_session *session);
SC_API uint64_t sc_ratchet_session_started_s(const sc_ratchet_session *session);

/* Returns the 32 bytes that identify the start of the session, to both sides. */
SC_API const uint8_t *sc_ratchet_session_start_key(const sc_ratchet_session *session);

/* True if this device started the session; and if it has not heard from the other side since, so that
 * messages still carry the start. */
SC_API bool sc_ratchet_session_is_initiator(const sc_ratchet_session *session);
SC_API bool sc_ratchet_session_is_pending(const sc_ratchet_session *session);

/* False for a session that the other side started until its first message is opened, and at the end of a
 * chain. */
SC_API bool sc_ratchet_session_can_send(const sc_ratchet_session *session);

/* Orders sessions with one device: negative if `a` is older, positive if it is newer. */
SC_API int sc_ratchet_session_compare(const sc_ratchet_session *a, const sc_ratchet_session *b);

/* Return and record the latest sent time of received messages, in milliseconds, for display. Recording an
 * earlier one changes nothing. */
SC_API uint64_t sc_ratchet_session_heard_ms(const sc_ratchet_session *session);
SC_API void sc_ratchet_session_note_heard(sc_ratchet_session *session, uint64_t sent_ms);

SC_API_END

#endif
