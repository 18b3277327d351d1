/* A client of the network: finds nodes, keeps onion paths to them, and sends requests over those to storage
 * nodes and servers.
 *
 * It opens no socket or file, reads no clock and starts no thread. Drive it as any endpoint
 * (sc_network_driven), or let a runtime do so (runtime/network_host.h). What it knows of the network outlives
 * it only in files that the program keeps for it: it says when one should be written (sc_network_events).
 *
 * `now` is the driver's clock, nanoseconds that never go back; wall time is milliseconds since 1970, and is
 * told whenever it may have been set. One thread at a time. Callbacks run inside a call of the program or of
 * the driver. They may make and cancel requests and look at everything here; they may not suspend, forget or
 * free the network, nor close its connections. What they are given is borrowed until they return. */
#ifndef SC_NETWORK_CLIENT_H
#define SC_NETWORK_CLIENT_H

#include "node_options.h"
#include "onion_server.h"
#include "quic.h"
#include "storage_request.h"

SC_API_BEGIN

/* Limits that no option goes beyond. */
#define SC_NETWORK_MAX_PATHS 16    /* active ones of one category */
#define SC_NETWORK_MAX_ATTEMPTS 16 /* of a request, or to build a path */

typedef struct sc_network sc_network;

/* Names a request until it is done; never 0, never used twice. */
typedef uint64_t sc_network_ticket;

/* Requests of different categories share no path, so that a large file delays no message. */
typedef enum sc_network_category {
  SC_NETWORK_STANDARD,
  SC_NETWORK_FILE,
} sc_network_category;
#define SC_NETWORK_CATEGORIES 2

/* -- Requests ------------------------------------------------------------------------------------------ */

typedef enum sc_network_whom {
  SC_NETWORK_TO_SWARM = 1, /* a node of the swarm of the request's account */
  SC_NETWORK_TO_NODE,      /* one node */
  SC_NETWORK_TO_ANY_NODE,  /* a node at random, for what is about no account */
  SC_NETWORK_TO_SERVER,    /* a server, by the last hop of a path */
} sc_network_whom;

typedef struct sc_network_reply {
  /* SC_OK: the destination answered, with a code of success. SC_ERR_REQUEST_FAILED: it answered, with another
   * code. Anything else: no reply, or one that must not be acted on. */
  sc_status status;
  int code; /* of the destination, or of the hop that failed; 0 if unknown */
  /* Of the destination, for sc_storage_reply_parse, or with 421 for sc_storage_swarm_parse. Empty when it did
   * not answer, or when others were to be asked after it, and could not be. */
  sc_bytes body;
  const sc_node *node; /* that answered, of storage requests; NULL when none did */
  /* Of servers. */
  const sc_onion_header *headers;
  size_t header_count;
  sc_onion_body kind;
  uint32_t attempts; /* that were made */
} sc_network_reply;

typedef void (*sc_network_done)(void *user, sc_network_ticket ticket, const sc_network_reply *reply);

typedef struct sc_network_request {
  sc_network_whom to;
  const sc_storage_request *storage; /* to nodes */
  uint8_t node[SC_KEY_BYTES];        /* of SC_NETWORK_TO_NODE: its Ed25519 key */
  const sc_onion_server *server;     /* of SC_NETWORK_TO_SERVER, with … */
  const sc_onion_request *http;      /* … the request for it */
  sc_network_category category;
  bool small;           /* does not queue behind large requests */
  bool alone;           /* is never put into one batch with other requests */
  bool interactive;     /* somebody waits: made a second time when no answer came for long, if it may be */
  bool repeatable;      /* to a server: doing it twice does no harm; GET, HEAD, PUT, DELETE never do */
  uint64_t timeout;     /* nanoseconds for each attempt, from when it leaves; 0: options.request_timeout */
  uint64_t overall;     /* nanoseconds from now on for everything, waiting included; 0: none */
  uint32_t attempts;    /* at most this many; 0: as many as is usual for whom it goes to */
  sc_network_done done; /* called exactly once if sc_network_send succeeds, never inside it; may be NULL */
  void *user;
} sc_network_request;

/* Sends a request, over a path, when there is one. Everything it points at is read before this returns. `out`
 * may be NULL.
 *
 * Requests of one category to one account leave in the order in which they were made, but for those that
 * have to leave once more. Those that only read, and those that only store, may leave together in one batch,
 * unless `alone`; each still has its own reply.
 *
 * SC_ERR_ARGUMENT for a request that contradicts itself; SC_ERR_NETWORK_SUSPENDED; SC_ERR_NETWORK_FULL when
 * a limit of the options is reached; SC_ERR_STORAGE_PARAMETER, SC_ERR_STORAGE_BATCH, SC_ERR_ONION_REQUEST,
 * SC_ERR_ONION_URL and SC_ERR_TOO_LARGE for what cannot be written; SC_ERR_NO_MEMORY. A server for whose key
 * nothing can be sealed ends the request with SC_ERR_KEY_INVALID. */
SC_API SC_NODISCARD sc_status sc_network_send(sc_network_ticket *out, sc_network *network, uint64_t now,
                                              const sc_network_request *request);

