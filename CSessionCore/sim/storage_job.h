/* A storage request at a node: judged, carried out, passed on to the others of the swarm, and answered.
 *
 * Requests come in groups: the whole call is a group of one, and each batch or sequence in it is a group of
 * its own. */
#ifndef SC_SIM_STORAGE_JOB_H
#define SC_SIM_STORAGE_JOB_H

#include "base/arena.h"
#include "node.h"
#include "session-core/network/storage_answer.h"
#include "session-core/network/storage_reply.h"
#include "session-core/node/storage.h"

/* Called once. The body is borrowed. */
typedef void (*storage_sink)(void *user, const sc_storage_answer *answer, sc_storage_body kind);

/* Something that a result borrows from, freed with the job. */
typedef struct storage_kept {
  struct storage_kept *next;
  blob *bytes; /* or NULL */
  bool has_reply;
  sc_storage_parsed_reply reply;
} storage_kept;

typedef struct storage_job storage_job;
typedef struct storage_group storage_group;

struct storage_group {
  storage_job *job;
  storage_group *outer; /* NULL for the whole call */
  const sc_storage_request *requests;
  size_t count;
  bool in_order; /* and only as long as all goes well */
  sc_storage_result *results;
  size_t begun;
  size_t pending;
  bool going;              /* requests are being begun */
  sc_storage_result *into; /* receives the result of the whole group */
};

struct storage_job {
  node *at;
  uint64_t tag;
  bool forwarded; /* by another node of the swarm */
  sc_storage_parsed_request parsed;
  blob *bytes; /* that it was parsed from */
  sc_arena arena;
  storage_kept *kept;
  sc_storage_result result;
  storage_sink sink;
  void *user;
};

typedef struct storage_call {
  uint64_t tag;
  bool forwarded;
  blob *bytes; /* that `parsed` borrows; shared */
  storage_sink sink;
  void *user;
} storage_call;

/* Takes the parsed request. */
void storage_job_begin(node *n, sc_storage_parsed_request *parsed, const storage_call *call);

/* Of the job's arena; never NULL. */
void *storage_job_take(storage_job *job, size_t count, size_t each);
sc_bytes storage_job_copy(storage_job *job, sc_bytes bytes);
void storage_job_keep_blob(storage_job *job, blob *bytes);
void storage_job_keep_reply(storage_job *job, blob *bytes, const sc_storage_parsed_reply *reply);

/* One request of the group, begun before, has its result. */
void storage_group_advance(storage_group *group);

/* Each of these carries out one request of a group. True if the result is ready; false if it comes once other
 * nodes have answered and storage_group_advance is called. */

/* Any request. In storage_act.c. */
bool storage_act(storage_group *group, const sc_storage_request *request, sc_storage_result *result);

/* The requests of a batch or a sequence. */
bool storage_act_on_group(storage_group *outer, const sc_storage_request *request, sc_storage_result *result);

/* A change that all members of a swarm make: here, in storage_change.c, and at the others, in storage_fan.c.
 */
bool storage_change(storage_group *group, const sc_storage_request *request, const sc_storage_grant *grant,
                    sc_storage_result *result);
bool storage_fan_out(storage_group *group, const sc_storage_request *request, const sc_storage_member *own,
                     sc_storage_result *result);

/* Carries out a request that changes nothing. In storage_read.c. */
void storage_read(storage_job *job, const sc_storage_request *request, sc_storage_result *result);
sc_storage_swarm storage_swarm_of(storage_job *job, const uint8_t account[static 33]);

void storage_result_text(storage_job *job, sc_storage_result *result, int code, const char *text);
void storage_result_reply(storage_job *job, sc_storage_result *result, int code,
                          const sc_storage_reply *reply);
sc_storage_clock storage_clock_of(const node *n);

/* The version that nodes report. */
enum { storage_version = 2, storage_minor_version = 11 };

#endif
