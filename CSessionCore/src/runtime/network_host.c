/* Requests cross to the host's thread written down (network/draft.h), each with a number of its own; what the
 * network calls it is known on that thread alone. */
#include "network_host.h"

#include <stdatomic.h>

#include "../network/draft.h"
#include "cache_file.h"
#include "file_lock.h"
#include "loop.h"
#include "session-core/runtime/clock.h"
#include "session-core/runtime/guest.h"

enum { file_count = 4, bucket_count = 256 };

/* The time between two attempts at a file that another process writes. */
static const uint64_t lock_pause = SC_NODE_SECOND / 50;

/* The time after which guards that another process replaced are no longer used. */
static const uint64_t look_pause = 60 * SC_NODE_SECOND;

/* One request, from any thread to its end. */
typedef struct host_request {
  struct host_request *next;
  struct host_request **link; /* while the network has it */
  sc_network_host *host;
  sc_network_ticket number; /* that the program knows it by */
  sc_network_ticket ticket; /* that the network does */
  sc_network_done done;
  void *user;
  sc_draft draft;
} host_request;

struct sc_network_host {
  const sc_env *env;
  sc_network *network;
  sc_network_list list; /* that the options are of, if they are of one */
  sc_runtime *runtime;
  sc_guest *guest;
  sc_network_events events; /* the program's */
  bool is_private;
  bool kept[file_count];
  char paths[file_count][sc_cache_path_bytes];
  char lock[sc_cache_path_bytes];
  uint64_t retry_at; /* when to try again to write; SC_NEVER unless the lock was taken */
  uint64_t look_at;  /* when to look for another file of guards than … */
  uint64_t seen;     /* … that of this time */
  bool dirty[file_count];
  host_request *requests[bucket_count]; /* that the network has, by number */
  atomic_uint_least64_t last_number;
  atomic_bool started; /* from then on the network is its thread's */
};

/* ---- files ---- */

/* With `only_news`, guards that were read before are not read again. */
static void read_file(sc_network_host *host, uint64_t now, sc_network_file file, bool only_news) {
  sc_buffer bytes;
  uint64_t written;
  sc_buffer_init(&bytes, host->env);
  sc_status status = sc_cache_read(&bytes, &written, host->paths[file]);
  bool is_known = file == SC_NETWORK_GUARDS_FILE && status == SC_OK && written == host->seen && only_news;
  if (status == SC_OK && file == SC_NETWORK_GUARDS_FILE)
    host->seen = written;
  if (status == SC_OK && !is_known)
    status = sc_network_load(host->network, now, file, sc_buffer_bytes(&bytes), written);
  if (status != SC_OK && status != SC_ERR_NOT_FOUND)
    sc_log(host->env, SC_LOG_WARNING, "network: a saved file is of no use");
  sc_buffer_free(&bytes);
}

static void write_file(sc_network_host *host, sc_network_file file) {
  sc_buffer bytes;
  sc_buffer_init(&bytes, host->env);
  host->dirty[file] = false;
  sc_status status = sc_network_save(&bytes, host->network, file);
  if (status == SC_OK)
    status = sc_cache_write(host->paths[file], sc_buffer_bytes(&bytes));
  if (status != SC_OK)
    sc_log(host->env, SC_LOG_WARNING, "network: a file could not be saved");
  sc_buffer_free(&bytes);
}

/* Other processes change the guards too: their changes are merged under the lock. */
static void write_guards(sc_network_host *host, uint64_t now) {
  int lock;
  sc_status status = sc_file_lock_take(&lock, host->lock);
  if (status == SC_ERR_RUNTIME_BUSY) {
    host->retry_at = now + lock_pause;
    return;
  }
  if (status == SC_OK)
    read_file(host, now, SC_NETWORK_GUARDS_FILE, false);
  write_file(host, SC_NETWORK_GUARDS_FILE);
  if (status == SC_OK)
    sc_file_lock_release(lock);
}

static void write_files(sc_network_host *host, uint64_t now) {
  host->retry_at = SC_NEVER;
  for (size_t i = 0; i < file_count; i++)
    if (host->dirty[i] && i != SC_NETWORK_GUARDS_FILE)
      write_file(host, (sc_network_file)i);
  if (host->dirty[SC_NETWORK_GUARDS_FILE])
    write_guards(host, now);
}

/* Another process may have replaced the guards, because a person said so. */
static void look_at_guards(sc_network_host *host, uint64_t now) {
  if (!host->kept[SC_NETWORK_GUARDS_FILE] || now < host->look_at)
    return;
  host->look_at = now + look_pause;
  read_file(host, now, SC_NETWORK_GUARDS_FILE, true);
}

