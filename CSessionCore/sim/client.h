/* A client: the core's own network, driven in virtual time, and the person who uses it. */
#ifndef SC_SIM_CLIENT_H
#define SC_SIM_CLIENT_H

#include "driver.h"
#include "message_transport.h"
#include "polls.h"
#include "session-core/crypto/subaccount.h"
#include "session-core/network/client.h"
#include "session-core/network/storage_reply.h"

typedef struct client client;

enum { client_namespaces = 5, client_seeds = 3, client_members = 2, client_most_kept = 8, client_files = 4 };

/* The account of a client; each has one. */
typedef struct account {
  sc_keypair keys;
  uint8_t id[SC_STORAGE_ACCOUNT_BYTES];
} account;

/* A member of a group of another client, and the rights that the owner granted it. */
typedef struct group_member {
  sc_keypair keys;
  uint8_t access[SC_SUBACCOUNT_ACCESS_BYTES];
  uint8_t token[SC_STORAGE_TOKEN_BYTES];
  bool revoking;     /* that its rights be taken back was asked for */
  bool unrevoking;   /* and that it have them again */
  uint64_t revoked;  /* when that was acknowledged */
  uint32_t *signers; /* honest nodes that did */
  size_t signer_count;
} group_member;

/* The group of a client; each has one, made at its first use. */
typedef struct group {
  bool made;
  sc_keypair keys;
  uint8_t id[SC_STORAGE_ACCOUNT_BYTES];
  group_member members[client_members];
} group;

typedef enum client_call_kind {
  CALL_STORE,    /* something of one's own */
  CALL_SEND,     /* into another client's inbox */
  CALL_RETRIEVE, /* one's own */
  CALL_SERVER,
  CALL_INFO,
  CALL_DELETE, /* something that was stored before */
  CALL_DELETE_ALL,
  CALL_DELETE_BEFORE,
  CALL_EXPIRE, /* another life for something */
  CALL_EXPIRE_ALL,
  CALL_EXPIRIES,
  CALL_MEMBER_STORE,    /* as a member of a group, in its swarm */
  CALL_MEMBER_RETRIEVE, /* the same */
  CALL_REVOKE,          /* as the owner of it */
  CALL_UNREVOKE,
  CALL_REVOKED,
  CALL_SWARM,
  CALL_NODES,
  CALL_NAME,
  CALL_BATCH,
  CALL_SEQUENCE,
  CALL_BRANCH,
  CALL_POLL, /* one's inbox, at the member whose turn it is */
} client_call_kind;
enum { client_call_kind_count = 23, client_call_most_inner = 3 };

const char *client_call_kind_name(client_call_kind kind);

/* One request, from when it is made until the oracle is done with it. */
typedef struct client_call {
  client *by;
  client_call_kind kind;
  uint64_t number; /* in the world, from 1 */
  uint64_t made_at;
  uint64_t overall; /* 0 for none */
  sc_network_ticket ticket;
  size_t done;       /* how often it was completed */
  uint64_t ended_at; /* the first time; 0 before */
  sc_storage_request request;
  blob *data; /* that the request borrows, as it does these: */
  char hash[SC_STORAGE_HASH_CHARS + 1];
  sc_bytes hashes[1];
  uint64_t expiries[1];
  uint8_t tokens[1][SC_STORAGE_TOKEN_BYTES];
  sc_storage_request inner[client_call_most_inner];
  group_member *member;             /* on whose behalf, or of whom */
  uint8_t member_key[SC_KEY_BYTES]; /* of the swarm, for CALL_POLL */
  struct client_call *next;
} client_call;

/* A client's allocations. */
typedef struct client_memory {
  size_t live;
  size_t most;
  draws chance; /* its randomness */
} client_memory;

/* Something of its own that was stored at the first attempt, so that no copy of it is on its way any more. */
typedef struct kept_hash {
  char hash[SC_STORAGE_HASH_CHARS + 1];
  int16_t number;
} kept_hash;

struct client {
  world *world;
  uint32_t index;
  wire_host host;
  client_memory memory;
  sc_env env;
  draws chance;
  sc_network_options options;
  sc_node seeds[client_seeds];
  driver driver;
  message_transport transport; /* unless the plan says QUIC */
  sc_network *network;         /* NULL while its program does not run */
  account account;
  group group;
  kept_hash kept[client_most_kept]; /* the newest, a ring */
  size_t kept_count;                /* so far */
  int64_t clock_ms;                 /* that its clock is ahead */
  bool suspended;
  client_call *calls; /* open ones */
  size_t open;
  poll poll;
  size_t to_make; /* requests */
  char last_hash[client_namespaces][SC_STORAGE_HASH_CHARS + 1];
  uint32_t last_hash_node[client_namespaces]; /* that said it, + 1 */
  sc_buffer files[client_files];              /* its saved files … */
  uint64_t written;                           /* … since when, by its clock */
  uint64_t fine_since;       /* it could have been connected since then, or it was connected then */
  bool has_connected;        /* since then */
  uint64_t measured_at;      /* the last measurement of its clock, by the driver's time */
  uint64_t called_at;        /* the time of its last request */
  uint64_t redirects_before; /* of programs that have ended */
  bool blemished;            /* something was, at some time */
};

/* Makes it, without starting it. `c` stays where it is. */
void client_init(client *c, world *w, uint32_t index);
void client_free(client *c);

/* Starts the program, from the files that were kept, and lets it connect. */
void client_start(client *c);
void client_stop(client *c);
void client_suspend(client *c);
void client_resume(client *c);

/* Its line is cut, or there again. */
void client_cut(client *c, bool cut);

/* The hosts of some clients notice what happens to their line, and tell the network. */
bool client_knows_link(const client *c);
void client_tell_link(client *c);

uint64_t client_wall(const client *c);

/* Anything was told to its network: it has to be driven. */
void client_woken(void *user);

/* Makes one request at random; false when the network takes none. In workload.c. */
bool client_ask(client *c);

/* Reads its mailbox at the next member; false when that is not possible now. */
bool client_poll(client *c);

/* Fills in the request, by its kind; false when the client has nothing to make one about. In requests.c. */
bool client_prepare(client_call *a);
void client_prepare_to_retrieve_all(client_call *a);

/* Handles the reply to one of the client's requests. In replies.c. */
void client_take_reply(client_call *a, const sc_network_reply *reply);

/* The namespaces that clients use; the first is the inbox. Those behind client_first_swept are swept now and
 * then. */
enum { client_first_swept = 3 };
extern const int16_t client_numbers[client_namespaces];

/* Makes requests now and then, until none are left to make; and injects the client's faults. */
void client_live(client *c);

/* Asks for everything that is kept for it, and, where all has been well for a while, has something deleted.
 */
void client_ask_for_all(client *c);
void client_ask_to_delete(client *c);

/* Frees what is left of requests. */
void client_drop_asks(client *c);

#endif
