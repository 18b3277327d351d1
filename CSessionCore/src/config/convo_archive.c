/* How conversations age: read state of long ago leaves the synced data, which stays small that way, for the
 * archive, which is data of the same form that only this device has. */
#include "convo_info_volatile.h"

#include "data.h"
#include "diff.h"

/* Changes of both */

void sc_convo_change_begin(sc_convo_change *out, sc_convo_info *info) {
  out->info = info;
  sc_config_change_begin(&out->synced, info->config);
  out->archive = sc_config_tree_keep(info->archive);
}

sc_status sc_convo_change_end(sc_convo_change *change) {
  sc_convo_info *info = change->info;
  sc_config_node *unused = change->archive;
  bool same = sc_config_data_same(info->archive, change->archive);
  sc_status status = sc_config_change_end(&change->synced);
  if (status == SC_OK && !same) {
    unused = info->archive;
    info->archive = change->archive;
    sc_config_want_dump(info->config);
  }
  sc_config_tree_drop(info->env, unused);
  change->archive = NULL;
  return status;
}

void sc_convo_unarchive(sc_convo_change *change, const sc_convo_section *section, const sc_convo *convo) {
  if (change->synced.status == SC_OK)
    change->synced.status = sc_convo_remove(&change->archive, change->info->env, section, convo);
}

/* Copies the record at a path of `from` to the same path of `*to`; `*copied` says whether there was one. */
static sc_status copy_record(bool *copied, sc_config_node **to, const sc_env *env, const sc_config_node *from,
                             sc_config_path path) {
  sc_config_place place;
  sc_config_node *record;
  sc_status status = sc_config_data_find(&place, env, from, path);
  *copied = status == SC_OK && place.entry != NULL && sc_config_entry_kind(place.entry) == SC_CONFIG_DICT;
  if (!*copied)
    return status;
  status = sc_config_tree_of(&record, env, place.entry);
  if (status != SC_OK)
    return status;
  status = sc_config_data_put_dict(to, env, path, record);
  sc_config_tree_drop(env, record);
  return status;
}

void sc_convo_restore(sc_convo_change *change, const sc_convo_section *section, const sc_convo *convo) {
  const sc_env *env = change->info->env;
  sc_convo_path keys;
  sc_convo found = *convo;
  bool copied;
  if (change->synced.status != SC_OK || change->archive == NULL)
    return;
  sc_status status = sc_convo_find(&found, section, env, change->synced.data);
  if (status == SC_ERR_NOT_FOUND)
    status = copy_record(&copied, &change->synced.data, env, change->archive,
                         sc_convo_path_of(&keys, section, convo));
  change->synced.status = status;
}

/* Puts a synced conversation into the archive, too. */
static sc_status archive(sc_convo_change *change, const sc_convo_section *section, const sc_convo *convo) {
  const sc_env *env = change->info->env;
  sc_convo_path keys;
  bool copied;
  sc_status status = copy_record(&copied, &change->archive, env, change->synced.data,
                                 sc_convo_path_of(&keys, section, convo));
  if (status != SC_OK || !copied || section->kind != SC_CONVO_COMMUNITY)
    return status;
  const sc_bytes to_key[] = {keys.keys[0], keys.keys[1], sc_bytes_text("#")};
  return sc_config_data_edit(&change->archive, env, SC_CONFIG_PUT,
                             (sc_config_path){to_key, sizeof to_key / sizeof to_key[0]},
                             sc_config_string(SC_BYTES(convo->community.key)));
}

static void move_to_archive(sc_convo_change *change, const sc_convo_section *section, const sc_convo *convo) {
  if (change->synced.status == SC_OK)
    change->synced.status = archive(change, section, convo);
  if (change->synced.status == SC_OK)
    change->synced.status = sc_convo_remove(&change->synced.data, change->info->env, section, convo);
}

/* Age */

/* The time so long ago; less than 0, and everything is later, while the clock has not even come so far. */
static int64_t time_ago(int64_t age_ms, uint64_t wall_ms) {
  return (wall_ms > INT64_MAX ? INT64_MAX : (int64_t)wall_ms) - age_ms;
}

bool sc_convo_is_recent(int64_t time_ms, uint64_t wall_ms) {
  return time_ms > time_ago(SC_CONVO_ARCHIVE_MS, wall_ms);
}

/* Whether it was read before one time, and there was no Pro since another. */
static bool has_aged(const sc_convo *convo, int64_t read_before_ms, int64_t pro_since_ms) {
  bool pro = convo->pro_expiry_s > 0 && convo->pro_expiry_s * 1000 >= pro_since_ms;
  return !convo->unread && !pro && convo->last_read_ms < read_before_ms;
}

bool sc_convo_has_aged(const sc_convo *convo, uint64_t wall_ms) {
  int64_t oldest_ms = time_ago(SC_CONVO_ARCHIVE_MS, wall_ms);
  return has_aged(convo, oldest_ms + 1, oldest_ms);
}

