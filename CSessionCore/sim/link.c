#include "link.h"

enum {
  plane = 900,   /* tenths of a millisecond across */
  shortest = 20, /* from anywhere to anywhere */
  packet_bytes = 1200,
  most_tries = 6, /* of one packet */
};

static const uint64_t tenth = SIM_MILLISECOND / 10;

void link_end_draw(link_end *out, draws *from) {
  *out = (link_end){.bytes_per_second = link_usual_bandwidth};
  out->x = draw_below(from, plane);
  out->y = draw_below(from, plane);
  out->jitter = draw_below(from, 40) * tenth;
}

bool link_joins(const link_end *from, const link_end *to) {
  return !from->cut && !to->cut && from->island == to->island;
}

static uint64_t distance(uint32_t a, uint32_t b) {
  return a < b ? b - a : a - b;
}

static uint64_t latency(const link_end *from, const link_end *to, draws *chance) {
  uint64_t jitter = from->jitter + to->jitter;
  uint64_t more = jitter > 0 ? draw(chance) % jitter : 0;
  return (shortest + distance(from->x, to->x) + distance(from->y, to->y)) * tenth + more;
}

/* When the line is done with it. */
static uint64_t occupy(link_end *from, uint64_t now, uint64_t bytes) {
  uint64_t begins = from->busy_until > now ? from->busy_until : now;
  if (from->bytes_per_second > 0)
    begins += bytes * SIM_SECOND / from->bytes_per_second;
  return from->busy_until = begins;
}

static bool is_lost(const link_end *from, const link_end *to, draws *chance) {
  uint32_t lost = from->lost + to->lost;
  return lost > 0 && draw_below(chance, 1000) < lost;
}

bool link_carry_datagram(uint64_t *arrival, link_end *from, const link_end *to, uint64_t now, uint64_t bytes,
                         draws *chance) {
  uint64_t sent = occupy(from, now, bytes);
  if (!link_joins(from, to) || is_lost(from, to, chance))
    return false;
  *arrival = sent + latency(from, to, chance);
  return true;
}

/* A lost packet is noticed a round trip later, and after that ever more patiently. */
bool link_carry(uint64_t *arrival, link_end *from, const link_end *to, uint64_t now, uint64_t bytes,
                draws *chance) {
  uint64_t sent = occupy(from, now, bytes), one_way = latency(from, to, chance), delay = 0;
  if (!link_joins(from, to))
    return false;
  for (uint64_t left = bytes / packet_bytes + 1; left > 0; left--) {
    uint64_t waits = 0;
    unsigned tries = 0;
    while (is_lost(from, to, chance)) {
      if (++tries == most_tries)
        return false;
      waits += (2 * one_way + 250 * tenth) << (tries - 1);
    }
    delay = waits > delay ? waits : delay;
  }
  *arrival = sent + one_way + delay;
  return true;
}
