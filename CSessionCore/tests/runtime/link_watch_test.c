#define _DEFAULT_SOURCE /* IFF_RUNNING */

#include "runtime/link_watch.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/loop.h"
#include "runtime/system.h"
#include "toy.h"

typedef struct interface {
  char name[8];
  struct sockaddr_in address;
  struct ifaddrs entry;
} interface;

static struct ifaddrs *make(interface *out, const char *name, unsigned flags, uint32_t address) {
  *out = (interface){.address = {.sin_family = AF_INET, .sin_addr.s_addr = address}};
  strncpy(out->name, name, sizeof out->name - 1);
  out->entry = (struct ifaddrs){
      .ifa_name = out->name, .ifa_flags = flags, .ifa_addr = (struct sockaddr *)&out->address};
  return &out->entry;
}

static void addresses_that_lead_outside_are_a_link(sc_test *t) {
  interface a, b;
  uint64_t one = sc_link_addresses(make(&a, "eth0", IFF_UP | IFF_RUNNING, 1));
  CHECK(one != 0 && one == sc_link_addresses(make(&b, "eth0", IFF_UP | IFF_RUNNING, 1)));
  CHECK(sc_link_addresses(make(&a, "eth0", IFF_UP, 1)) == 0);
  CHECK(sc_link_addresses(make(&a, "eth0", IFF_RUNNING, 1)) == 0);
  CHECK(sc_link_addresses(make(&a, "lo", IFF_UP | IFF_RUNNING | IFF_LOOPBACK, 1)) == 0);
  make(&a, "eth0", IFF_UP | IFF_RUNNING, 1)->ifa_addr = NULL;
  CHECK(sc_link_addresses(&a.entry) == 0 && sc_link_addresses(NULL) == 0);
done:;
}

static void another_address_is_another_link(sc_test *t) {
  interface a, b;
  uint64_t one = sc_link_addresses(make(&a, "eth0", IFF_UP | IFF_RUNNING, 1));
  CHECK(sc_link_addresses(make(&b, "eth0", IFF_UP | IFF_RUNNING, 2)) != one);
  CHECK(sc_link_addresses(make(&b, "wlan0", IFF_UP | IFF_RUNNING, 1)) != one);
  a.entry.ifa_next = make(&b, "wlan0", IFF_UP | IFF_RUNNING, 2);
  uint64_t both = sc_link_addresses(&a.entry);
  a.entry.ifa_next = NULL;
  b.entry.ifa_next = &a.entry;
  CHECK(both != one && sc_link_addresses(&b.entry) == both);
done:;
}

static void without_messages_there_is_a_link(sc_test *t) {
  const sc_link_watch none = {.fd = -1}, cut = {.fd = 0}, there = {.fd = 0, .known = 1};
  CHECK(sc_link_watch_is_up(&none) && !sc_link_watch_is_up(&cut) && sc_link_watch_is_up(&there));
done:;
}

typedef struct told {
  size_t times;
  bool is_up;
} told;

static void note(void *user, uint64_t now, bool is_up) {
  told *out = user;
  out->times += now > 0;
  out->is_up = is_up;
}

/* A pair of sockets stands for the kernel, and a number of no address for what was known before. */
static void the_loop_tells_of_another_link_once(sc_test *t) {
  const uint64_t other = 12345;
  sc_runtime *runtime = NULL;
  int pair[2] = {-1, -1};
  told out = {0};
  OK(sc_runtime_new(&runtime, t->env, NULL));
  (void)sc_loop_watch_link(runtime, note, &out);
  CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) == 0);
  sc_link_watch_close(&runtime->link);
  runtime->link = (sc_link_watch){.fd = pair[0], .known = other};
  OK(sc_system_watch(runtime->epoll, pair[0], &runtime->link));
  OK(sc_runtime_step(runtime, false));
  CHECK(out.times == 0);
  for (size_t i = 0; i < 3; i++)
    CHECK(send(pair[1], "changed", 7, 0) == 7);
  OK(sc_runtime_step(runtime, true));
  CHECK(out.times == 1 && out.is_up == sc_link_watch_is_up(&runtime->link));
  CHECK(send(pair[1], "changed", 7, 0) == 7);
  OK(sc_runtime_step(runtime, true));
  CHECK(out.times == 1);
done:
  sc_runtime_free(runtime);
  if (pair[1] >= 0)
    close(pair[1]);
}

SUITE(runtime_link_watch, "runtime/link_watch",
      {"addresses that lead outside are a link", addresses_that_lead_outside_are_a_link},
      {"another address is another link", another_address_is_another_link},
      {"without messages there is a link", without_messages_there_is_a_link},
      {"the loop tells of another link once", the_loop_tells_of_another_link_once});