static sc_status find_files(sc_network_host *host, const sc_network_host_options *options) {
  const char *state = options->state_folder != NULL ? options->state_folder : options->folder;
  sc_status status = state != NULL ? sc_cache_path(host->lock, state, "lock") : SC_OK;
  for (size_t i = 0; i < file_count && status == SC_OK; i++) {
    const char *folder = i == SC_NETWORK_GUARDS_FILE ? state : options->folder;
    char name[SC_NETWORK_FILE_NAME_BYTES];
    if (folder == NULL)
      continue;
    host->kept[i] = true;
    sc_network_file_name(name, host->network, (sc_network_file)i);
    status = sc_cache_path(host->paths[i], folder, name);
    if (status == SC_OK)
      read_file(host, sc_clock_now(), (sc_network_file)i, false);
  }
  return status;
}

/* ---- events ---- */

static void note_save(void *user, sc_network_file file) {
  sc_network_host *host = user;
  host->dirty[file] = host->kept[file];
  if (host->events.save != NULL)
    host->events.save(host->events.user, file);
}

static void tell_status(void *user, const sc_network_status *status) {
  const sc_network_host *host = user;
  if (host->events.status != NULL)
    host->events.status(host->events.user, status);
}

static void tell_paths(void *user) {
  const sc_network_host *host = user;
  if (host->events.paths != NULL)
    host->events.paths(host->events.user);
}

/* ---- driving ---- */

static void receive(void *self, uint64_t now, const sc_datagrams *runs, size_t count) {
  const sc_network_host *host = self;
  sc_network_set_wall(host->network, now, sc_clock_wall_ms());
  sc_driven_receive(sc_network_driven(host->network), now, runs, count);
}

static void send(void *self, uint64_t now, sc_outbox *out) {
  sc_network_host *host = self;
  sc_network_set_wall(host->network, now, sc_clock_wall_ms());
  sc_driven_send(sc_network_driven(host->network), now, out);
  look_at_guards(host, now);
  write_files(host, now);
}

static uint64_t deadline(const void *self) {
  const sc_network_host *host = self;
  uint64_t due = sc_driven_deadline(sc_network_driven(host->network));
  return due < host->retry_at ? due : host->retry_at;
}

static void close_network(void *user, uint64_t now) {
  sc_network_host *host = user;
  sc_network_suspend(host->network, now);
  write_files(host, now);
}

static sc_status open_guest(sc_network_host *host, const sc_address *address) {
  static const sc_driven_methods methods = {.receive = receive, .send = send, .deadline = deadline};
  sc_address from = *address;
  if (from.family == SC_ADDRESS_NONE)
    sc_address_ipv4(&from, (const uint8_t[4]){0}, 0);
  const sc_guest_options guest = {
      .driven = {host, &methods},
      .addresses = &from,
      .address_count = 1,
      .close = close_network,
      .user = host,
  };
  return sc_guest_new(&host->guest, host->runtime, &guest);
}

/* Nodes of a private network may be on this machine, and need no link to others. */
static void note_link(void *user, uint64_t now, bool is_up) {
  const sc_network_host *host = user;
  sc_network_set_wall(host->network, now, sc_clock_wall_ms());
  sc_network_note_link(host->network, now,
                       is_up || host->is_private ? SC_NETWORK_LINK_UP : SC_NETWORK_LINK_DOWN);
}

/* ---- making ---- */

static sc_status make_network(sc_network_host *host, const sc_network_options *options) {
  sc_network_options own = *options;
  host->events = options->events;
  own.events =
      (sc_network_events){.user = host, .status = tell_status, .paths = tell_paths, .save = note_save};
  sc_status status = sc_network_new(&host->network, host->env, &own);
  if (status == SC_OK)
    sc_network_set_wall(host->network, sc_clock_now(), sc_clock_wall_ms());
  return status;
}

sc_status sc_network_host_new(sc_network_host **out, const sc_env *env, const sc_network_options *network,
                              const sc_network_host_options *options) {
  *out = NULL;
  sc_network_host *host = sc_allocate(env, sizeof *host);
  if (host == NULL)
    return SC_ERR_NO_MEMORY;
  *host = (sc_network_host){
      .env = env, .is_private = network->nodes.kind == SC_NETWORK_PRIVATE, .retry_at = SC_NEVER};
  sc_status status = make_network(host, network);
  if (status == SC_OK)
    status = find_files(host, options);
  if (status == SC_OK)
    status = sc_runtime_new(&host->runtime, env, &options->runtime);
  if (status == SC_OK)
    status = open_guest(host, &options->address);
  if (status == SC_OK && !sc_loop_watch_link(host->runtime, note_link, host))
    note_link(host, sc_clock_now(), false);
  if (status == SC_OK)
    *out = host;
  else
    sc_network_host_free(host);
  return status;
}

sc_status sc_network_host_start(sc_network_host *host, bool build) {
  if (atomic_exchange(&host->started, true))
    return SC_ERR_STATE;
  sc_network_resume(host->network, sc_clock_now(), build);
  sc_status status = sc_runtime_start(host->runtime);
  atomic_store(&host->started, status == SC_OK);
  return status;
}

