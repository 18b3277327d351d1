#include "options.h"

#include <stdlib.h>
#include <string.h>

#include "flaw.h"
#include "line.h"
#include "node.h"

const char options_help[] =
    "sc-sim runs the core's own client in a simulated network: virtual time, nodes that die, lie and move,\n"
    "links that lose and split. Everything follows from a seed. An oracle looks on and names the first rule\n"
    "that does not hold, with the last events before it.\n"
    "\n"
    "usage: sc-sim [OPTION VALUE]…\n"
    "\n"
    "  --seed N             the world to run (1)\n"
    "  --seeds A..B         many worlds, one after the other\n"
    "  --nodes N            nodes of the network (60); fewer than 12 are a private one\n"
    "  --swarm N            nodes in a swarm, about (7)\n"
    "  --clients N          clients (5)\n"
    "  --accounts N         accounts that use the program of a client (3)\n"
    "  --requests N         requests of all clients together (200)\n"
    "  --faults LEVEL       none, light or heavy (heavy); which kinds there are follows from the seed\n"
    "  --hostile N          of 1000 nodes, how many are hostile, whatever the level\n"
    "  --dead N             nodes that die after half a minute, and stay dead\n"
    "  --strategy NAME      what all hostile nodes do: forge garbage swallow tamper truncate replay list "
    "store\n"
    "                       moody; or, together: friends drift one-swarm, which are lists, clock, reflect, "
    "busy, blame\n"
    "                       (the next hop), capture (send accounts elsewhere), hide (messages)\n"
    "  --pause MS           between two requests of a client, about (3000); 180000 gives virtual days\n"
    "  --line KIND          what the line of clients does, but for hostile nodes: silent refusing forging\n"
    "                       resetting flapping\n"
    "  --line-time S        for so long (600)\n"
    "  --client-clock MS    that clients' clocks are late (0)\n"
    "  --transport KIND     messages: each request is one message (the usual); quic: clients and nodes "
    "speak\n"
    "                       with the packets of the core's QUIC endpoint\n"
    "  --flaw NAME          break a rule on purpose: the world must be found broken. twice never late "
    "forget\n"
    "                       believe state hoard stuck share ban revive admit sign stray turn young size "
    "wander\n"
    "                       astray lose join return swap blind hide\n"
    "                       restless rash, of the policy: it must notice them\n"
    "  --self-test          runs each of these flaws, and says which were not noticed\n"
    "  --policy NAME        guards and paths alone, without onion layers and QUIC, in a network of which "
    "--hostile\n"
    "                       nodes idle, starve, frame, swallow or do something of it each (mixed);\n"
    "                       or the line slows the first guard (slow)\n"
    "  --days N             of that (30); with --clients (300), --nodes (200), --pause (900000)\n"
    "  --trace              tell everything as it happens\n"
    "  --help               this\n"
    "\n"
    "examples:\n"
    "  sc-sim --seed 7 --nodes 2000 --clients 50 --requests 20000 --faults heavy\n"
    "  sc-sim --seeds 1..200\n"
    "  sc-sim --policy starve --hostile 50\n"
    "  sc-sim --seed 93 --trace | less       look closely at a world that broke\n"
    "\n"
    "It ends with 0 when every rule held, 1 when one did not, 2 when it was called wrongly.\n";

static bool number(uint64_t *out, const char *text, const char **end) {
  char *stop;
  *out = strtoull(text, &stop, 10);
  *end = stop;
  return stop != text && text[0] >= '0' && text[0] <= '9';
}

static bool whole_number(uint64_t *out, const char *text) {
  const char *end;
  return number(out, text, &end) && *end == '\0';
}

static bool size(size_t *out, const char *text, size_t least, size_t most) {
  uint64_t value;
  if (!whole_number(&value, text) || value < least || value > most)
    return false;
  *out = (size_t)value;
  return true;
}

static bool number32(uint32_t *out, const char *text, uint32_t most) {
  size_t value;
  if (!size(&value, text, 1, most))
    return false;
  *out = (uint32_t)value;
  return true;
}

static bool range(options *out, const char *text) {
  const char *end;
  if (!number(&out->first_seed, text, &end) || strncmp(end, "..", 2) != 0)
    return false;
  return whole_number(&out->last_seed, end + 2) && out->last_seed >= out->first_seed;
}

