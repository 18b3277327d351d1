#include "schedule.h"

#include <stdio.h>
#include <string.h>

static const char *const names[verb_count] = {
    [do_edit] = "edit",       [do_own] = "own",         [do_push] = "push",       [do_arrive] = "arrive",
    [do_poll] = "poll",       [do_dump] = "dump",       [do_restart] = "restart", [do_crash] = "crash",
    [do_tidy] = "tidy",       [do_restore] = "restore", [do_lose] = "lose",       [do_litter] = "litter",
    [do_wait] = "wait",       [do_grow] = "grow",       [do_rotate] = "rotate",   [do_learn] = "learn",
    [do_promote] = "promote", [do_gather] = "gather",   [do_settle] = "settle",   [do_invite] = "invite",
    [do_remove] = "remove",   [do_rekey] = "rekey",     [do_sync] = "sync",       [do_write] = "write",
};

const char *verb_name(verb verb) {
  return names[verb];
}

/* The low bits of a push's choices; 0 means it arrives. */
enum { fate_bits = 4 };

fate fate_of(const step *push) {
  static const fate fates[1 << fate_bits] = {
      fate_arrives, fate_arrives,     fate_arrives,     fate_arrives,     fate_arrives,   fate_arrives,
      fate_arrives, fate_unconfirmed, fate_unconfirmed, fate_stored_only, fate_undeleted, fate_partly_stored,
      fate_lost,    fate_lost,        fate_under_way,   fate_under_way,
  };
  return fates[push->choices & ((1 << fate_bits) - 1)];
}

static uint32_t arriving(uint32_t choices) {
  return choices & ~(uint32_t)((1 << fate_bits) - 1);
}

static void add(schedule *to, verb verb, unsigned device, uint32_t choices) {
  if (to->count < most_steps)
    to->steps[to->count++] = (step){verb, device, choices};
}

static uint32_t choices(draws *from) {
  return (uint32_t)draw(from);
}

typedef struct weighted {
  verb verb;
  uint32_t weight;
} weighted;

/* Draws a step; common ones are more likely. */
static const weighted of_config[] = {{do_edit, 30},   {do_push, 24},   {do_poll, 24},  {do_arrive, 5},
                                     {do_dump, 4},    {do_restart, 4}, {do_crash, 2},  {do_tidy, 3},
                                     {do_restore, 2}, {do_lose, 2},    {do_litter, 1}, {do_wait, 3},
                                     {do_rotate, 2},  {do_learn, 3},   {do_promote, 1}};
enum { only_of_groups = 3 };
static const weighted of_administration[] = {{do_sync, 30},  {do_push, 20}, {do_write, 15},  {do_invite, 8},
                                             {do_remove, 6}, {do_rekey, 4}, {do_promote, 2}, {do_restart, 4},
                                             {do_lose, 1},   {do_wait, 6}};

static verb draw_weighted(draws *from, const weighted *among, size_t count) {
  uint32_t all = 0;
  for (size_t i = 0; i < count; i++)
    all += among[i].weight;
  uint32_t at = draw_below(from, all);
  size_t which = 0;
  for (; at >= among[which].weight; which++)
    at -= among[which].weight;
  return among[which].verb;
}

static verb draw_verb(draws *from, const schedule_options *options) {
  if (options->administration)
    return draw_weighted(from, of_administration, sizeof of_administration / sizeof of_administration[0]);
  size_t count = sizeof of_config / sizeof of_config[0];
  return draw_weighted(from, of_config, options->of_group ? count : count - only_of_groups);
}

static void add_any(schedule *to, draws *from, const schedule_options *options, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    verb verb = draw_verb(from, options);
    unsigned device = draw_below(from, to->devices);
    add(to, verb, device, choices(from));
  }
}

/* One device, an admin, revises the config so often that offline devices fall behind by more than a message's
 * lag. */
static void add_spell(schedule *to, draws *from) {
  unsigned busy = draw_below(from, to->admins);
  for (uint32_t left = 4 + draw_below(from, 4); left > 0; left--) {
    add(to, do_edit, busy, choices(from));
    add(to, do_push, busy, arriving(choices(from)));
  }
}

/* Every device sets its own value, perhaps more than once, before any device polls. */
static void add_fan(schedule *to, draws *from) {
  for (unsigned i = 0; i < to->devices; i++)
    for (uint32_t left = 1 + draw_below(from, 2); left > 0; left--) {
      add(to, do_own, i, choices(from));
      if (draw_one_in(from, 2))
        add(to, do_push, i, choices(from));
    }
  add(to, do_gather, 0, choices(from));
  add(to, do_settle, 0, choices(from));
}

static void make_administration(schedule *out, draws *from, const schedule_options *options) {
  out->devices = 4 + draw_below(from, 3);
  out->admins = 2;
  out->real_crypto = draw_one_in(from, 64);
  out->end = choices(from);
  add_any(out, from, options, 8 + draw_below(from, 24));
}

void schedule_make(schedule *out, uint64_t seed, const schedule_options *options) {
  draws from = draws_from(seed);
  if (options->administration) {
    *out = (schedule){0};
    make_administration(out, &from, options);
    return;
  }
  *out = (schedule){.devices = 3 + draw_below(&from, 3)};
  out->admins = options->of_group ? 2 : out->devices;
  out->real_crypto = draw_one_in(&from, 64);
  out->end = choices(&from);
  if (draw_one_in(&from, 6))
    add_fan(out, &from);
  if (options->may_grow && draw_one_in(&from, 400)) {
    unsigned device = draw_below(&from, out->devices);
    add(out, do_grow, device, choices(&from));
  }
  add_any(out, &from, options, 4 + draw_below(&from, 8));
  if (draw_one_in(&from, 6))
    add_spell(out, &from);
  else if (draw_one_in(&from, 4))
    add(out, do_settle, 0, choices(&from));
  add_any(out, &from, options, 2 + draw_below(&from, 8));
}

void schedule_print(char out[schedule_chars], const schedule *plan) {
  size_t len = (size_t)snprintf(out, schedule_chars, "devices=%u admins=%u crypto=%s end=%x", plan->devices,
                                plan->admins, plan->real_crypto ? "real" : "light", plan->end);
  for (size_t i = 0; i < plan->count; i++) {
    const step *s = &plan->steps[i];
    len +=
        (size_t)snprintf(out + len, schedule_chars - len, " %s%u=%x", names[s->verb], s->device, s->choices);
  }
}

static bool parse_step(step *out, const char *word) {
  char name[16];
  int read = 0;
  if (sscanf(word, "%15[a-z]%u=%x%n", name, &out->device, &out->choices, &read) != 3 || word[read] != '\0')
    return false;
  for (int v = 0; v < verb_count; v++)
    if (strcmp(names[v], name) == 0) {
      out->verb = (verb)v;
      return out->device < most_devices;
    }
  return false;
}

bool schedule_parse(schedule *out, const char *text) {
  char crypto[8], word[32];
  int read = 0;
  *out = (schedule){0};
  if (sscanf(text, "devices=%u admins=%u crypto=%7s end=%x%n", &out->devices, &out->admins, crypto, &out->end,
             &read) != 4)
    return false;
  out->real_crypto = strcmp(crypto, "real") == 0;
  for (text += read; sscanf(text, " %31s%n", word, &read) == 1; text += read) {
    if (out->count == most_steps || !parse_step(&out->steps[out->count], word))
      return false;
    if (out->steps[out->count++].device >= out->devices)
      return false;
  }
  return out->devices > 0 && out->devices <= most_devices && out->admins > 0 && out->admins <= out->devices;
}
