#include "heard.h"

void sc_heard_add(sc_heard_list *heard, const sc_evidence *evidence, const sc_onion_node *hops,
                  size_t hop_count, const uint8_t *node) {
  if (heard->count == sc_heard_max)
    memmove(heard->list, heard->list + 1, --heard->count * sizeof heard->list[0]);
  sc_heard *last = &heard->list[heard->count++];
  *last =
      (sc_heard){.kind = evidence->kind,
                 .named = evidence->kind == SC_EVIDENCE_HOP_UNREACHABLE ? evidence->named : SC_ONION_NO_NODE,
                 .has_node = node != NULL,
                 .hop_count = hop_count};
  for (size_t i = 0; i < hop_count; i++)
    memcpy(last->hops[i], hops[i].ed25519, SC_KEY_BYTES);
  if (node != NULL)
    memcpy(last->node, node, SC_KEY_BYTES);
}

static bool are_same(const uint8_t *a, const uint8_t *b) {
  return memcmp(a, b, SC_KEY_BYTES) == 0;
}

static bool is_hop(const sc_heard *heard, const uint8_t *key) {
  for (size_t i = 0; i < heard->hop_count; i++)
    if (are_same(heard->hops[i], key))
      return true;
  return false;
}

bool sc_heard_implicates(const sc_heard *heard, const uint8_t key[static SC_KEY_BYTES]) {
  bool is_asked = heard->has_node && are_same(heard->node, key);
  if (heard->kind == SC_EVIDENCE_GUARD_LOST && heard->hop_count > 0)
    return are_same(heard->hops[0], key);
  if (heard->kind == SC_EVIDENCE_DESTINATION_UNREACHABLE)
    return is_asked;
  if (heard->named < heard->hop_count)
    return are_same(heard->hops[heard->named], key);
  return is_asked || is_hop(heard, key);
}

static bool have_other_guards(const sc_heard *a, const sc_heard *b) {
  return !are_same(a->hops[0], b->hops[0]);
}

static bool have_other_ends(const sc_heard *a, const sc_heard *b) {
  return have_other_guards(a, b) && !are_same(a->hops[a->hop_count - 1], b->hops[b->hop_count - 1]);
}

static bool have_no_hop_in_common(const sc_heard *a, const sc_heard *b) {
  for (size_t i = 0; i < a->hop_count; i++)
    for (size_t j = 0; j < b->hop_count; j++)
      if (are_same(a->hops[i], b->hops[j]))
        return false;
  return true;
}

static bool are_apart(const sc_heard *a, const sc_heard *b, sc_corroboration wanted) {
  if (a->hop_count == 0 || b->hop_count == 0)
    return false;
  switch (wanted) {
  case SC_CORROBORATION_NONE:
    break;
  case SC_CORROBORATION_GUARDS:
    return have_other_guards(a, b);
  case SC_CORROBORATION_ENDS:
    return have_other_ends(a, b);
  case SC_CORROBORATION_HOPS:
    return have_no_hop_in_common(a, b);
  }
  return false;
}

/* Claims about a destination must be about the same one. */
static bool are_of_same_node(const sc_heard *a, const sc_heard *b) {
  return a->kind != SC_EVIDENCE_DESTINATION_UNREACHABLE || (a->has_node && are_same(a->node, b->node));
}

bool sc_heard_is_corroborated(const sc_heard_list *heard) {
  if (heard->count == 0)
    return false;
  const sc_heard *last = &heard->list[heard->count - 1];
  sc_corroboration wanted = sc_decision_for(last->kind)->corroboration;
  for (const sc_heard *other = heard->list; other < last; other++)
    if (other->kind == last->kind && are_of_same_node(last, other) && are_apart(last, other, wanted))
      return true;
  return false;
}

bool sc_heard_is_last(const sc_heard_list *heard, sc_evidence_kind kind) {
  return heard->count > 0 && heard->list[heard->count - 1].kind == kind;
}