sc_status sc_network_host_stop(sc_network_host *host, uint64_t grace) {
  return sc_runtime_stop(host->runtime, grace);
}

void sc_network_host_free(sc_network_host *host) {
  if (host == NULL)
    return;
  sc_runtime_free(host->runtime);
  sc_network_free(host->network);
  sc_network_list_free(&host->list);
  sc_release(host->env, host);
}

void sc_network_host_keep(sc_network_host *host, const sc_network_list *list) {
  host->list = *list;
}

sc_status sc_network_host_may_wait(const sc_network_host *host) {
  if (sc_loop_is_here(host->runtime))
    return SC_ERR_RUNTIME_THREAD;
  return atomic_load(&host->started) ? SC_OK : SC_ERR_STATE;
}

/* ---- requests ---- */

static void end(host_request *r, const sc_network_reply *reply) {
  sc_network_done done = r->done;
  void *user = r->user;
  sc_network_ticket number = r->number;
  if (r->link != NULL) {
    *r->link = r->next;
    if (r->next != NULL)
      r->next->link = r->link;
  }
  sc_draft_free(&r->draft, r->host->env);
  sc_release(r->host->env, r);
  if (done != NULL)
    done(user, number, reply);
}

static void came_back(void *user, sc_network_ticket ticket, const sc_network_reply *reply) {
  (void)ticket;
  end(user, reply);
}

static host_request **bucket_of(sc_network_host *host, sc_network_ticket number) {
  return &host->requests[number % bucket_count];
}

static void run(void *user, uint64_t now) {
  host_request *r = user;
  sc_network_host *host = r->host;
  r->draft.request.done = came_back;
  r->draft.request.user = r;
  sc_status status = sc_network_submit(&r->ticket, host->network, now, &r->draft);
  if (status != SC_OK) {
    end(r, &(sc_network_reply){.status = status});
    return;
  }
  host_request **bucket = bucket_of(host, r->number);
  r->next = *bucket;
  r->link = bucket;
  if (r->next != NULL)
    r->next->link = &r->next;
  *bucket = r;
}

static sc_status write_down(host_request *r, const sc_network_request *request) {
  sc_buffer scratch;
  sc_buffer_init(&scratch, r->host->env);
  sc_status status = sc_draft_make(&r->draft, r->host->env, &scratch, request);
  sc_buffer_free(&scratch);
  return status;
}

sc_status sc_network_host_send(sc_network_ticket *out, sc_network_host *host,
                               const sc_network_request *request) {
  host_request *r = sc_allocate(host->env, sizeof *r);
  if (r == NULL)
    return SC_ERR_NO_MEMORY;
  *r = (host_request){.host = host, .done = request->done, .user = request->user};
  r->number = atomic_fetch_add(&host->last_number, 1) + 1;
  /* It may be done before this returns. */
  if (out != NULL)
    *out = r->number;
  sc_status status = write_down(r, request);
  if (status == SC_OK)
    status = sc_runtime_post(host->runtime, run, r);
  if (status != SC_OK) {
    if (out != NULL)
      *out = 0;
    sc_draft_free(&r->draft, host->env);
    sc_release(host->env, r);
  }
  return status;
}

/* ---- other things to do there ---- */

typedef struct chore {
  sc_network_host *host;
  sc_network_ticket number;  /* to cancel … */
  sc_network_host_task task; /* … or what to do */
  void *user;
} chore;

static void cancel(sc_network_host *host, uint64_t now, sc_network_ticket number) {
  const host_request *r = *bucket_of(host, number);
  while (r != NULL && r->number != number)
    r = r->next;
  if (r == NULL)
    return;
  sc_status status = sc_network_cancel(host->network, now, r->ticket);
  (void)status; /* it is there */
}

static void do_chore(void *user, uint64_t now) {
  chore c = *(chore *)user;
  sc_release(c.host->env, user);
  if (c.task != NULL)
    c.task(c.user, c.host->network, now);
  else
    cancel(c.host, now, c.number);
}

static sc_status post(sc_network_host *host, chore what) {
  chore *c = sc_allocate(host->env, sizeof *c);
  if (c == NULL)
    return SC_ERR_NO_MEMORY;
  *c = what;
  sc_status status = sc_runtime_post(host->runtime, do_chore, c);
  if (status != SC_OK)
    sc_release(host->env, c);
  return status;
}

sc_status sc_network_host_cancel(sc_network_host *host, sc_network_ticket ticket) {
  return post(host, (chore){.host = host, .number = ticket});
}

sc_status sc_network_host_post(sc_network_host *host, sc_network_host_task task, void *user) {
  return post(host, (chore){.host = host, .task = task, .user = user});
}
