/* Rules broken on purpose, to see that the oracle would notice: each flaw falsifies something that the oracle
 * is shown, or something that nodes did, as if the code under test had done it. */
#ifndef SC_SIM_FLAW_H
#define SC_SIM_FLAW_H

#include "client.h"
#include "network/day.h"
#include "node.h"
#include "plan.h"
#include "session-core/network/storage_reply.h"

/* "twice"; and the flaw of a name, or FLAW_NONE. */
const char *flaw_name(flaw f);
flaw flaw_named(const char *name);

/* Breaks a rule in this world, which gets the time in which that can be seen. */
void flaw_plan(plan *p, flaw f);

/* True if this request is the one that goes wrong. */
bool flaw_hits(const client_call *a, flaw f);

/* Falsify what the oracle observes. */
void flaw_reply(const client_call *a, sc_network_reply *reply);
void flaw_status(const client *c, sc_network_status *status);
size_t flaw_paths(const client *c, sc_network_path *paths, size_t count);
uint32_t flaw_strikes(const client *c, const node *n, uint32_t strikes);
size_t flaw_memory(const client *c, size_t live);

/* A list of nodes that a client accepted, and the first day of one of its guards. */
void flaw_list(const world *w, sc_node *nodes, size_t count);
sc_day flaw_first_day(const world *w, sc_day first, sc_day today);

/* The size of a request. */
size_t flaw_size(const world *w, size_t size);

/* How many guards a client tried on a hostile line. */
size_t flaw_tried(const world *w, size_t count);

/* The guards of a client, in their order. */
void flaw_guards(const client *c, sc_network_guard *guards, size_t count);

/* True if a request is shown at a node outside its account's swarm; true if requests are shown as failed. */
bool flaw_leads_astray(const world *w);
bool flaw_loses(const world *w);

/* True if honest members are shown as hostile ones; true if what they give is lost. */
bool flaw_blinds(const world *w);
bool flaw_hides(const world *w);

/* True if a connection to a guard is shown as one to another node. */
bool flaw_strays(const world *w);

/* True if a request is shown as one that comes back to its first hop. */
bool flaw_returns(const world *w);

/* True if nodes admit members whose rights were revoked. */
bool flaw_admits(const world *w);

/* Changes what a node signed of a deletion. */
void flaw_signature(const world *w, const sc_storage_request *request, sc_storage_member *member);

/* Each second: nodes forget, or remember. */
void flaw_strike(world *w);

#endif
