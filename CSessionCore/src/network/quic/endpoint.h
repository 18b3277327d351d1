/* Shared by the files of the endpoint: its state, its connections (links), their streams, calls and requests.
 *
 * A link ends in two steps. sc_quic_link_end takes it from the program at once: calls complete, its number
 * finds nothing. The next send pass does the part that needs ngtcp2 or frees memory, because a link may end
 * inside one of ngtcp2's callbacks, in which ngtcp2 must not be called. */
#ifndef SC_NETWORK_QUIC_ENDPOINT_H
#define SC_NETWORK_QUIC_ENDPOINT_H

#include <ngtcp2/ngtcp2.h>

#include "../slots.h"
#include "../timers.h"
#include "admission.h"
#include "frame.h"
#include "id_table.h"
#include "memory.h"
#include "send_queue.h"
#include "session-core/network/quic.h"
#include "strays.h"
#include "tls.h"

enum {
  sc_quic_call_buckets_at_first = 64,
  sc_quic_most_reset_tokens = 4,
  sc_quic_active_ids = 8, /* connection ids that a peer may issue at once */
};

typedef struct sc_quic_link sc_quic_link;
typedef struct sc_quic_stream sc_quic_stream;

typedef enum sc_timer_kind {
  SC_QUIC_TIMER_LINK,
  SC_QUIC_TIMER_CALL,
  SC_QUIC_TIMER_SPARE,
} sc_timer_kind;

/* A call made by this side that waits for its reply. */
typedef struct sc_quic_pending_call {
  sc_slot slot;
  sc_timer timer;
  sc_quic_stream *stream;
  struct sc_quic_pending_call *next; /* in the same stream */
  struct sc_quic_pending_call *previous;
  struct sc_quic_pending_call *next_in_bucket;
  int64_t id;
  sc_quic_done done;
  void *user;
} sc_quic_pending_call;

/* A request of a peer that waits for a reply. */
typedef struct sc_quic_pending_request {
  sc_slot slot;
  sc_quic_stream *stream;
  struct sc_quic_pending_request *next; /* in the same stream */
  struct sc_quic_pending_request *previous;
  int64_t id;
} sc_quic_pending_request;

struct sc_quic_stream {
  sc_quic_link *link;
  int64_t id;          /* -1 until it can be opened */
  uint32_t number;     /* its number in the API */
  bool blocked;        /* by the peer's flow control of this stream */
  bool send_closed;    /* nothing more can be sent */
  bool receive_closed; /* nothing more is read */
  bool ended;          /* the peer has finished sending */
  bool fin_sent;
  sc_quic_frame_reader reader;
  size_t held; /* bytes kept unread by the reader, for which the peer got no credit */
  sc_quic_send_queue queue;
  int64_t next_call_id;
  sc_quic_pending_call *calls;
  uint32_t call_count;
  sc_quic_pending_request *requests;
};

/* The remains of a closed link: enough to answer late packets with the same close. */
typedef struct sc_quic_remains {
  size_t id_count;
  ngtcp2_cid *ids;
  size_t close_len;
  uint8_t close[sc_quic_stray_bytes];
  uint64_t heard; /* packets received since then */
  sc_address local;
  sc_address peer;
} sc_quic_remains;

typedef enum sc_quic_ending {
  SC_QUIC_END_NONE,
  SC_QUIC_END_CLOSE,  /* with `close` */
  SC_QUIC_END_DRAIN,  /* the peer closed: keep quiet for a while */
  SC_QUIC_END_SILENT, /* the peer is gone, or never replied */
} sc_quic_ending;

struct sc_quic_link {
  sc_slot slot;
  sc_timer timer;
  sc_quic_endpoint *endpoint;
  ngtcp2_conn *quic;
  sc_quic_tls_session tls;
  sc_quic_link *next_ready;
  sc_quic_events events;
  sc_bytes protocol;   /* until the handshake starts */
  sc_quic_host *host;  /* for accepted links */
  ngtcp2_cid first_id; /* for accepted links: the client's first id for this side */
  bool accepted;
  bool ready; /* in the queue of links with work */
  bool told;  /* the program must be notified with `closed` */
  bool open;
  bool confirmed;
  bool measured;             /* a round trip was measured */
  bool out_of_data;          /* the peer's flow control for all streams is exhausted */
  bool reset;                /* closed by a stateless reset */
  bool has_key;              /* the peer's key is known, in `key` */
  bool holding;              /* reading is paused: too much waits for a reply or to be sent */
  bool refusing;             /* that did not change for too long: requests are read and refused */
  uint8_t ending;            /* an sc_quic_ending */
  uint8_t key[SC_KEY_BYTES]; /* the peer's key; before the handshake of an own link, the expected one */
  sc_status failure;         /* the failure found by a callback, more specific than ngtcp2's codes */
  uint64_t close_code;
  bool close_is_transport;
  uint32_t stream_count;
  uint32_t turn; /* index of the stream that sends next */
  sc_quic_stream *streams[SC_QUIC_MAX_STREAMS];
  uint32_t call_count;
  uint32_t request_count;
  size_t send_memory;
  size_t answer_memory; /* the part that replies take */
  uint64_t held_since;
  size_t receive_memory;
  uint8_t reset_tokens[sc_quic_most_reset_tokens][sc_quic_reset_token_bytes]; /* tokens in the table */
  uint32_t reset_token_count;
  bool had_first_stream;
  bool others_answer; /* the peer replied on another stream than the first */
  bool first_alone;   /* the peer seems to read only the first */
  uint64_t idle_close;
  uint64_t last_use;
  sc_quic_remains *remains; /* if set, everything else is freed */
};