/* Ends a request with SC_ERR_REQUEST_CANCELLED before this returns. SC_ERR_NOT_FOUND. */
SC_API SC_NODISCARD sc_status sc_network_cancel(sc_network *network, uint64_t now, sc_network_ticket ticket);

/* Returns the known nodes of an account's swarm, and fetches them when none is known. `nodes` is sorted from
 * those that failed least. SC_ERR_NETWORK_SUSPENDED, SC_ERR_NETWORK_FULL, SC_ERR_NO_MEMORY; `status` is
 * SC_ERR_NETWORK_NO_NODES when there are none to tell. `out` may be NULL, but not `found`: SC_ERR_ARGUMENT.
 */
typedef void (*sc_network_swarm_found)(void *user, sc_network_ticket ticket, sc_status status,
                                       const sc_node *nodes, size_t count);
SC_API SC_NODISCARD sc_status sc_network_find_swarm(sc_network_ticket *out, sc_network *network, uint64_t now,
                                                    const uint8_t account[SC_AT_LEAST(33)],
                                                    sc_network_swarm_found found, void *user);

/* -- What happens --------------------------------------------------------------------------------------- */

typedef enum sc_network_state {
  SC_NETWORK_OFFLINE,
  SC_NETWORK_CONNECTING,
  SC_NETWORK_CONNECTED, /* there is a path for requests of the standard category */
} sc_network_state;

typedef struct sc_network_status {
  sc_network_state state;
  sc_status why;        /* of the last failure, while not connected; SC_OK when there was none */
  bool clock_is_known;  /* the offset was measured */
  int64_t clock_offset; /* milliseconds to add to this machine's clock */
  bool fork_is_known;
  uint16_t fork[2]; /* hard fork and revision */
} sc_network_status;

/* What the program keeps in files for a network. */
typedef enum sc_network_file {
  SC_NETWORK_POOL_FILE,    /* the nodes that are known; the time it was written counts */
  SC_NETWORK_STRIKES_FILE, /* which of them failed when */
  SC_NETWORK_EDGES_FILE,   /* the first hops of paths */
} sc_network_file;

typedef struct sc_network_events {
  void *user;
  /* Something in the status is not as it was. */
  void (*status)(void *user, const sc_network_status *status);
  /* The paths are not as they were: see sc_network_paths. */
  void (*paths)(void *user);
  /* A file should be written soon, with what sc_network_save gives. */
  void (*save)(void *user, sc_network_file file);
} sc_network_events;

/* -- Options -------------------------------------------------------------------------------------------- */

/* Times are in nanoseconds. */
typedef struct sc_network_options {
  sc_node_options nodes; /* what it points at must outlive the network */
  sc_network_events events;
  sc_hop_cipher cipher;

  /* Paths. */
  uint32_t path_length;                       /* hops, 1 to SC_ONION_MAX_HOPS */
  uint32_t paths[SC_NETWORK_CATEGORIES];      /* that there should be */
  uint32_t most_paths[SC_NETWORK_CATEGORIES]; /* that there may be, when a request fits none of those */
  bool single_path;                           /* one for everything */
  bool share_nodes;                           /* paths may, and are shorter, where there are too few nodes */
  uint32_t path_strikes;                      /* at which it is given up */
  uint64_t path_strike_decay;                 /* one is forgiven after this long; 0: never */
  uint32_t path_build_retries;                /* at most SC_NETWORK_MAX_ATTEMPTS */
  uint64_t path_rotation;                     /* 0: never */
  uint64_t path_rotation_retry;               /* also until paths that could not be built are; not 0 */
  uint64_t edge_timeout;                      /* of the handshake with a first hop */
  uint64_t edge_patience;                     /* before another is tried beside it; 0: never */
  uint32_t stand_ins;                         /* that are tried so at once, of each category */

  /* Requests. */
  uint64_t request_timeout;
  uint64_t probe_timeout; /* of what the network asks for itself: lists, times, tests of paths */
  uint64_t retry_delay;   /* not 0; doubles with each attempt … */
  uint64_t retry_delay_most;
  uint32_t swarm_attempts;      /* each at another node of the swarm; 1 to SC_NETWORK_MAX_ATTEMPTS */
  uint32_t repeatable_attempts; /* of other interactive requests that may be repeated; likewise */
  uint32_t redirect_retries;    /* after a node said that the account is elsewhere; at most so many, too */
  /* Requests of one account that come so close together may leave as one batch; 0: never. At most
   * request_timeout. */
  uint64_t gather;
  /* An interactive request that may be repeated is made again over another path when it was not answered for
   * three times the median round trip, at least `hedge_least`, or before any trip is known for
   * `hedge_unknown`; never when that is 0. When two are silent the third leaves after half of that. At most
   * one attempt in four of a minute, but for its first sixteen, is such a one. */
  uint64_t hedge_least;
  uint64_t hedge_unknown;

  /* Clock. */
  uint32_t clock_nodes;        /* to query for the time; 0: none */
  uint64_t clock_min_interval; /* between two measurements on resuming */

  /* Limits. */
  uint32_t most_requests;    /* not done */
  size_t most_bytes;         /* of what they ask; no more are taken when it is reached */
  uint32_t most_connections; /* to nodes */
} sc_network_options;

