#include "support/test.h"

static const sc_status all[] = {SC_OK,
#define LISTED(name, number, text) SC_ERR_##name,
                                SC_STATUS_MAP(LISTED)
#undef LISTED
};
enum { all_count = sizeof all / sizeof all[0] };

static void failures_are_negative_and_distinct(sc_test *t) {
  for (size_t i = 1; i < all_count; i++) {
    CHECK(all[i] < 0);
    for (size_t j = 0; j < i; j++)
      CHECK(all[i] != all[j]);
  }
done:;
}

static void every_status_has_its_name_and_text(sc_test *t) {
  for (size_t i = 0; i < all_count; i++) {
    for (size_t j = 0; j < i; j++) {
      CHECK(strcmp(sc_status_name(all[i]), sc_status_name(all[j])) != 0);
      CHECK(strcmp(sc_status_text(all[i]), sc_status_text(all[j])) != 0);
    }
    size_t len = strlen(sc_status_text(all[i]));
    CHECK(len > 5 && sc_status_text(all[i])[len - 1] != '.');
  }
  CHECK(strcmp(sc_status_name(SC_ERR_HEX), "SC_ERR_HEX") == 0);
done:;
}

static void an_unknown_number_has_a_text_too(sc_test *t) {
  CHECK(strcmp(sc_status_name((sc_status)-9999), "SC_ERR_?") == 0);
  CHECK(strcmp(sc_status_text((sc_status)-9999), "unknown status") == 0);
done:;
}

SUITE(base_status, "base/status", {"failures are negative and distinct", failures_are_negative_and_distinct},
      {"every status has its name and text", every_status_has_its_name_and_text},
      {"an unknown number has a text too", an_unknown_number_has_a_text_too});
