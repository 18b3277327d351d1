/* A network client: finds nodes, maintains onion paths to them, and sends requests over these paths to
 * storage nodes and servers.
 *
 * It opens no sockets or files, reads no clock and starts no thread. Drive it like any endpoint
 * (sc_network_driven), or let a runtime do so (runtime/network_host.h). Its knowledge of the network is lost
 * when it is freed, unless the program stores files for it: sc_network_events reports when to write one.
 *
 * `now` is the driver's monotonic clock in nanoseconds. Wall time is in milliseconds since 1970; report it
 * whenever it may have been set. Callbacks run during a call of the program or of the driver. They may make
 * and cancel requests and inspect everything here; they may not suspend, forget or free the network, nor
 * close its connections. Their arguments are borrowed until they return. One thread at a time. */
#ifndef SC_NETWORK_CLIENT_H
#define SC_NETWORK_CLIENT_H

#include "node_options.h"
#include "onion_server.h"
#include "quic.h"
#include "storage_nodes.h"

SC_API_BEGIN

/* Upper bounds of the options. */
#define SC_NETWORK_MAX_ATTEMPTS 16 /* of a request, or to reach a guard */

typedef struct sc_network sc_network;

/* Identifies a request until it is done; never 0, never reused. */
typedef uint64_t sc_network_ticket;

/* Requests of different categories share no path, so that large files do not delay messages.
 *
 * Nor do requests of different local accounts, or of one account for different targets: no last hop learns
 * that one client reads two mailboxes, or reads one and posts to a server. */
typedef enum sc_network_category {
  SC_NETWORK_STANDARD,
  SC_NETWORK_FILE,
} sc_network_category;
#define SC_NETWORK_CATEGORIES 2

/* The purpose of a path, besides the local account. */
typedef enum sc_network_target {
  SC_NETWORK_FOR_NETWORK, /* lists, times, and requests about no account and of no local account */
  SC_NETWORK_FOR_SWARM,   /* requests about one account */
  SC_NETWORK_FOR_SERVER,  /* requests to one server */
  SC_NETWORK_FOR_FILE,    /* requests of the file category to a server, for one file */
} sc_network_target;

/* -- Requests ------------------------------------------------------------------------------------------ */

typedef enum sc_network_destination {
  SC_NETWORK_TO_SWARM = 1, /* a node of the swarm of the request's account */
  SC_NETWORK_TO_NODE,      /* one node */
  SC_NETWORK_TO_ANY_NODE,  /* a random node, for requests without an account */
  SC_NETWORK_TO_SERVER,    /* a server, through the last hop of a path */
} sc_network_destination;

typedef struct sc_network_reply {
  /* SC_OK: the destination replied with a success code. SC_ERR_REQUEST_FAILED: it replied with another code.
   * Otherwise: no reply, or one that must be ignored. */
  sc_status status;
  int code; /* from the destination, or from the hop that failed; 0 if unknown */
  /* The reply of the destination, for sc_storage_reply_parse or, with code 421, for sc_storage_swarm_parse.
   * Empty without a reply, or if other nodes should have been called after it but could not be. */
  sc_bytes body;
  const sc_node *node; /* the node that replied to a storage request; NULL if none did */
  /* The members of the called swarm in the list of nodes, for sc_storage_reply_verify. */
  sc_storage_keepers keepers;
  /* The reply headers of a server. */
  const sc_onion_header *headers;
  size_t header_count;
  sc_onion_body kind;
  uint32_t attempts; /* number of attempts */
} sc_network_reply;

typedef void (*sc_network_done)(void *user, sc_network_ticket ticket, const sc_network_reply *reply);