typedef struct sc_quic_named_handler {
  uint8_t name_len;
  uint8_t name[SC_QUIC_MAX_COMMAND_BYTES];
  sc_quic_handler handler;
  void *user;
} sc_quic_named_handler;

struct sc_quic_endpoint {
  const sc_env *env;
  sc_quic_memory memory;
  sc_quic_options options;
  sc_quic_tls tls;
  const sc_quic_security *security;
  uint8_t secret[32]; /* key of retry and reset tokens */
  uint64_t now;
  bool stopped;
  sc_slots links;
  sc_slots calls;
  sc_slots requests;
  sc_timers timers;
  sc_quic_id_table ids;
  sc_quic_segments segments;
  sc_quic_blocks blocks;
  sc_timer spare_timer; /* when spare segments and blocks are dropped */
  sc_quic_pending_call **buckets;
  size_t bucket_count;
  sc_quic_link *first_ready;
  sc_quic_link *last_ready;
  uint32_t live; /* live links */
  sc_quic_admission admission;
  sc_quic_strays strays;
  sc_quic_named_handler *handlers; /* NULL until needed */
  size_t handler_count;
  sc_quic_counts counts;
};

/* endpoint.c */
void sc_quic_ready(sc_quic_link *link);

/* link.c: the life of a connection */
SC_NODISCARD sc_status sc_quic_link_accept(sc_quic_endpoint *endpoint, const ngtcp2_path *path,
                                           const ngtcp2_pkt_hd *head, const ngtcp2_cid *original_id,
                                           sc_quic_host *host, sc_quic_link **out);
void sc_quic_link_end(sc_quic_link *link, sc_quic_ending ending, sc_status reason);
void sc_quic_link_close(sc_quic_link *link, uint64_t code, sc_status reason);
void sc_quic_link_conclude(sc_quic_link *link, sc_outbox *out);
void sc_quic_link_free(sc_quic_link *link);
void sc_quic_link_set_timer(sc_quic_link *link);
/* True if it has been unused for its whole idle timeout. */
bool sc_quic_link_is_idle(const sc_quic_link *link);
/* Handles the result of an ngtcp2 call: ends the link if it failed or ran out of memory. */
void sc_quic_link_check(sc_quic_link *link, int error);

/* callbacks.c: events from ngtcp2 */
void sc_quic_fill_callbacks(ngtcp2_callbacks *out);

/* input.c: received datagrams */
void sc_quic_input(sc_quic_endpoint *endpoint, const sc_datagrams *run);

/* output.c: sent datagrams */
bool sc_quic_output_has_room(const sc_outbox *out);
void sc_quic_output_add(sc_outbox *out, const ngtcp2_path *path, uint8_t ecn, size_t len);
/* Writes packets of a link. False if nothing more can be sent now; true if the outbox is full. */
bool sc_quic_link_write(sc_quic_link *link, sc_outbox *out);

/* stream.c */
SC_NODISCARD sc_status sc_quic_stream_new(sc_quic_stream **out, sc_quic_link *link, int64_t id,
                                          uint32_t number);
void sc_quic_stream_free(sc_quic_stream *stream);
void sc_quic_stream_open_waiting(sc_quic_link *link);
/* Ends calls with `reason`; requests can no longer be replied to. */
void sc_quic_stream_abandon(sc_quic_stream *stream, sc_status reason);
SC_NODISCARD sc_status sc_quic_stream_receive(sc_quic_stream *stream, sc_bytes bytes);
/* The body of the frame is copied unless it is lent. */
SC_NODISCARD sc_status sc_quic_stream_send(sc_quic_stream *stream, const sc_quic_frame *frame,
                                           sc_quic_lender lender);
/* The peer acknowledged the next `len` bytes. */
void sc_quic_stream_acknowledged(sc_quic_stream *stream, size_t len);
/* True if too many requests of the peer wait for a reply, or too many reply bytes for the peer. */
bool sc_quic_link_owes_too_much(const sc_quic_link *link);
/* Updates that state after the peer acknowledged replies or a request got its reply. */
void sc_quic_link_owes_less(sc_quic_link *link);
/* When reading continues even without a change; SC_NEVER unless it is held. */
uint64_t sc_quic_link_held_until(const sc_quic_link *link);
/* Continues reading if it was held and may continue. */
void sc_quic_link_resume(sc_quic_link *link);
void sc_quic_stream_close(sc_quic_stream *stream, sc_status reason, uint64_t code);
/* The peer has finished sending on the stream. */
void sc_quic_stream_ended(sc_quic_stream *stream);

/* call.c: calls made from here */
void sc_quic_call_complete(sc_quic_pending_call *call, const sc_quic_result *result);
void sc_quic_call_fail(sc_quic_pending_call *call, sc_status status);
void sc_quic_call_time_out(sc_quic_pending_call *call);
void sc_quic_call_answered(sc_quic_stream *stream, const sc_quic_frame *frame);

/* request.c: requests from peers */
SC_NODISCARD sc_status sc_quic_request_received(sc_quic_stream *stream, const sc_quic_frame *frame);
void sc_quic_request_forget(sc_quic_pending_request *request);

/* Starts a key update. SC_ERR_STATE while the last update is in progress, and for accepted connections, whose
 * keys the peer updates. */
SC_NODISCARD sc_status sc_quic_update_keys(sc_quic_endpoint *endpoint, uint64_t now,
                                           sc_quic_connection connection);

#endif
