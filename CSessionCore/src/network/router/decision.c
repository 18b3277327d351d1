#include "decision.h"

enum { code_clock_node = 406, code_moved = 421, code_clock_server = 425 };

static const sc_decision table[] = {
    [SC_EVIDENCE_SUCCESS] = {SC_ROUTE_WORKED, SC_STEP_DELIVER, SC_OK, SC_CORROBORATION_NONE,
                             SC_CONSEQUENCE_NONE},
    [SC_EVIDENCE_CLOCK] = {SC_ROUTE_WORKED, SC_STEP_CLOCK, SC_ERR_NETWORK_CLOCK, SC_CORROBORATION_NONE,
                           SC_CONSEQUENCE_NONE},
    [SC_EVIDENCE_MOVED] = {SC_ROUTE_WORKED, SC_STEP_REDIRECT, SC_ERR_REQUEST_FAILED, SC_CORROBORATION_NONE,
                           SC_CONSEQUENCE_NONE},
    [SC_EVIDENCE_UNABLE] = {SC_ROUTE_WORKED, SC_STEP_AGAIN, SC_ERR_REQUEST_FAILED, SC_CORROBORATION_NONE,
                            SC_CONSEQUENCE_NONE},
    [SC_EVIDENCE_OTHER_CODE] = {SC_ROUTE_WORKED, SC_STEP_DELIVER, SC_ERR_REQUEST_FAILED,
                                SC_CORROBORATION_NONE, SC_CONSEQUENCE_NONE},
    [SC_EVIDENCE_MALFORMED] = {SC_ROUTE_NOTHING, SC_STEP_AGAIN, SC_ERR_ONION_REPLY, SC_CORROBORATION_NONE,
                               SC_CONSEQUENCE_NONE},
    [SC_EVIDENCE_UNREADABLE] = {SC_ROUTE_FAILED, SC_STEP_AGAIN, SC_ERR_ONION_UNAUTHENTICATED,
                                SC_CORROBORATION_NONE, SC_CONSEQUENCE_NONE},
    [SC_EVIDENCE_HOP_UNREACHABLE] = {SC_ROUTE_FAILED, SC_STEP_AGAIN, SC_ERR_NETWORK_PATH,
                                     SC_CORROBORATION_NONE, SC_CONSEQUENCE_NONE},
    [SC_EVIDENCE_DESTINATION_UNREACHABLE] = {SC_ROUTE_FAILED, SC_STEP_AGAIN, SC_ERR_NETWORK_UNREACHABLE,
                                             SC_CORROBORATION_ENDS, SC_CONSEQUENCE_AVOID},
    [SC_EVIDENCE_BUSY] = {SC_ROUTE_FAILED, SC_STEP_AGAIN, SC_ERR_NETWORK_PATH, SC_CORROBORATION_GUARDS,
                          SC_CONSEQUENCE_DELAY},
    [SC_EVIDENCE_OTHER_TEXT] = {SC_ROUTE_FAILED, SC_STEP_AGAIN, SC_ERR_NETWORK_PATH, SC_CORROBORATION_NONE,
                                SC_CONSEQUENCE_NONE},
    [SC_EVIDENCE_RELAY_TIMEOUT] = {SC_ROUTE_FAILED, SC_STEP_AGAIN, SC_ERR_REQUEST_TIMEOUT,
                                   SC_CORROBORATION_NONE, SC_CONSEQUENCE_NONE},
    [SC_EVIDENCE_BAD_REQUEST] = {SC_ROUTE_FAILED, SC_STEP_AGAIN, SC_ERR_NETWORK_PATH, SC_CORROBORATION_HOPS,
                                 SC_CONSEQUENCE_FAIL},
    [SC_EVIDENCE_TOO_MANY_HOPS] = {SC_ROUTE_FAILED, SC_STEP_AGAIN, SC_ERR_NETWORK_PATH, SC_CORROBORATION_HOPS,
                                   SC_CONSEQUENCE_FAIL},
    [SC_EVIDENCE_BAD_CIPHERTEXT] = {SC_ROUTE_FAILED, SC_STEP_AGAIN, SC_ERR_NETWORK_PATH,
                                    SC_CORROBORATION_HOPS, SC_CONSEQUENCE_DOUBT},
    [SC_EVIDENCE_SERVER_UNREACHABLE] = {SC_ROUTE_FAILED, SC_STEP_AGAIN, SC_ERR_NETWORK_UNREACHABLE,
                                        SC_CORROBORATION_ENDS, SC_CONSEQUENCE_FAIL},
    [SC_EVIDENCE_SERVER_TIMEOUT] = {SC_ROUTE_FAILED, SC_STEP_AGAIN, SC_ERR_REQUEST_TIMEOUT,
                                    SC_CORROBORATION_ENDS, SC_CONSEQUENCE_FAIL},
    [SC_EVIDENCE_SILENCE] = {SC_ROUTE_FAILED, SC_STEP_AGAIN, SC_ERR_REQUEST_TIMEOUT, SC_CORROBORATION_NONE,
                             SC_CONSEQUENCE_NONE},
    [SC_EVIDENCE_STREAM_RESET] = {SC_ROUTE_FAILED, SC_STEP_AGAIN, SC_ERR_NETWORK_PATH, SC_CORROBORATION_NONE,
                                  SC_CONSEQUENCE_NONE},
    [SC_EVIDENCE_GUARD_LOST] = {SC_ROUTE_LOST, SC_STEP_AGAIN, SC_ERR_NETWORK_PATH, SC_CORROBORATION_NONE,
                                SC_CONSEQUENCE_NONE},
    [SC_EVIDENCE_NOT_SENT] = {SC_ROUTE_NOTHING, SC_STEP_AGAIN, SC_ERR_STATE, SC_CORROBORATION_NONE,
                              SC_CONSEQUENCE_NONE},
};