typedef struct sc_network_request {
  sc_network_destination to;
  const sc_storage_request *storage; /* for requests to nodes */
  uint8_t node[SC_KEY_BYTES];        /* for SC_NETWORK_TO_NODE: its Ed25519 key */
  const sc_onion_server *server;     /* for SC_NETWORK_TO_SERVER: the server and … */
  const sc_onion_request *http;      /* … the HTTP request */
  sc_network_category category;
  uint64_t local_account; /* the local account on whose behalf it is made, a number chosen by the program; 0:
                             none, which shares paths with all other requests without one */
  bool small;             /* does not queue behind large requests */
  bool alone;             /* never joins a batch with other requests */
  bool interactive;  /* a person is waiting: sent again if the reply is slow and the request is repeatable */
  bool repeatable;   /* to a server: may be sent twice; GET, HEAD, PUT and DELETE always may */
  uint64_t timeout;  /* nanoseconds for each attempt, from sending; 0: options.request_timeout */
  uint64_t overall;  /* nanoseconds from now for everything, including waiting; 0: no limit */
  uint32_t attempts; /* number of attempts; 0: the default for this destination */
  sc_network_done done; /* called exactly once if sc_network_send succeeds, never during it; may be NULL */
  void *user;
} sc_network_request;

/* Sends a request over a path of its local account and target as soon as a guard is connected. The arguments
 * are read before the call returns. `out` may be NULL.
 *
 * Requests of one local account and category to one account leave in the order of the calls, except for
 * retries. Read requests, and store requests, may leave together in one batch, unless `alone`; each still has
 * its own reply. The calls of a batch of a local account must all be about one account: SC_ERR_STORAGE_BATCH.
 *
 * SC_ERR_ARGUMENT for contradictory arguments; SC_ERR_NETWORK_SUSPENDED; SC_ERR_NETWORK_FULL if a limit of
 * the options is reached; SC_ERR_STORAGE_PARAMETER, SC_ERR_STORAGE_BATCH, SC_ERR_ONION_REQUEST,
 * SC_ERR_ONION_URL and SC_ERR_TOO_LARGE for a request that cannot be encoded; SC_ERR_NO_MEMORY. A request to
 * a server with an unsafe key ends with SC_ERR_KEY_INVALID. */
SC_API SC_NODISCARD sc_status sc_network_send(sc_network_ticket *out, sc_network *network, uint64_t now,
                                              const sc_network_request *request);

/* Ends a request with SC_ERR_REQUEST_CANCELLED before the call returns. SC_ERR_NOT_FOUND. */
SC_API SC_NODISCARD sc_status sc_network_cancel(sc_network *network, uint64_t now, sc_network_ticket ticket);

/* Finds the nodes of an account's swarm, and fetches them if none is known. `nodes` is sorted by failures,
 * fewest first. SC_ERR_NETWORK_SUSPENDED, SC_ERR_NETWORK_FULL, SC_ERR_NO_MEMORY; `status` is
 * SC_ERR_NETWORK_NO_NODES if there are none. `out` may be NULL, `found` may not: SC_ERR_ARGUMENT. */
typedef void (*sc_network_swarm_found)(void *user, sc_network_ticket ticket, sc_status status,
                                       const sc_node *nodes, size_t count);
SC_API SC_NODISCARD sc_status sc_network_find_swarm(sc_network_ticket *out, sc_network *network, uint64_t now,
                                                    const uint8_t account[SC_AT_LEAST(33)],
                                                    sc_network_swarm_found found, void *user);

/* -- Events --------------------------------------------------------------------------------------------- */

typedef enum sc_network_state {
  SC_NETWORK_OFFLINE,
  SC_NETWORK_CONNECTING,
  SC_NETWORK_CONNECTED, /* a guard is connected, and not all requests have failed since */
} sc_network_state;

typedef struct sc_network_status {
  sc_network_state state;
  /* While not connected: SC_ERR_NETWORK_NO_LINK, _DOWN, _NO_NODES or _NO_PATH, another failure, or SC_OK. */
  sc_status why;
  /* While no guard replies: when one more may be tried, by the driver's clock; 0 if that does not help. */
  uint64_t next_guard_at;
  bool clock_is_known;  /* true if the offset was measured */
  int64_t clock_offset; /* milliseconds to add to the clock of this machine */
  bool fork_is_known;
  uint16_t fork[2]; /* hard fork and revision */
} sc_network_status;

/* The files that the program stores for a network. */
typedef enum sc_network_file {
  SC_NETWORK_POOL_FILE,       /* the known nodes; the time of writing matters */
  SC_NETWORK_STRIKES_FILE,    /* failures of nodes and their times */
  SC_NETWORK_OLD_GUARDS_FILE, /* the guards in use, for older programs */
  SC_NETWORK_GUARDS_FILE,     /* the guards; losing this file costs privacy */
} sc_network_file;

