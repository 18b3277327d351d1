#include "verdict.h"

enum { code_clock_node = 406, code_timeout = 408, code_moved = 421, code_clock_server = 425 };

static sc_verdict verdict(sc_verdict_action action, sc_status status, int code) {
  return (sc_verdict){.action = action, .status = status, .code = code};
}

/* True if the node may recover soon, or another may succeed. */
static bool is_passing(int code) {
  return code == 429 || code == 502 || code == 503 || code == 504;
}

static sc_verdict for_answer(const sc_fault *fault) {
  sc_verdict_action action = SC_VERDICT_DELIVER;
  if (fault->code == (fault->from_node ? code_clock_node : code_clock_server))
    return verdict(SC_VERDICT_CLOCK, SC_ERR_NETWORK_CLOCK, fault->code);
  if (fault->from_node && fault->code == code_moved)
    action = SC_VERDICT_REDIRECT;
  else if (fault->from_node && is_passing(fault->code))
    action = SC_VERDICT_RETRY;
  return verdict(action, SC_ERR_REQUEST_FAILED, fault->code);
}

static sc_verdict for_hop(const sc_onion_failure *failure, size_t hop_count) {
  int code = failure->code;
  switch (failure->kind) {
  case SC_ONION_FAILED_REQUEST:
  case SC_ONION_FAILED_LENGTH:
    return verdict(SC_VERDICT_FAIL, SC_ERR_NETWORK_PATH, code);
  case SC_ONION_FAILED_SERVER:
    return verdict(SC_VERDICT_FAIL, SC_ERR_NETWORK_UNREACHABLE, code);
  case SC_ONION_FAILED_SERVER_TIMEOUT:
    return verdict(SC_VERDICT_FAIL, SC_ERR_REQUEST_TIMEOUT, code);
  case SC_ONION_FAILED_NEXT_UNKNOWN:
  case SC_ONION_FAILED_NEXT_UNREACHABLE:
    return verdict(SC_VERDICT_RETRY,
                   failure->node == hop_count ? SC_ERR_NETWORK_UNREACHABLE : SC_ERR_NETWORK_PATH, code);
  case SC_ONION_FAILED_OPENING:
    return (sc_verdict){SC_VERDICT_RETRY, SC_ERR_NETWORK_PATH, code, true};
  case SC_ONION_FAILED_TIMEOUT:
    return verdict(SC_VERDICT_RETRY, SC_ERR_REQUEST_TIMEOUT, code);
  case SC_ONION_FAILED_RELAY:
  case SC_ONION_FAILED_RATE:
  case SC_ONION_FAILED_RESPONSE:
  case SC_ONION_FAILED_NODE_NOT_READY:
  case SC_ONION_FAILED_GUARD_NOT_READY:
  case SC_ONION_FAILED_GUARD_BUSY:
  case SC_ONION_FAILED_OTHERWISE:
    break;
  }
  return verdict(SC_VERDICT_RETRY, SC_ERR_NETWORK_PATH, code);
}

sc_verdict sc_verdict_for(const sc_fault *fault, size_t hop_count) {
  switch (fault->kind) {
  case SC_FAULT_NONE:
    return verdict(SC_VERDICT_DELIVER, SC_OK, fault->code);
  case SC_FAULT_LOCAL:
    return verdict(SC_VERDICT_RETRY, fault->reason, 0);
  case SC_FAULT_TIMEOUT:
    return verdict(SC_VERDICT_RETRY, SC_ERR_REQUEST_TIMEOUT, code_timeout);
  case SC_FAULT_FORGED:
    return verdict(SC_VERDICT_RETRY, SC_ERR_ONION_UNAUTHENTICATED, 0);
  case SC_FAULT_EDGE_LOST:
  case SC_FAULT_STREAM:
    return verdict(SC_VERDICT_RETRY, SC_ERR_NETWORK_PATH, 0);
  case SC_FAULT_HOP:
    return for_hop(&fault->hop, hop_count);
  case SC_FAULT_ANSWER:
    return for_answer(fault);
  }
  return verdict(SC_VERDICT_FAIL, SC_ERR_STATE, 0);
}