const sc_decision *sc_decision_for(sc_evidence_kind kind) {
  return &table[kind];
}

bool sc_evidence_is_authenticated(sc_evidence_kind kind) {
  return table[kind].route == SC_ROUTE_WORKED;
}

sc_status sc_evidence_status(const sc_evidence *evidence) {
  return evidence->reason != SC_OK ? evidence->reason : table[evidence->kind].status;
}

/* True if the node may recover soon, or another may succeed. */
static bool is_inability(int code) {
  return code == 429 || code == 500 || code == 502 || code == 503 || code == 504;
}

static sc_evidence_kind kind_of_code(int code, bool from_node) {
  if (code >= 200 && code <= 299)
    return SC_EVIDENCE_SUCCESS;
  if (code == (from_node ? code_clock_node : code_clock_server))
    return SC_EVIDENCE_CLOCK;
  if (from_node && code == code_moved)
    return SC_EVIDENCE_MOVED;
  return from_node && is_inability(code) ? SC_EVIDENCE_UNABLE : SC_EVIDENCE_OTHER_CODE;
}

sc_evidence sc_evidence_of_code(int code, bool from_node) {
  return (sc_evidence){.kind = kind_of_code(code, from_node), .code = code};
}

/* A name counts only if it is the destination's or a node's of the route. */
static sc_evidence_kind kind_of_name(size_t named, size_t hop_count) {
  if (named == SC_ONION_NO_NODE)
    return SC_EVIDENCE_OTHER_TEXT;
  return named == hop_count ? SC_EVIDENCE_DESTINATION_UNREACHABLE : SC_EVIDENCE_HOP_UNREACHABLE;
}

static sc_evidence_kind kind_of_text(const sc_onion_failure *failure, size_t hop_count) {
  switch (failure->kind) {
  case SC_ONION_FAILED_NEXT_UNKNOWN:
  case SC_ONION_FAILED_NEXT_UNREACHABLE:
  case SC_ONION_FAILED_NODE_NOT_READY:
    return kind_of_name(failure->node, hop_count);
  case SC_ONION_FAILED_RATE:
  case SC_ONION_FAILED_GUARD_NOT_READY:
  case SC_ONION_FAILED_GUARD_BUSY:
    return SC_EVIDENCE_BUSY;
  case SC_ONION_FAILED_REQUEST:
    return SC_EVIDENCE_BAD_REQUEST;
  case SC_ONION_FAILED_LENGTH:
    return SC_EVIDENCE_TOO_MANY_HOPS;
  case SC_ONION_FAILED_OPENING:
    return SC_EVIDENCE_BAD_CIPHERTEXT;
  case SC_ONION_FAILED_SERVER:
    return SC_EVIDENCE_SERVER_UNREACHABLE;
  case SC_ONION_FAILED_SERVER_TIMEOUT:
    return SC_EVIDENCE_SERVER_TIMEOUT;
  case SC_ONION_FAILED_TIMEOUT:
    return SC_EVIDENCE_RELAY_TIMEOUT;
  case SC_ONION_FAILED_RELAY:
  case SC_ONION_FAILED_RESPONSE:
  case SC_ONION_FAILED_OTHERWISE:
    break;
  }
  return SC_EVIDENCE_OTHER_TEXT;
}

sc_evidence sc_evidence_of_text(const sc_onion_failure *failure, size_t hop_count) {
  return (sc_evidence){
      .kind = kind_of_text(failure, hop_count), .code = failure->code, .named = failure->node};
}