void sc_convo_settle(sc_convo_change *change, const sc_convo_section *section, const sc_convo *convo,
                     uint64_t wall_ms) {
  const sc_env *env = change->info->env;
  sc_convo stored = *convo;
  if (change->synced.status != SC_OK)
    return;
  sc_convo_unarchive(change, section, convo);
  if (change->info->ageing != SC_CONVO_ARCHIVES || change->synced.status != SC_OK)
    return;
  sc_status status = sc_convo_find(&stored, section, env, change->synced.data);
  if (status == SC_OK && sc_convo_has_aged(&stored, wall_ms))
    move_to_archive(change, section, convo);
  else if (status == SC_ERR_NOT_FOUND && section->kind == SC_CONVO_COMMUNITY)
    change->synced.status = sc_config_rooms_tidy(&change->synced.data, env, section->name, &convo->community);
  else if (status != SC_ERR_NOT_FOUND)
    change->synced.status = status;
}

/* Goes through the data as it was before the change. */
static void age_section(sc_convo_change *change, const sc_convo_section *section, int64_t oldest_ms) {
  sc_convo_info *info = change->info;
  sc_convo_walk walk;
  sc_convo convo;
  if (change->synced.status == SC_OK)
    change->synced.status =
        sc_convo_walk_begin(&walk, section, info->env, sc_config_data(info->config), NULL);
  while (change->synced.status == SC_OK && sc_convo_walk_next(&convo, &walk)) {
    if (!has_aged(&convo, oldest_ms, oldest_ms))
      continue;
    if (info->ageing == SC_CONVO_ARCHIVES)
      move_to_archive(change, section, &convo);
    else
      change->synced.status = sc_convo_remove(&change->synced.data, info->env, section, &convo);
  }
}

static void age(sc_convo_change *change, uint64_t wall_ms) {
  bool archives = change->info->ageing == SC_CONVO_ARCHIVES;
  int64_t oldest_ms = time_ago(archives ? SC_CONVO_ARCHIVE_MS : SC_CONVO_DROP_MS, wall_ms);
  for (size_t i = 0; i < sc_convo_section_count; i++)
    if (archives || sc_convo_sections[i].kind != SC_CONVO_GROUP)
      age_section(change, &sc_convo_sections[i], oldest_ms);
}

sc_status sc_convo_before_push(void *object, uint64_t wall_ms) {
  sc_convo_change change;
  sc_convo_change_begin(&change, object);
  age(&change, wall_ms);
  return sc_convo_change_end(&change);
}

sc_status sc_convo_info_age(sc_convo_info *info, uint64_t wall_ms) {
  return sc_convo_before_push(info, wall_ms);
}

/* After a merge */

/* Of two conversations in one section. */
static int compare_places(const sc_convo *a, const sc_convo *b) {
  if (a->kind != SC_CONVO_COMMUNITY)
    return memcmp(&a->id, &b->id, sizeof a->id);
  int order = strcmp(a->community.url, b->community.url);
  return order != 0 ? order : strcmp(a->community.room, b->community.room);
}

/* What is synced again needs no archive. Goes through both at once. */
static void unarchive_section(sc_convo_change *change, const sc_convo_section *section) {
  const sc_convo_info *info = change->info;
  sc_convo_walk archived, synced;
  sc_convo here, there;
  sc_status status = sc_convo_walk_begin(&archived, section, info->env, info->archive, NULL);
  if (status == SC_OK)
    status = sc_convo_walk_begin(&synced, section, info->env, sc_config_data(info->config), NULL);
  sc_config_change_fail(&change->synced, status);
  bool both = status == SC_OK && sc_convo_walk_next(&here, &archived) && sc_convo_walk_next(&there, &synced);
  while (both && change->synced.status == SC_OK) {
    int order = compare_places(&here, &there);
    if (order == 0)
      sc_convo_unarchive(change, section, &here);
    both = (order > 0 || sc_convo_walk_next(&here, &archived)) &&
           (order < 0 || sc_convo_walk_next(&there, &synced));
  }
}

sc_status sc_convo_after_merge(void *object, uint64_t wall_ms) {
  sc_convo_change change;
  sc_convo_change_begin(&change, object);
  for (size_t i = 0; i < sc_convo_section_count; i++)
    unarchive_section(&change, &sc_convo_sections[i]);
  if (change.info->ageing == SC_CONVO_ARCHIVES)
    age(&change, wall_ms);
  return sc_convo_change_end(&change);
}

/* In the dump */

void sc_convo_write_archive(const void *object, sc_bt_writer *writer) {
  const sc_convo_info *info = object;
  sc_buffer encoded;
  uint8_t *at;
  sc_buffer_init(&encoded, info->env);
  sc_status status = sc_buffer_extend(&at, &encoded, sc_config_tree_size(info->archive));
  if (status == SC_OK) {
    sc_config_tree_write(at, info->archive);
    sc_bt_write_raw(writer, sc_buffer_bytes(&encoded));
  } else if (writer->status == SC_OK) {
    writer->status = status;
  }
  sc_buffer_free(&encoded);
}

sc_status sc_convo_read_archive(void *object, sc_bt_reader *reader) {
  sc_convo_info *info = object;
  sc_bytes encoded;
  sc_bt_reader inside;
  sc_slice copy = {0};
  sc_status status = sc_bt_read_raw(&encoded, reader);
  if (status != SC_OK)
    return status;
  sc_bt_reader_init(&inside, encoded);
  status = sc_config_data_check(&inside);
  if (status == SC_OK)
    status = sc_slice_copy(&copy, info->env, encoded);
  if (status == SC_OK)
    status = sc_config_tree_index(&info->archive, info->env, copy.owner, copy.bytes);
  sc_shared_drop(info->env, copy.owner);
  return status;
}
