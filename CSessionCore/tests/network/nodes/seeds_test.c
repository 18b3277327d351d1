#include "crowd.h"
#include "session-core/network/node_options.h"

/* The table of the specification. */
static const char *const known[] = {
    "1f000f09a7b07828dcb72af7cd16857050c10c02bd58afb0e38111fb6cda1fef|95.216.33.113|22100|20200",
    "1f101f0acee4db6f31aaa8b4df134e85ca8a4878efaef7f971e88ab144c1a7ce|37.27.236.229|22101|20201",
    "1f202f00f4d2d4acc01e20773999a291cf3e3136c325474d159814e06199919f|172.96.140.124|22102|20202",
    "1f303f1d7523c46fa5398826740d13282d26b5de90fbae5749442f66afb6d78b|208.73.207.54|22103|20203",
    "1f604f1c858a121a681d8f9b470ef72e6946ee1b9c5ad15a35e16b50c28db7b0|104.194.8.115|22104|20204"};

static void the_main_network_has_the_known_seeds(sc_test *t) {
  size_t count;
  const sc_node *seeds = sc_seeds(&count, SC_NETWORK_MAIN);
  char text[SC_NODE_TEXT_BYTES];
  CHECK(count == sizeof known / sizeof known[0]);
  for (size_t i = 0; i < count; i++) {
    sc_node_format(text, &seeds[i]);
    SAME(sc_bytes_text(known[i]), sc_bytes_make(text, strlen(known[i])));
    CHECK(text[strlen(known[i])] == '|' && seeds[i].swarm == SC_STORAGE_NO_SWARM);
    CHECK(sc_node_is_usable(&seeds[i], false));
  }
done:;
}

static void other_networks_have_no_built_in_seeds(sc_test *t) {
  size_t count;
  CHECK(sc_seeds(&count, SC_NETWORK_TEST) == NULL && count == 0);
  CHECK(sc_seeds(&count, SC_NETWORK_PRIVATE) == NULL && count == 0);
done:;
}

SUITE(network_nodes_seeds, "network/nodes/seeds",
      {"the main network has the known seeds", the_main_network_has_the_known_seeds},
      {"other networks have no built-in seeds", other_networks_have_no_built_in_seeds});
