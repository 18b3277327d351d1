/* sc-schedules: lets a few devices act at random on a config that they share, and claims that they always
 * converge. Like a simulator, it derives a schedule from one seed, so any failure can be repeated; before a
 * failure is shown, the schedule is reduced to the steps it needs.
 *
 * `sc-schedules --self-test` proves that flaws are found and reduced: the last device never polls at the end.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "shrink.h"

enum { exit_failed = 1, exit_unusable = 2 };

static const kind *const kinds[] = {&user_profile_kind, &contacts_kind,   &convo_info_volatile_kind,
                                    &user_groups_kind,  &group_info_kind, &group_members_kind,
                                    &group_keys_kind};
enum { kind_count = sizeof kinds / sizeof kinds[0] };

static const char usage[] =
    "usage: sc-schedules [--type TYPE] [--seed N] [--count N]   runs schedules, of one type of config or "
    "all\n"
    "       sc-schedules --type TYPE --replay 'SCHEDULE'        runs one, and says what happens in it\n"
    "       sc-schedules --self-test                            runs with a flaw, and must find it\n"
    "Ends with 0 when every claim held, 1 when one did not, 2 when it was called wrongly.\n";

typedef struct command {
  const kind *kind; /* NULL for all */
  uint64_t seed;
  uint64_t count;
  const char *replay;
  bool self_test;
} command;

static world the_world; /* too large for some stacks */

static void make_parties(parties *out) {
  static const uint8_t account[SC_ED25519_SEED_BYTES] = {1}, group[SC_ED25519_SEED_BYTES] = {2};
  sc_keypair_from_seed(&out->account, account);
  sc_keypair_from_seed(&out->group, group);
  sc_id_make(&out->group_id, SC_ID_GROUP, out->group.ed.public_key);
}

static void report(const kind *kind, const parties *who, uint64_t seed, schedule *plan) {
  char text[schedule_chars];
  printf("FAILED %s: seed %" PRIu64 ": %s\n", kind->name, seed, the_world.flaw);
  size_t before = plan->count;
  schedule_shrink(plan, &the_world, kind, who);
  printf("cut down from %zu steps to %zu:\n", before, plan->count);
  the_world.loud = true;
  schedule_run(&the_world, kind, who, plan);
  the_world.loud = false;
  schedule_print(text, plan);
  printf("  %s\nreplay: sc-schedules --type %s --replay '%s'\n", the_world.flaw, kind->name, text);
}

static double seconds(void) {
  return (double)clock() / CLOCKS_PER_SEC;
}

/* True if all schedules held; stops at the first that does not. */
static bool run_kind(const kind *kind, const parties *who, const command *c) {
  const schedule_options options = {
      .of_group = kind->of_group, .administration = kind->administration, .may_grow = kind->grow != NULL};
  double began = seconds(), told = began;
  uint64_t steps = 0;
  the_world.settled = 0;
  the_world.merged = 0;
  the_world.in_parts = 0;
  for (uint64_t i = 0; i < c->count; i++) {
    schedule plan;
    schedule_make(&plan, c->seed + i, &options);
    if (!schedule_run(&the_world, kind, who, &plan)) {
      report(kind, who, c->seed + i, &plan);
      return false;
    }
    steps += plan.count;
    if (seconds() - told < 10)
      continue;
    told = seconds();
    printf("%s: %" PRIu64 " of %" PRIu64 ", %.0f a second\n", kind->name, i + 1, c->count,
           (double)(i + 1) / (told - began));
  }
  double took = seconds() - began;
  printf("%s: seeds %" PRIu64 " to %" PRIu64 ", %" PRIu64 " steps, %" PRIu64 " messages merged, %" PRIu64
         " pushes in parts, settled in %u rounds at most, %.0f schedules a second of CPU\n",
         kind->name, c->seed, c->seed + c->count - 1, steps, the_world.merged, the_world.in_parts,
         the_world.settled, (double)c->count / (took > 0 ? took : 1));
  return true;
}