typedef struct sc_network_events {
  void *user;
  /* The status has changed. */
  void (*status)(void *user, const sc_network_status *status);
  /* The paths have changed: see sc_network_paths. */
  void (*paths)(void *user);
  /* A file should be written soon, with the result of sc_network_save. */
  void (*save)(void *user, sc_network_file file);
} sc_network_events;

/* -- Options -------------------------------------------------------------------------------------------- */

/* Times are in nanoseconds. */
typedef struct sc_network_options {
  sc_node_options nodes; /* its pointers must outlive the network */
  sc_network_events events;
  sc_hop_cipher cipher;

  /* Paths */
  uint32_t path_length;   /* hops, 1 to SC_ONION_MAX_HOPS; fewer in networks with too few nodes */
  uint64_t path_life;     /* how long a path is used, from its first use, give or take a fifth; 0: no limit */
  uint32_t guard_retries; /* attempts at each guard before requests fail; at most SC_NETWORK_MAX_ATTEMPTS */
  uint64_t guard_timeout; /* timeout of the handshake with a guard */

  /* Requests */
  uint64_t request_timeout;
  uint64_t probe_timeout; /* for the network's own requests: lists and times */
  uint64_t retry_delay;   /* delay before the first retry, not 0; doubles with each attempt … */
  uint64_t max_retry_delay;
  uint32_t swarm_attempts; /* attempts, each at another node of the swarm; 1 to SC_NETWORK_MAX_ATTEMPTS */
  uint32_t repeatable_attempts; /* attempts for other repeatable requests; likewise */
  uint32_t redirect_retries;    /* retries after a node redirects an account to another swarm; likewise */
  /* Requests of one account within this time may leave as one batch; 0: never. At most request_timeout. */
  uint64_t gather;
  /* An interactive, repeatable request is sent again over another path if there is no reply after three times
   * the median round trip and at least `hedge_min`, or after `hedge_initial` while no round trip is known;
   * never if that is 0. If two attempts are silent, a third follows after half of that time. At most a
   * quarter of the attempts of a minute, after its first sixteen, are repeated this way. */
  uint64_t hedge_min;
  uint64_t hedge_initial;

  /* Clock */
  uint32_t clock_nodes; /* nodes to query for the time, at most three, and as many again if they do not agree;
                           0: none */
  uint64_t clock_min_interval; /* minimum time between two measurements on resuming, or because a node or
                                  server replied that the clock is wrong */

  /* Limits */
  uint32_t max_requests;    /* unfinished requests */
  size_t max_bytes;         /* size of unfinished requests */
  uint32_t max_connections; /* connections to nodes */

  /* After the start, resuming, or an outage, each local account begins after a random delay up to this, so
   * that nodes cannot tell that accounts share a client; interactive requests, and those without an account,
   * are sent at once. At most an hour; none by default in a private network, whose operator sees all accounts
   * anyway. */
  uint64_t start_spread;
} sc_network_options;

/* Sets the defaults of official clients. In a private network, which may be small, the nodes of a path may be
 * near each other. */
SC_API void sc_network_options_default(sc_network_options *out, sc_network_kind kind);

/* -- Lifetime ------------------------------------------------------------------------------------------- */

/* Creates a suspended network: load its files, then resume it. SC_ERR_ARGUMENT for options that contradict
 * each other or exceed the limits above. */
SC_API SC_NODISCARD sc_status sc_network_new(sc_network **out, const sc_env *env,
                                             const sc_network_options *options);

/* Ends unfinished requests with SC_ERR_NETWORK_CLOSED. NULL is allowed. */
SC_API void sc_network_free(sc_network *network);

/* Returns the endpoint to drive, valid as long as the network. */
SC_API sc_driven sc_network_driven(sc_network *network);

/* Sets the wall time at `now`; from then on it is derived from the driver's clock. Call it first of all, on
 * resuming, and whenever the machine's clock may have been set. */
SC_API void sc_network_set_wall(sc_network *network, uint64_t now, uint64_t wall_ms);

/* Starts, or continues after sc_network_suspend. With `build`, guards are connected at once instead of for
 * the first request. */
SC_API void sc_network_resume(sc_network *network, uint64_t now, bool build);