/* What official clients use. For a private network, which may be small, one path is enough for each category,
 * and paths may share nodes. */
SC_API void sc_network_options_default(sc_network_options *out, sc_network_kind kind);

/* -- Life ----------------------------------------------------------------------------------------------- */

/* Suspended: load the files, then resume. SC_ERR_ARGUMENT for options that contradict each other or the
 * limits above. */
SC_API SC_NODISCARD sc_status sc_network_new(sc_network **out, const sc_env *env,
                                             const sc_network_options *options);

/* Ends what is left with SC_ERR_NETWORK_CLOSED. NULL is allowed. */
SC_API void sc_network_free(sc_network *network);

/* How to drive it, as long as it lives. */
SC_API sc_driven sc_network_driven(sc_network *network);

/* What the machine's clock shows at `now`: from here on it is counted with the driver's. Tell it before
 * anything else, when resuming, and whenever the machine's clock may have been set. */
SC_API void sc_network_set_wall(sc_network *network, uint64_t now, uint64_t wall_ms);

/* Begins, or goes on after sc_network_suspend. With `build`, paths are made at once and not for the first
 * request. */
SC_API void sc_network_resume(sc_network *network, uint64_t now, bool build);

/* Ends all requests with SC_ERR_NETWORK_SUSPENDED, closes all connections, and takes no requests until it is
 * resumed. The files should be written then. */
SC_API void sc_network_suspend(sc_network *network, uint64_t now);

/* Closes all connections; requests that were on their way end with SC_ERR_NETWORK_CLOSED, others wait on. */
SC_API void sc_network_close_connections(sc_network *network, uint64_t now);

/* Whether nothing more is to be sent after sc_network_suspend. */
SC_API bool sc_network_is_quiet(const sc_network *network);

/* Reads a file that was kept; `written` is when, in milliseconds since 1970. What cannot be read of it is
 * left out. SC_ERR_NODE_FILE for a file of no use, which should be removed; SC_ERR_TOO_LARGE,
 * SC_ERR_NO_MEMORY. */
SC_API SC_NODISCARD sc_status sc_network_load(sc_network *network, uint64_t now, sc_network_file file,
                                              sc_bytes bytes, uint64_t written);

/* Replaces `out` with what such a file should hold. */
SC_API SC_NODISCARD sc_status sc_network_save(sc_buffer *out, sc_network *network, sc_network_file file);

/* The usual name of a file of this network, with a NUL. */
#define SC_NETWORK_FILE_NAME_BYTES 104
SC_API void sc_network_file_name(char out[SC_AT_LEAST(104)], const sc_network *network, sc_network_file file);

/* Forgets all nodes but the seeds, all strikes and all first hops. */
SC_API void sc_network_forget(sc_network *network, uint64_t now);

/* Forgives all nodes. */
SC_API void sc_network_clear_strikes(sc_network *network, uint64_t now);

/* -- What there is to see ------------------------------------------------------------------------------- */

SC_API void sc_network_inspect(sc_network_status *out, const sc_network *network);

/* The time to put into messages: the machine's, corrected by what nodes said. */
SC_API uint64_t sc_network_time(const sc_network *network, uint64_t now);

typedef enum sc_network_path_state {
  SC_NETWORK_PATH_BUILDING,
  SC_NETWORK_PATH_ACTIVE,
  SC_NETWORK_PATH_DRAINING, /* takes no more requests, and goes with the last reply */
} sc_network_path_state;

typedef struct sc_network_path {
  uint64_t id;
  sc_network_category category;
  sc_network_path_state state;
  sc_node nodes[SC_ONION_MAX_HOPS]; /* the first hop first; of one that is being built perhaps none */
  uint32_t length;
  uint32_t requests; /* on their way */
  uint32_t strikes;
} sc_network_path;

/* Fills in up to `capacity` paths and says how many there are. */
SC_API size_t sc_network_paths(sc_network_path *out, size_t capacity, const sc_network *network);

typedef struct sc_network_counts {
  size_t nodes;        /* known */
  size_t usable_nodes; /* of them, not left alone */
  size_t requests;     /* not done */
  size_t queued[SC_NETWORK_CATEGORIES];
  size_t gathering;
  size_t in_flight; /* a batch is one */
  size_t bytes;
  size_t connections;
  bool refreshing;
  /* Since it was made. */
  uint64_t sent;   /* attempts … */
  uint64_t hedges; /* … and those of them that left beside another */
  uint64_t succeeded;
  uint64_t failed;
  uint64_t retries;
  uint64_t redirects;
  uint64_t batches;
  uint64_t built_paths;
  uint64_t retired_paths;
  uint64_t ignored; /* late replies, and replies the destination did not write */
} sc_network_counts;

SC_API void sc_network_count(sc_network_counts *out, const sc_network *network);

/* Strikes of a node that still count. */
SC_API uint32_t sc_network_node_strikes(const sc_network *network, const uint8_t key[SC_AT_LEAST(32)]);

SC_API_END

#endif