static int run(const command *c, const parties *who) {
  uint64_t passed = 0, failed = 0;
  for (size_t i = 0; i < kind_count; i++) {
    if (c->kind != NULL && c->kind != kinds[i])
      continue;
    if (run_kind(kinds[i], who, c))
      passed += c->count;
    else
      failed++;
  }
  printf("schedules: %" PRIu64 " passed, %" PRIu64 " failed, 0 skipped\n", passed, failed);
  return failed == 0 ? EXIT_SUCCESS : exit_failed;
}

static int replay(const command *c, const parties *who) {
  schedule plan;
  if (c->kind == NULL || !schedule_parse(&plan, c->replay)) {
    fputs(usage, stderr);
    return exit_unusable;
  }
  the_world.loud = true;
  bool holds = schedule_run(&the_world, c->kind, who, &plan);
  printf("%s\n", holds ? "every claim held" : the_world.flaw);
  return holds ? EXIT_SUCCESS : exit_failed;
}

/* The flaw must be found, need only a few steps, and recur when the printed schedule is replayed. */
static bool finds_flaw(const kind *kind, const parties *who) {
  enum { most_needed = 3 };
  const schedule_options options = {.of_group = kind->of_group, .administration = kind->administration};
  schedule plan, again;
  char text[schedule_chars];
  uint64_t seed = 0;
  do
    schedule_make(&plan, ++seed, &options);
  while (seed < 100 && schedule_run(&the_world, kind, who, &plan));
  if (the_world.flaw[0] == '\0')
    return false;
  schedule_shrink(&plan, &the_world, kind, who);
  schedule_print(text, &plan);
  return plan.count <= most_needed && schedule_parse(&again, text) &&
         !schedule_run(&the_world, kind, who, &again) && the_world.flaw[0] != '\0';
}

static int test_self(const parties *who) {
  size_t failed = 0;
  the_world.planted = true;
  for (size_t i = 0; i < kind_count; i++)
    if (!finds_flaw(kinds[i], who)) {
      printf("FAILED %s: the flaw was not found, or not cut down\n", kinds[i]->name);
      failed++;
    }
  printf("schedules/self-test: %zu passed, %zu failed, 0 skipped\n", kind_count - failed, failed);
  return failed == 0 ? EXIT_SUCCESS : exit_failed;
}

static bool parse_kind(command *out, const char *name) {
  for (size_t i = 0; i < kind_count; i++)
    if (strcmp(kinds[i]->name, name) == 0)
      out->kind = kinds[i];
  return out->kind != NULL;
}

static bool parse_number(uint64_t *out, const char *text) {
  char *end;
  *out = strtoull(text, &end, 10);
  return end != text && *end == '\0';
}

static bool parse(command *out, int argc, char **argv) {
  *out = (command){.seed = 1, .count = 100};
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--self-test") == 0) {
      out->self_test = true;
      continue;
    }
    const char *value = i + 1 < argc ? argv[i + 1] : NULL;
    bool good = value != NULL;
    if (good && strcmp(argv[i], "--type") == 0)
      good = parse_kind(out, value);
    else if (good && strcmp(argv[i], "--seed") == 0)
      good = parse_number(&out->seed, value);
    else if (good && strcmp(argv[i], "--count") == 0)
      good = parse_number(&out->count, value);
    else if (good && strcmp(argv[i], "--replay") == 0)
      out->replay = value;
    else
      good = false;
    if (!good)
      return false;
    i++;
  }
  return true;
}

int main(int argc, char **argv) {
  command c;
  parties who;
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (!parse(&c, argc, argv)) {
    fputs(usage, stderr);
    return exit_unusable;
  }
  sc_status ready = sc_init();
  if (ready != SC_OK) {
    fprintf(stderr, "sc-schedules: %s\n", sc_status_text(ready));
    return exit_unusable;
  }
  make_parties(&who);
  if (c.self_test)
    return test_self(&who);
  return c.replay != NULL ? replay(&c, &who) : run(&c, &who);
}
