#include "session-core/runtime/guest.h"

#include "loop.h"

static bool options_fit(const sc_guest_options *options) {
  return options->address_count >= 1 && options->address_count <= SC_GUEST_MAX_SOCKETS;
}

sc_status sc_guest_new(sc_guest **out, sc_runtime *runtime, const sc_guest_options *options) {
  *out = NULL;
  if (!options_fit(options))
    return SC_ERR_ARGUMENT;
  if (atomic_load(&runtime->phase) == SC_PHASE_THREADED && !sc_loop_is_here(runtime))
    return SC_ERR_RUNTIME_THREAD;
  if (runtime->closing)
    return SC_ERR_STATE;
  if (runtime->guest_count == SC_RUNTIME_MAX_GUESTS)
    return SC_ERR_RUNTIME_FULL;
  sc_guest *guest = sc_allocate(runtime->env, sizeof *guest);
  if (guest == NULL)
    return SC_ERR_NO_MEMORY;
  *guest = (sc_guest){
      .runtime = runtime,
      .driven = options->driven,
      .close = options->close,
      .closed = options->closed,
      .user = options->user,
  };
  sc_status status = sc_guest_open(guest, options, &runtime->options, &runtime->io);
  if (status != SC_OK) {
    sc_release(runtime->env, guest);
    return status;
  }
  runtime->guests[runtime->guest_count++] = guest;
  *out = guest;
  return SC_OK;
}

/* Inside a turn the loop may hold the guest, and events may name its sockets: it is only marked there. */
void sc_guest_free(sc_guest *guest) {
  if (guest == NULL || guest->gone)
    return;
  sc_runtime *runtime = guest->runtime;
  sc_guest_close(guest, &runtime->io);
  guest->gone = true;
  runtime->some_gone = true;
  if (!sc_loop_is_here(runtime))
    sc_loop_forget_gone(runtime);
}

sc_status sc_guest_address(sc_address *out, const sc_guest *guest, size_t index) {
  if (index >= guest->socket_count)
    return SC_ERR_ARGUMENT;
  *out = guest->sockets[index].udp.local;
  return SC_OK;
}
