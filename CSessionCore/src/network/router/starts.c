#include "starts.h"

#include "../../base/draws.h"
#include "../moment.h"

void sc_starts_begin(sc_starts *starts, uint64_t now) {
  *starts = (sc_starts){.began_at = now};
}

static uint64_t draw(const sc_starts *starts, const sc_env *env, uint64_t spread) {
  enum { ms = 1000000 };
  sc_draws draws;
  sc_draws_init(&draws, env, 1);
  return sc_later(starts->began_at, ms * (uint64_t)sc_draws_below(&draws, (uint32_t)(spread / ms) + 1));
}

uint64_t sc_starts_known(const sc_starts *starts, uint64_t local_account) {
  for (size_t i = 0; i < starts->count; i++)
    if (starts->list[i].local_account == local_account)
      return starts->list[i].at;
  return 0;
}

uint64_t sc_starts_of(sc_starts *starts, const sc_env *env, uint64_t local_account, uint64_t spread) {
  uint64_t known = sc_starts_known(starts, local_account);
  if (known != 0)
    return known;
  sc_start *start = &starts->list[starts->next];
  starts->next = (starts->next + 1) % sc_starts_most;
  starts->count += starts->count < sc_starts_most;
  *start = (sc_start){.local_account = local_account, .at = draw(starts, env, spread)};
  return start->at;
}
