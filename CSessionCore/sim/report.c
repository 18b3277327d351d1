#include "report.h"

#include <inttypes.h>
#include <stdlib.h>

#include "memory.h"
#include "world.h"

void report_count(world *w, const client_call *a, const sc_network_reply *reply) {
  report *r = w->report;
  r->made[a->kind]++;
  r->attempts += reply->attempts;
  if (reply->status == SC_OK) {
    r->good[a->kind]++;
    r->latencies = memory_grow(r->latencies, r->latency_count, &r->latency_capacity, sizeof *r->latencies);
    r->latencies[r->latency_count++] = (uint32_t)((w->agenda.now - a->made_at) / SIM_MILLISECOND);
  } else if (reply->status == SC_ERR_REQUEST_FAILED) {
    r->said_no++;
  } else {
    r->failed++;
    r->cut_short += reply->status == SC_ERR_NETWORK_SUSPENDED || reply->status == SC_ERR_NETWORK_CLOSED;
    unsigned index = (unsigned)-(int)reply->status;
    r->by_status[index < report_statuses ? index : 0]++;
  }
}

void report_refused(world *w, sc_status status) {
  (void)status;
  w->report->refused++;
}

void report_conclude(world *w) {
  report *r = w->report;
  r->worlds++;
  r->steps += w->agenda.steps;
  r->virtual_time += w->agenda.now;
  r->incidents += w->weather.incidents;
  r->promises += w->oracle.promise_count;
  r->burials += w->oracle.burial_count;
  r->died += w->oracle.died;
  r->bans += w->oracle.bans;
  r->measurements += w->oracle.measurements;
  r->wrong_clocks += w->oracle.wrong_clocks;
  r->due += w->oracle.due;
  r->lost += w->oracle.lost;
  r->polls += w->oracle.polls_made;
  r->placed += w->oracle.placed;
  r->astray += w->oracle.astray;
  r->lists += w->oracle.lists_taken;
  r->wide_lists += w->oracle.wide_changes;
  r->most_memory = w->oracle.most_memory > r->most_memory ? w->oracle.most_memory : r->most_memory;
  r->most_open = w->wire.most_open > r->most_open ? w->wire.most_open : r->most_open;
  r->longest_heal = w->oracle.longest_heal > r->longest_heal ? w->oracle.longest_heal : r->longest_heal;
}

void report_free(report *r) {
  free(r->latencies);
  *r = (report){0};
}

static int compare(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static uint32_t percentile(const report *r, unsigned per_mille) {
  return r->latency_count == 0 ? 0 : r->latencies[(r->latency_count - 1) * per_mille / 1000];
}

static double share(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * (double)part / (double)whole;
}

static void print_failures(const report *r, FILE *to) {
  for (unsigned i = 0; i < report_statuses; i++)
    if (r->by_status[i] > 0)
      fprintf(to, "    %8" PRIu64 "  %s\n", r->by_status[i], sc_status_text((sc_status)(-(int)i)));
}

void report_print(report *r, double cpu, double wall, FILE *to) {
  uint64_t made = 0, good = 0;
  for (unsigned i = 0; i < client_call_kind_count; i++) {
    made += r->made[i];
    good += r->good[i];
  }
  qsort(r->latencies, r->latency_count, sizeof *r->latencies, compare);
  fprintf(to,
          "requests   %" PRIu64 " in %" PRIu64
          " worlds: %.1f %% succeeded, %.1f %% were told no, %.1f %% failed\n",
          made, r->worlds, share(good, made), share(r->said_no, made), share(r->failed, made));
  for (unsigned i = 0; i < client_call_kind_count; i++)
    fprintf(to, "           %-15s %8" PRIu64 "  %5.1f %%\n", client_call_kind_name((client_call_kind)i),
            r->made[i], share(r->good[i], r->made[i]));
  print_failures(r, to);
  fprintf(to, "attempts   %.2f a request; %" PRIu64 " requests were not taken\n",
          made == 0 ? 0 : (double)r->attempts / (double)made, r->refused);
  fprintf(to, "latency    p50 %u ms, p90 %u ms, p99 %u ms, most %u ms (virtual)\n", percentile(r, 500),
          percentile(r, 900), percentile(r, 990), percentile(r, 1000));
  fprintf(to,
          "stores     %" PRIu64 " acknowledged; of %" PRIu64 " all honest keepers left for good; %" PRIu64
          " deletions acknowledged\n",
          r->promises, r->died, r->burials);
  fprintf(to, "faults     %" PRIu64 " incidents; honest nodes without a blemish left alone: %" PRIu64 "\n",
          r->incidents, r->bans);
  fprintf(to, "clocks     %" PRIu64 " measurements, %" PRIu64 " of them off by more than 30 s\n",
          r->measurements, r->wrong_clocks);
  fprintf(to, "lists      %" PRIu64 " accepted from nodes alone, %" PRIu64 " of them by six of eight\n",
          r->lists, r->wide_lists);
  if (r->placed > 0)
    fprintf(to,
            "swarms     %" PRIu64 " requests about accounts, %" PRIu64 " of them at nodes of another swarm\n",
            r->placed, r->astray);
  if (r->polls > 0)
    fprintf(to, "polls      %" PRIu64 " at members in turn\n", r->polls);
  if (r->due > 0)
    fprintf(to, "strategy   %" PRIu64 " requests over honest guards, %" PRIu64 " of them failed\n", r->due,
            r->lost);
  fprintf(to, "clients    connected again after %.1f s at most; %zu KiB of memory at most\n",
          (double)r->longest_heal / 1e9, r->most_memory / 1024);
  fprintf(to,
          "speed      %.0f requests, %.0f steps, %.0f virtual seconds a second of CPU (%.1f s; by the clock "
          "%.1f s)\n",
          (double)made / cpu, (double)r->steps / cpu, (double)r->virtual_time / 1e9 / cpu, cpu, wall);
}
