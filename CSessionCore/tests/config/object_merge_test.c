#include "device.h"

typedef struct pair {
  sc_config *a, *b;
  sc_config_outgoing out;
  sc_config_effect effect;
  sc_status understood;
} pair;

static sc_status begin_pair(pair *out, const sc_env *env) {
  *out = (pair){0};
  sc_config_outgoing_init(&out->out, env);
  sc_status status = device_new(&out->a, env, (sc_bytes){0});
  return status == SC_OK ? device_new(&out->b, env, (sc_bytes){0}) : status;
}

static void end_pair(pair *p) {
  sc_config_free(p->a);
  sc_config_free(p->b);
  sc_config_outgoing_free(&p->out);
}

static sc_status receive(pair *p, sc_config *config, const char *hash) {
  return device_merge(&p->effect, &p->understood, config, hash, device_message(&p->out));
}

static void what_others_changed_is_adopted(sc_test *t) {
  pair p;
  OK(begin_pair(&p, t->env));
  OK(device_set(p.a, PATH1("n"), TEXT("x")));
  OK(device_publish(&p.out, p.a, "h1"));
  OK(receive(&p, p.b, "h1"));
  CHECK(p.effect == SC_CONFIG_ADOPTED && p.understood == SC_OK);
  CHECK(sc_config_state_of(p.b) == SC_CONFIG_CLEAN && sc_config_seqno(p.b) == 1);
  CHECK(sc_config_needs_dump(p.b));
  device_data_is(t, "d1:n1:xe", p.b);
  STOP_IF_FAILED;
  OK(receive(&p, p.b, "h1"));
  CHECK(p.effect == SC_CONFIG_KEPT && p.understood == SC_OK);
done:
  end_pair(&p);
}

SUITE(config_object_merge, "config/object_merge",
      {"what others changed is adopted", what_others_changed_is_adopted});