/* Ends all requests with SC_ERR_NETWORK_SUSPENDED, closes all connections, and refuses requests until
 * resumed. Write the files then. */
SC_API void sc_network_suspend(sc_network *network, uint64_t now);

/* Closes all connections. Requests in flight end with SC_ERR_NETWORK_CLOSED, others keep waiting. */
SC_API void sc_network_close_connections(sc_network *network, uint64_t now);

/* The link of this machine to other networks. */
typedef enum sc_network_link {
  SC_NETWORK_LINK_DOWN,
  SC_NETWORK_LINK_UP, /* again, or another one */
} sc_network_link;

/* Reports what the host knows of the link; without reports it is up. Without a link requests wait and no
 * failure counts; another one has the guards tried at once, at most every ten seconds. */
SC_API void sc_network_note_link(sc_network *network, uint64_t now, sc_network_link link);

/* Reads a stored file; `written` is the time of writing in milliseconds since 1970. Unreadable records are
 * left out. The file of guards may be read again before it is written, to merge what other processes wrote.
 * SC_ERR_NODE_FILE for a file without usable content, which should be deleted; SC_ERR_TOO_LARGE,
 * SC_ERR_NO_MEMORY. */
SC_API SC_NODISCARD sc_status sc_network_load(sc_network *network, uint64_t now, sc_network_file file,
                                              sc_bytes bytes, uint64_t written);

/* Replaces `out` with the content of such a file. */
SC_API SC_NODISCARD sc_status sc_network_save(sc_buffer *out, sc_network *network, sc_network_file file);

/* Writes the default name of a file of this network, with a NUL. */
#define SC_NETWORK_FILE_NAME_BYTES 104
SC_API void sc_network_file_name(char out[SC_AT_LEAST(104)], const sc_network *network, sc_network_file file);

/* Deletes all nodes except seeds, and all strikes. The guards stay. */
SC_API void sc_network_forget(sc_network *network, uint64_t now);

/* Replaces the guards with others, which will learn this client's address. Call it only if a person asks for
 * it. Changes nothing while no nodes are known: SC_ERR_NETWORK_NO_NODES. */
SC_API SC_NODISCARD sc_status sc_network_reset_guards(sc_network *network, uint64_t now);

/* -- Inspection ----------------------------------------------------------------------------------------- */

SC_API void sc_network_inspect(sc_network_status *out, const sc_network *network);

/* Returns the time for messages: the machine's, corrected by the times of nodes. */
SC_API uint64_t sc_network_time(const sc_network *network, uint64_t now);

/* The activity of one local account, for example to show why its requests wait. */
typedef struct sc_network_account {
  size_t requests;    /* unfinished */
  size_t in_flight;   /* requests of these in flight */
  size_t paths;       /* paths that take requests */
  uint64_t begins_at; /* when requests that no person waits for begin, by the driver's clock: see
                         start_spread; 0 if they do not wait */
} sc_network_account;

SC_API void sc_network_inspect_account(sc_network_account *out, const sc_network *network,
                                       uint64_t local_account);

typedef enum sc_network_path_state {
  SC_NETWORK_PATH_ACTIVE,
  SC_NETWORK_PATH_DRAINING, /* takes no more requests, and closes after the last reply */
} sc_network_path_state;

typedef struct sc_network_path {
  uint64_t id;
  uint64_t local_account; /* 0: none */
  sc_network_target target;
  sc_network_category category;
  sc_network_path_state state;
  sc_node nodes[SC_ONION_MAX_HOPS]; /* the guard first */
  uint32_t length;
  uint32_t requests; /* in flight */
  uint32_t failures; /* destinations without a reply since one last replied over it */
} sc_network_path;

/* Fills in up to `capacity` paths and returns their number. */
SC_API size_t sc_network_paths(sc_network_path *out, size_t capacity, const sc_network *network);

typedef enum sc_network_guard_state {
  SC_NETWORK_GUARD_IDLE,
  SC_NETWORK_GUARD_CONNECTING,
  SC_NETWORK_GUARD_CONNECTED,
} sc_network_guard_state;

#define SC_NETWORK_MAX_GUARDS 9

