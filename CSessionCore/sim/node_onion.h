/* Nodes' handling of onion requests: they peel a layer, forward its content, and pass the reply back. */
#ifndef SC_SIM_NODE_ONION_H
#define SC_SIM_NODE_ONION_H

#include "node.h"
#include "session-core/network/onion_failure.h"
#include "session-core/node/onion.h"

/* A layer that a node deals with, from its arrival to its answer. */
typedef struct onion_job {
  node *at;
  wire_call call;
  uint64_t tag;
  bool from_client;
  blob *body; /* borrowed by the block */
  sc_onion_block block;
  bool opened;
  sc_onion_layer layer;
} onion_job;

void node_onion_handle(node *n, const wire_request *request, bool from_client);

/* Answers and ends the job: a status and a body, of the destination or of the hop that failed. */
void onion_job_answer(onion_job *job, int code, sc_bytes body);
void onion_job_fail(onion_job *job, sc_onion_failure_kind kind, const uint8_t *named, const char *detail);

/* Ends it without an answer. */
void onion_job_drop(onion_job *job);

#endif
