/* A request until its completion, and the deliveries in which requests travel.
 *
 * Every request is in exactly one delivery. A delivery has one request, or several of one account that are
 * sent as one batch; it waits, is sent and is retried as a whole. */
#ifndef SC_SRC_NETWORK_ROUTER_REQUEST_H
#define SC_SRC_NETWORK_ROUTER_REQUEST_H

#include "../draft.h"
#include "../paths/paths.h"
#include "../slots.h"
#include "heard.h"

typedef struct sc_delivery sc_delivery;
typedef struct sc_attempt sc_attempt;

/* Nodes called by a group of requests, each only once. */
enum { sc_called_nodes_most = 24 };

typedef struct sc_called_nodes {
  uint8_t keys[sc_called_nodes_most][SC_KEY_BYTES];
  size_t count;
} sc_called_nodes;

enum { sc_delivery_most_in_flight = 3 }; /* attempts at once: two dead nodes in a row are not rare */

typedef struct sc_request {
  sc_slot slot;
  sc_timer timer; /* its timeout */
  sc_delivery *delivery;
  struct sc_request *next; /* in the delivery */
  sc_network_done done;
  sc_network_swarm_found found; /* only for requests for a swarm */
  void *user;
  uint64_t overall_at; /* SC_NEVER for none */
  size_t place;        /* its index in the batch that was sent */
  size_t reply_bytes;  /* estimated size of the reply */
  sc_bytes text;       /* a call in JSON, or the payload for a server */
  uint8_t *memory;     /* memory of the text and of data that a server's delivery borrows */
  /* The accounts of a batch that was made by the caller, in its order. */
  uint8_t (*accounts)[SC_STORAGE_ACCOUNT_BYTES];
  size_t account_count;
  bool own; /* made by the network itself */
} sc_request;

typedef enum sc_delivery_state {
  SC_DELIVERY_GATHERING,    /* more requests may join, until its timer is due */
  SC_DELIVERY_QUEUED,       /* for a path */
  SC_DELIVERY_AWAITS_NODES, /* until the pool was refreshed */
  SC_DELIVERY_AWAITS_RETRY, /* until its timer is due */
  SC_DELIVERY_AWAITS_CLOCK, /* fails as soon as the clock was measured */
  SC_DELIVERY_SENT,         /* an attempt is on its way; until its timer is due it is waited for alone */
  SC_DELIVERY_OVERDUE,      /* the same, and a further one is to leave as soon as there is a path */
  SC_DELIVERY_FAILED,       /* its requests are failed in the next step */
  SC_DELIVERY_ENDING,       /* in no list: its requests are being completed, one by one */
} sc_delivery_state;

struct sc_delivery {
  struct sc_network *network;
  sc_delivery *next; /* in the list of its state, and if queued of its category */
  sc_delivery **link;
  sc_delivery_state state;
  sc_timer timer;
  sc_refresh_waiter waiter;
  sc_request *first;
  sc_request **last;
  size_t count;
  size_t text_bytes;
  size_t reply_bytes;

  /* The common values of its requests. */
  sc_network_destination to;
  sc_request_kind kind;
  sc_network_category category;
  bool small;
  bool finds_swarm; /* only looks up a swarm */
  bool has_account; /* true if it is about one account */
  uint8_t account[SC_STORAGE_ACCOUNT_BYTES];
  uint8_t node[SC_KEY_BYTES];
  sc_onion_server server; /* its strings are in the memory of its request */
  uint64_t timeout;
  bool is_repeatable;     /* safe to do twice */
  bool is_interactive;    /* a person is waiting */
  bool may_hedge;         /* the same, and safe to do twice */
  sc_path_key path_key;   /* key of the paths that it may take */
  sc_called_nodes *apart; /* NULL, or nodes that related requests called; outlives the delivery */

  /* Its progress. */
  uint32_t attempts;
  uint32_t most_attempts;
  uint32_t clock_complaints; /* nodes that called the clock wrong */
  uint32_t redirects;        /* redirects, beyond the usual attempts */
  uint32_t refusals;         /* members that replied that the account is elsewhere */
  bool was_not_refreshed;    /* the list was not refreshed despite that */
  bool has_hint;             /* `hint_from` named the account's swarm … */
  bool is_hint_agreed;       /* … and another member agreed */
  bool has_followed;         /* true if the hint was followed once */
  uint64_t hint;
  sc_node hint_from;
  uint8_t tried[SC_NETWORK_MAX_ATTEMPTS][SC_KEY_BYTES];
  size_t tried_count;
  sc_heard_list heard;
  sc_status why; /* reason of the last failure */
  int code;
  bool refreshed; /* true if the pool was refreshed for it */

  sc_node target; /* the node called by the last finished attempt */
  bool has_target;

  /* The attempts in flight. */
  sc_attempt *in_flight[sc_delivery_most_in_flight]; /* the oldest first */
  size_t in_flight_count;
  size_t sent_count; /* requests in it, including those that ended since */
  bool lost_one;     /* true if one of several attempts was lost; its replacement is no hedge */
  sc_status ending;  /* SC_OK, or the status its requests get when it comes back */
};

/* A list of deliveries. */
typedef struct sc_deliveries {
  sc_delivery *first;
  sc_delivery **last;
  size_t count;
} sc_deliveries;

void sc_deliveries_init(sc_deliveries *list);
void sc_deliveries_append(sc_deliveries *list, sc_delivery *delivery);
void sc_deliveries_push_front(sc_deliveries *list, sc_delivery *delivery);
void sc_deliveries_remove(sc_deliveries *list, sc_delivery *delivery);

/* Append a request to a delivery, and remove one. */
void sc_delivery_add(sc_delivery *delivery, sc_request *request);
void sc_delivery_take(sc_delivery *delivery, sc_request *request);

/* Returns its local account and swarm; it must have an account. */
sc_swarm_key sc_delivery_swarm_key(const sc_delivery *delivery);

/* True if this delivery, or one that it must stay apart from, has tried the node. */
bool sc_delivery_has_called(const sc_delivery *delivery, const uint8_t key[static SC_KEY_BYTES]);
bool sc_delivery_has_tried(const sc_delivery *delivery, const uint8_t key[static SC_KEY_BYTES]);
void sc_delivery_note_tried(sc_delivery *delivery, const uint8_t key[static SC_KEY_BYTES]);

#endif