static bool one_seed(options *out, const char *text) {
  bool good = whole_number(&out->first_seed, text);
  out->last_seed = out->first_seed;
  return good;
}

static bool level(plan_level *out, const char *text) {
  static const char *const names[] = {"none", "light", "heavy"};
  for (unsigned i = 0; i < 3; i++)
    if (strcmp(names[i], text) == 0) {
      *out = (plan_level)i;
      return true;
    }
  return false;
}

static bool transport(plan *p, const char *text) {
  p->quic = strcmp(text, "quic") == 0;
  return p->quic || strcmp(text, "messages") == 0;
}

static bool flaw_of(options *out, const char *text) {
  if (policy_flaw_named(&out->policy_plan.flaw, text))
    return true;
  flaw_plan(&out->plan, flaw_named(text));
  return out->plan.flaw != FLAW_NONE;
}

static bool pause(options *out, const char *text) {
  enum { most_ms = 24 * 3600 * 1000, second_ms = 1000 };
  bool good = number32(&out->plan.pause_ms, text, most_ms);
  out->policy_plan.pause_s = (out->plan.pause_ms + second_ms - 1) / second_ms;
  return good;
}

static bool take(options *out, const char *name, const char *value) {
  enum { most_nodes = 6000, most_clients = 10000, most_accounts = 1000 };
  plan *p = &out->plan;
  if (strcmp(name, "--seed") == 0)
    return one_seed(out, value);
  if (strcmp(name, "--seeds") == 0)
    return range(out, value);
  if (strcmp(name, "--nodes") == 0)
    return size(&p->nodes, value, 1, most_nodes) && size(&out->policy_plan.nodes, value, 1, most_nodes);
  if (strcmp(name, "--swarm") == 0)
    return size(&p->swarm_size, value, 1, 100);
  if (strcmp(name, "--clients") == 0)
    return size(&p->clients, value, 1, most_clients) &&
           size(&out->policy_plan.clients, value, 1, most_clients);
  if (strcmp(name, "--accounts") == 0)
    return size(&p->accounts, value, 1, most_accounts);
  if (strcmp(name, "--requests") == 0)
    return size(&p->requests, value, 0, SIZE_MAX);
  if (strcmp(name, "--faults") == 0)
    return level(&out->level, value);
  if (strcmp(name, "--hostile") == 0)
    return number32(&out->hostile, value, 900);
  if (strcmp(name, "--dead") == 0)
    return number32(&p->dead, value, most_nodes);
  if (strcmp(name, "--days") == 0)
    return number32(&out->policy_plan.days, value, 400);
  if (strcmp(name, "--policy") == 0) {
    out->policy = true;
    return policy_strategy_named(&out->policy_plan.strategy, value);
  }
  if (strcmp(name, "--strategy") == 0)
    return (p->strategy |= trait_named(value)) != 0;
  if (strcmp(name, "--pause") == 0)
    return pause(out, value);
  if (strcmp(name, "--line") == 0)
    return (p->line = line_named(value)) != LINE_HONEST;
  if (strcmp(name, "--line-time") == 0)
    return number32(&p->line_s, value, 40 * 24 * 3600);
  if (strcmp(name, "--client-clock") == 0)
    return whole_number(&p->client_clock_ms, value);
  if (strcmp(name, "--transport") == 0)
    return transport(p, value);
  return strcmp(name, "--flaw") == 0 && flaw_of(out, value);
}

static bool take_switch(options *out, const char *name) {
  if (strcmp(name, "--trace") == 0)
    return out->plan.loud = true;
  if (strcmp(name, "--self-test") == 0)
    return out->self_test = true;
  return strcmp(name, "--help") == 0 && (out->asks_for_help = true);
}

bool options_parse(options *out, const char **wrong, int argc, char **argv) {
  *out = (options){.first_seed = 1,
                   .last_seed = 1,
                   .level = PLAN_HEAVY,
                   .plan = {.nodes = 60,
                            .swarm_size = 7,
                            .clients = 5,
                            .accounts = plan_usual_accounts,
                            .requests = 200,
                            .line_s = 600},
                   .policy_plan = {.nodes = 200, .clients = 300, .days = 30, .pause_s = 900}};
  for (int i = 1; i < argc; i++) {
    *wrong = argv[i];
    if (take_switch(out, argv[i]))
      continue;
    if (i + 1 == argc || !take(out, argv[i], argv[i + 1]))
      return false;
    i++;
  }
  return true;
}