/* A guard: one of the few nodes that may be the first hop of paths. Days are counted from 1970; 0 is none. */
typedef struct sc_network_guard {
  sc_node node; /* only its key is known if it is not listed */
  sc_network_guard_state state;
  bool is_listed;
  bool is_primary;  /* one of the three that are tried first */
  bool is_in_use;   /* new paths begin with it */
  bool is_set_back; /* used after the others for a week */
  uint32_t sampled_day;
  uint32_t confirmed_day; /* when a destination first replied over it */
  uint32_t end_day;
} sc_network_guard;

/* Fills in up to `capacity` guards in the order in which they are used, and returns their number, at most
 * SC_NETWORK_MAX_GUARDS. */
SC_API size_t sc_network_guards(sc_network_guard *out, size_t capacity, sc_network *network);

/* The kinds of changes to a node that is a guard, a middle (the second hop of paths) or neither. */
typedef enum sc_network_change_kind {
  SC_NETWORK_GUARD_DRAWN,
  SC_NETWORK_GUARD_CONFIRMED, /* a destination replied over it for the first time */
  SC_NETWORK_GUARD_UNLISTED,  /* it is not used until it is listed again */
  SC_NETWORK_GUARD_LISTED,
  SC_NETWORK_GUARD_SET_BACK, /* it is used after the others for a week */
  SC_NETWORK_GUARD_LEFT,     /* it is no longer a guard */
  SC_NETWORK_MIDDLE_DRAWN,
  SC_NETWORK_MIDDLE_LEFT,
  SC_NETWORK_NODE_SET_ASIDE, /* it is not used for some time */
} sc_network_change_kind;

typedef enum sc_network_change_reason {
  SC_NETWORK_REASON_START,  /* there were none */
  SC_NETWORK_REASON_LOSS,   /* there were none although nodes are known from before: their file was lost */
  SC_NETWORK_REASON_NEED,   /* too few could be used */
  SC_NETWORK_REASON_AGE,    /* its lifetime is over, or that of the one it replaces */
  SC_NETWORK_REASON_LISTS,  /* it left the list of nodes, or is in it again */
  SC_NETWORK_REASON_PATHS,  /* paths over it failed while others worked */
  SC_NETWORK_REASON_REPLY,  /* a destination replied */
  SC_NETWORK_REASON_FILE,   /* another process wrote it to the file of guards */
  SC_NETWORK_REASON_PERSON, /* the program called sc_network_reset_guards */
} sc_network_change_reason;

typedef struct sc_network_change {
  uint64_t number; /* counts up from 1 */
  uint64_t time;   /* milliseconds since 1970, by this machine's clock */
  sc_network_change_kind kind;
  sc_network_change_reason reason;
  uint8_t node[SC_KEY_BYTES];
} sc_network_change;

/* Names in a word or two, such as "guard drawn" and "age"; "" for a number that is none. */
SC_API const char *sc_network_change_kind_name(sc_network_change_kind kind);
SC_API const char *sc_network_change_reason_name(sc_network_change_reason reason);

#define SC_NETWORK_MAX_CHANGES 64

/* Fills in up to `capacity` changes since the network was created, newest first, and returns the number of
 * recorded changes, at most SC_NETWORK_MAX_CHANGES. */
SC_API size_t sc_network_changes(sc_network_change *out, size_t capacity, const sc_network *network);

typedef struct sc_network_counts {
  size_t nodes;        /* known nodes */
  size_t usable_nodes; /* known nodes that may be used */
  size_t requests;     /* unfinished requests */
  size_t queued[SC_NETWORK_CATEGORIES];
  size_t gathering;
  size_t in_flight; /* in flight; a batch counts as one */
  size_t bytes;
  size_t connections;
  bool refreshing;
  /* Counts since the network was created. */
  uint64_t sent;   /* attempts … */
  uint64_t hedges; /* … including those sent in parallel to another */
  uint64_t succeeded;
  uint64_t failed;
  uint64_t retries;
  uint64_t redirects;
  uint64_t batches;
  uint64_t built_paths;
  uint64_t retired_paths;
  uint64_t ignored; /* late replies, and replies not written by the destination */
} sc_network_counts;

SC_API void sc_network_count(sc_network_counts *out, const sc_network *network);

/* Returns the current strikes of a node. */
SC_API uint32_t sc_network_node_strikes(const sc_network *network, const uint8_t key[SC_AT_LEAST(32)]);

SC_API_END

#endif
