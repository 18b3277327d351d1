#include "session-core/message/rules.h"

#include <stddef.h>

typedef struct rule {
  const char *id, *text;
} rule;

static const rule rules[] = {[SC_RULE_NONE] = {"", ""},
#define RULE_ENTRY(name, id, text) [SC_RULE_##name] = {id, text},
                             SC_MESSAGE_RULE_MAP(RULE_ENTRY)
#undef RULE_ENTRY
};

static const rule *find(sc_message_rule number) {
  return &rules[(size_t)number < sizeof rules / sizeof rules[0] ? number : SC_RULE_NONE];
}

const char *sc_message_rule_id(sc_message_rule rule) {
  return find(rule)->id;
}

const char *sc_message_rule_text(sc_message_rule rule) {
  return find(rule)->text;
}
