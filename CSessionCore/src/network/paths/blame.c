#include "blame.h"

#include "../../base/text.h"

static const sc_blame no_node = {.node = SC_ONION_NO_NODE};
static const sc_blame path_once = {.node = SC_ONION_NO_NODE, .path = SC_BLAME_PATH_ONCE};

static sc_blame blame_node(size_t node, sc_blame_weight weight, sc_blame_path path) {
  return (sc_blame){.weight = weight, .node = node, .path = path};
}

/* A hop that lets its successor take the blame loses a little trust in it as well: else it could say so of
 * every node. Of the destination the path is not at fault. */
static sc_blame for_next_hop(size_t node, size_t hop_count) {
  if (node == SC_ONION_NO_NODE)
    return path_once;
  return blame_node(node, SC_BLAME_PERMANENT, node == hop_count ? SC_BLAME_PATH_NOT : SC_BLAME_PATH_ONCE);
}

static sc_blame for_hop(const sc_onion_failure *failure, size_t hop_count) {
  switch (failure->kind) {
  case SC_ONION_FAILED_NEXT_UNKNOWN:
  case SC_ONION_FAILED_NEXT_UNREACHABLE:
    return for_next_hop(failure->node, hop_count);
  case SC_ONION_FAILED_NODE_NOT_READY:
    return failure->node == SC_ONION_NO_NODE ? path_once
                                             : blame_node(failure->node, SC_BLAME_ONCE, SC_BLAME_PATH_NOT);
  case SC_ONION_FAILED_REQUEST:
  case SC_ONION_FAILED_LENGTH:
  case SC_ONION_FAILED_RATE:
  case SC_ONION_FAILED_SERVER:
  case SC_ONION_FAILED_SERVER_TIMEOUT:
    return no_node;
  case SC_ONION_FAILED_RELAY:
  case SC_ONION_FAILED_OPENING:
  case SC_ONION_FAILED_GUARD_NOT_READY:
  case SC_ONION_FAILED_GUARD_BUSY:
  case SC_ONION_FAILED_RESPONSE:
  case SC_ONION_FAILED_TIMEOUT:
  case SC_ONION_FAILED_OTHERWISE:
    break;
  }
  return path_once;
}

static sc_blame for_answer(const sc_fault *fault, size_t hop_count) {
  sc_blame blame = no_node;
  bool is_broken = fault->code == 502 && sc_text_starts_with(fault->text, "oxend returned unparsable data");
  bool is_not_ready = fault->code == 503 && (sc_text_starts_with(fault->text, "Snode not ready") ||
                                             sc_text_starts_with(fault->text, "Service node is not ready"));
  if (fault->from_node && is_broken)
    blame = blame_node(hop_count, SC_BLAME_PERMANENT, SC_BLAME_PATH_NOT);
  else if (fault->from_node && is_not_ready)
    blame = blame_node(hop_count, SC_BLAME_ONCE, SC_BLAME_PATH_NOT);
  blame.is_proved = true;
  return blame;
}

sc_blame sc_blame_for(const sc_fault *fault, size_t hop_count) {
  switch (fault->kind) {
  case SC_FAULT_NONE:
  case SC_FAULT_LOCAL:
    break;
  case SC_FAULT_TIMEOUT:
  case SC_FAULT_STREAM:
  case SC_FAULT_FORGED:
    return path_once;
  case SC_FAULT_EDGE_LOST:
    return (sc_blame){.node = SC_ONION_NO_NODE, .path = SC_BLAME_PATH_GONE, .is_proved = true};
  case SC_FAULT_HOP:
    return for_hop(&fault->hop, hop_count);
  case SC_FAULT_ANSWER:
    return for_answer(fault, hop_count);
  }
  return no_node;
}
