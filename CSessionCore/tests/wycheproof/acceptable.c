#include "acceptable.h"

#include <stdio.h>

static const wycheproof_choice choices[] = {
    {"XDH", "ZeroSharedSecret", false,
     "the other side chose a key that makes the secret zero whatever ours is; RFC 7748, section 6.1, has us "
     "look for it"},
    {"XDH", "NonCanonicalPublic", true,
     "RFC 7748, sections 5 and 7, say which key it stands for and that it be accepted; every other client "
     "does"},
    {"XDH", "Twist", true,
     "X25519 is defined on the twist, and the order of the twist is as good; the ladder gives nothing away"},
};

static bool has_flag(const sc_json *test, const char *flag) {
  const sc_json *flags;
  if (sc_json_member(&flags, test, "flags") != SC_OK)
    return false;
  for (size_t i = 0; i < sc_json_count(flags); i++) {
    const sc_json *item;
    sc_bytes text;
    if (sc_json_element(&item, flags, i) == SC_OK && sc_json_string(&text, item) == SC_OK &&
        sc_bytes_same(text, sc_bytes_text(flag)))
      return true;
  }
  return false;
}

const wycheproof_choice *wycheproof_choice_for(sc_bytes algorithm, const sc_json *test) {
  for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++)
    if (sc_bytes_same(sc_bytes_text(choices[i].algorithm), algorithm) && has_flag(test, choices[i].flag))
      return &choices[i];
  return NULL;
}

void wycheproof_choices_print(void) {
  for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++)
    printf("%s, %s: %s\n  %s\n", choices[i].algorithm, choices[i].flag,
           choices[i].accepts ? "accepted" : "rejected", choices[i].why);
}
