#include "device.h"

/* The first revision of a name, not pushed yet. */
static const char dirty[] = "d1:!i1e1:$81:d1:#i1e1:&d1:n6:Kalliee1:<lli0e32:"
                            "\xea\x17\x3b\x57\xbe\xca\x8a\xf1\x8c\x35\x19\xa7\xbb\xf6\x9c\x3e\x7a\x05\xd1"
                            "\xc0\x49\xfa\x95\x58\x34\x1d\x8e\xbb\x48\xb0\xc9\x65"
                            "deee1:=d1:n0:ee1:(le1:)le1:*de1:+dee";

static void a_dump_says_everything(sc_test *t) {
  sc_config *config = NULL;
  sc_config_outgoing out;
  sc_config_outgoing_init(&out, t->env);
  OK(device_new(&config, t->env, (sc_bytes){0}));
  device_dump_is(t, "d1:!i0e1:$23:d1:#i0e1:&de1:<le1:=dee1:(le1:)le1:*de1:+dee", config);
  STOP_IF_FAILED;
  OK(device_set(config, PATH1("n"), TEXT("Kallie")));
  CHECK(sc_config_needs_dump(config));
  device_dump_is(t, dirty, config);
  STOP_IF_FAILED;
  CHECK(!sc_config_needs_dump(config));
done:
  sc_config_outgoing_free(&out);
  sc_config_free(config);
}

SUITE(config_object_dump, "config/object_dump", {"a dump says everything", a_dump_says_everything});
