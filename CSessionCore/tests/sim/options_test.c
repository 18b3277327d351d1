#include "options.h"

#include <stdio.h>

#include "node.h"
#include "support/test.h"

static bool parse(options *out, const char **wrong, const char *first, const char *second) {
  static char words[3][64]; /* `*wrong` points there */
  char *argv[] = {words[0], words[1], words[2]};
  snprintf(words[1], sizeof words[1], "%s", first);
  snprintf(words[2], sizeof words[2], "%s", second == NULL ? "" : second);
  return options_parse(out, wrong, second == NULL ? 2 : 3, argv);
}

static void options_are_read(sc_test *t) {
  options o;
  const char *wrong = "";
  CHECK(parse(&o, &wrong, "--seeds", "3..9") && o.first_seed == 3 && o.last_seed == 9);
  CHECK(parse(&o, &wrong, "--seed", "18446744073709551615") && o.last_seed == UINT64_MAX);
  CHECK(parse(&o, &wrong, "--nodes", "2000") && o.plan.nodes == 2000);
  CHECK(parse(&o, &wrong, "--faults", "light") && o.level == PLAN_LIGHT);
  CHECK(parse(&o, &wrong, "--flaw", "ban") && o.plan.flaw == FLAW_BAN);
  CHECK(parse(&o, &wrong, "--hostile", "200") && o.hostile == 200);
  CHECK(parse(&o, &wrong, "--strategy", "one-swarm") && o.plan.strategy == TRAIT_ONE_SWARM);
  CHECK(parse(&o, &wrong, "--pause", "180000") && o.plan.pause_ms == 180000);
  CHECK(parse(&o, &wrong, "--trace", NULL) && o.plan.loud);
  CHECK(parse(&o, &wrong, "--help", NULL) && o.asks_for_help);
done:;
}

static void an_unknown_option_is_named(sc_test *t) {
  static const char *const words[][2] = {{"--seeds", "9..3"}, {"--seeds", "9"},       {"--seed", "-1"},
                                         {"--seed", "1x"},    {"--nodes", "0"},       {"--nodes", "100000"},
                                         {"--faults", "all"}, {"--flaw", "none"},     {"--transport", "tcp"},
                                         {"--what", "1"},     {"--strategy", "luck"}, {"--hostile", "0"},
                                         {"--clients", NULL}};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    options o;
    const char *wrong = "";
    CHECK(!parse(&o, &wrong, words[i][0], words[i][1]));
    SAME(sc_bytes_text(words[i][0]), sc_bytes_text(wrong));
  }
done:;
}

SUITE(sim_options, "sim/options", {"options are read", options_are_read},
      {"an unknown option is named", an_unknown_option_is_named});
