#include "topics.h"

static sc_status side(sc_safety_side *out, known_case *c, const char *field) {
  sc_id id;
  sc_status status = sc_id_parse(&id, known_text(c, field));
  return status == SC_OK ? sc_safety_side_make(out, &id, NULL, 0) : status;
}

/* The recorded number has spaces. */
static sc_status safety_number(known_case *c) {
  sc_safety_side first, second;
  char number[SC_SAFETY_DIGITS + 1];
  sc_status status = side(&first, c, "first");
  if (status == SC_OK)
    status = side(&second, c, "second");
  if (status != SC_OK)
    return status;
  sc_safety_number(number, &second, &first);
  return sc_safety_number_check(number, known_text(c, "number"));
}

TOPIC(relay, {"safety_number", safety_number});
