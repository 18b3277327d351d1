#define _GNU_SOURCE

#include "CSystemBus.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/eventfd.h>

#define SYMBOL(name, result, parameters) {#name, offsetof(bus_functions, name)},

static bus_functions library;
static const char *missing;

static void load(void) {
  const struct {
    const char *name;
    size_t place;
  } symbols[] = {BUS_FUNCTIONS(SYMBOL)};
  missing = "libsystemd.so.0";
  void *handle = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return;
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
    missing = symbols[i].name;
    void *found = dlsym(handle, symbols[i].name);
    if (!found)
      return;
    memcpy((char *)&library + symbols[i].place, &found, sizeof found);
  }
  missing = NULL;
}

static void load_once(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
}

const bus_functions *bus_load(void) {
  load_once();
  return missing ? NULL : &library;
}

const char *bus_missing(void) {
  load_once();
  return missing;
}

int bus_bell(void) {
  return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

/* The only failure is a full counter: the bell rings already. */
void bus_ring(int bell) {
  (void)eventfd_write(bell, 1);
}

void bus_silence(int bell) {
  eventfd_t count;
  (void)eventfd_read(bell, &count);
}
