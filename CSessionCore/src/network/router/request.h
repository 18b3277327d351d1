/* A request from when it is made until it is done, and the parcels in which requests travel.
 *
 * Every request is in one parcel at any time. A parcel holds one request, or several of one account that
 * leave together as one batch; it waits, is sent, and is sent again, as a whole. */
#ifndef SC_SRC_NETWORK_ROUTER_REQUEST_H
#define SC_SRC_NETWORK_ROUTER_REQUEST_H

#include "../paths/paths.h"
#include "../quic/slots.h"

/* What may travel together: requests that do not change what the others see. */
typedef enum sc_request_kind {
  SC_REQUEST_ALONE,
  SC_REQUEST_READS,
  SC_REQUEST_STORES,
} sc_request_kind;

typedef struct sc_parcel sc_parcel;
typedef struct sc_attempt sc_attempt;

/* Nodes that several requests between them have asked, none twice. */
enum { sc_asked_nodes_most = 24 };

typedef struct sc_asked_nodes {
  uint8_t keys[sc_asked_nodes_most][SC_KEY_BYTES];
  size_t count;
} sc_asked_nodes;

enum { sc_parcel_most_in_flight = 3 }; /* attempts at once: two dead nodes in a row are not rare */

typedef struct sc_request {
  sc_quic_slot slot;
  sc_quic_timer timer; /* the end of its time */
  sc_parcel *parcel;
  struct sc_request *next; /* in the parcel */
  sc_network_done done;
  sc_network_swarm_found found; /* of those who ask for a swarm only */
  void *user;
  uint64_t overall_at; /* SC_NEVER for none */
  size_t place;        /* among those that its parcel was sent with */
  size_t reply_bytes;  /* that may come back, as far as it can be told */
  sc_bytes text;       /* a call in JSON, or the payload for a server */
  uint8_t *memory;     /* of text, and of what a server's parcel borrows */
  /* The accounts of a batch that was made by the caller, in its order. */
  uint8_t (*accounts)[SC_STORAGE_ACCOUNT_BYTES];
  size_t account_count;
  bool own; /* the network asks it for itself */
} sc_request;

typedef enum sc_parcel_state {
  SC_PARCEL_GATHERING,    /* more requests may join, until its timer is due */
  SC_PARCEL_QUEUED,       /* for a path */
  SC_PARCEL_AWAITS_NODES, /* until the pool was refreshed */
  SC_PARCEL_AWAITS_RETRY, /* until its timer is due */
  SC_PARCEL_AWAITS_CLOCK, /* fails as soon as the clock was measured */
  SC_PARCEL_SENT,         /* an attempt is on its way; until its timer is due it is waited for alone */
  SC_PARCEL_OVERDUE,      /* the same, and a further one is to leave as soon as there is a path */
  SC_PARCEL_FAILED,       /* its requests are failed in the next step */
  SC_PARCEL_ENDING,       /* in no list: its requests are being completed, one by one */
} sc_parcel_state;

struct sc_parcel {
  struct sc_network *network;
  sc_parcel *next; /* in the list of its state, and of its category when queued */
  sc_parcel **link;
  sc_parcel_state state;
  sc_quic_timer timer;
  sc_refresh_waiter waiter;
  sc_request *first;
  sc_request **last;
  size_t count;
  size_t text_bytes;
  size_t reply_bytes;

  /* What its requests have in common. */
  sc_network_whom to;
  sc_request_kind kind;
  sc_network_category category;
  bool small;
  bool finds_swarm; /* and calls no node */
  bool has_account; /* the one that it is about */
  uint8_t account[SC_STORAGE_ACCOUNT_BYTES];
  uint8_t node[SC_KEY_BYTES];
  sc_onion_server server; /* its texts are in the memory of its request */
  uint64_t timeout;
  bool may_hedge;        /* a person waits for it, and doing it twice does no harm */
  uint64_t pinned;       /* the path it must take; 0 for any */
  sc_asked_nodes *apart; /* NULL, or whom it and others do not ask twice; it outlives the parcel */

  /* What has become of it. */
  uint32_t attempts;
  uint32_t most_attempts;
  uint32_t redirects;
  uint8_t tried[SC_NETWORK_MAX_ATTEMPTS][SC_KEY_BYTES];
  size_t tried_count;
  sc_status why; /* it failed last time */
  int code;
  bool refreshed; /* the pool, for the sake of it */

  sc_node target; /* the node that was asked, of the attempt that came back last */
  bool has_target;

  /* What is on its way. */
  sc_attempt *in_flight[sc_parcel_most_in_flight]; /* the oldest first */
  size_t in_flight_count;
  size_t sent_count; /* requests in it, those included that ended since */
  bool lost_one;     /* of several attempts; another may take its place, and is no hedge */
  sc_status ending;  /* SC_OK, or the status its requests get when it comes back */
};

/* A list of parcels. */
typedef struct sc_parcels {
  sc_parcel *first;
  sc_parcel **last;
  size_t count;
} sc_parcels;

void sc_parcels_init(sc_parcels *list);
void sc_parcels_append(sc_parcels *list, sc_parcel *parcel);
void sc_parcels_push_front(sc_parcels *list, sc_parcel *parcel);
void sc_parcels_remove(sc_parcels *list, sc_parcel *parcel);

/* Puts a request behind the others of a parcel, and takes one out of it. */
void sc_parcel_add(sc_parcel *parcel, sc_request *request);
void sc_parcel_take(sc_parcel *parcel, sc_request *request);

/* Whether a node was asked before by this parcel, or by it or those it keeps apart from. */
bool sc_parcel_has_asked(const sc_parcel *parcel, const uint8_t key[static SC_KEY_BYTES]);
bool sc_parcel_has_tried(const sc_parcel *parcel, const uint8_t key[static SC_KEY_BYTES]);
void sc_parcel_note_tried(sc_parcel *parcel, const uint8_t key[static SC_KEY_BYTES]);

#endif
