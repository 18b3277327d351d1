#include "runtime/system.h"

#include <errno.h>

#include "support/test.h"

static void system_errors_have_statuses(sc_test *t) {
  static const struct {
    int error;
    sc_status status;
  } cases[] = {
      {EMFILE, SC_ERR_SYSTEM_LIMIT},
      {ENFILE, SC_ERR_SYSTEM_LIMIT},
      {EAGAIN, SC_ERR_SYSTEM_LIMIT},
      {ENOSPC, SC_ERR_SYSTEM_LIMIT},
      {ENOMEM, SC_ERR_NO_MEMORY},
      {ENOBUFS, SC_ERR_NO_MEMORY},
      {EADDRINUSE, SC_ERR_SOCKET_IN_USE},
      {EADDRNOTAVAIL, SC_ERR_SOCKET_ADDRESS},
      {EAFNOSUPPORT, SC_ERR_SOCKET_ADDRESS},
      {ENODEV, SC_ERR_SOCKET_ADDRESS},
      {EACCES, SC_ERR_SOCKET_PERMISSION},
      {EPERM, SC_ERR_SOCKET_PERMISSION},
      {EPROTONOSUPPORT, SC_ERR_SYSTEM},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    CHECK(sc_system_status(cases[i].error) == cases[i].status);
done:;
}

static void an_unwatchable_descriptor_is_refused(sc_test *t) {
  FAILS(SC_ERR_SYSTEM, sc_system_watch(-1, -1, NULL));
done:;
}

SUITE(runtime_system, "runtime/system", {"system errors have statuses", system_errors_have_statuses},
      {"an unwatchable descriptor is refused", an_unwatchable_descriptor_is_refused});
