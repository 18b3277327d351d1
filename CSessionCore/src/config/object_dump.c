/* A dump is a bt dict:
 *
 *   !  the state          $  the message, unsigned unless others signed it
 *   (  current hashes     )  old hashes
 *   *  sets of parts      +  the extra data of the kind of config */
#include "data.h"
#include "hashes.h"
#include "message.h"
#include "multipart.h"
#include "state.h"

static void write_key(sc_bt_writer *writer, const char *key) {
  sc_bt_write_key(writer, sc_bytes_text(key));
}

static void write_hashes(sc_bt_writer *writer, const char *key, const sc_config_hashes *hashes) {
  write_key(writer, key);
  sc_bt_begin_list(writer);
  for (size_t i = 0; i < hashes->count; i++)
    sc_bt_write_string(writer, hashes->items[i]);
  sc_bt_end(writer);
}

static void write_tree(sc_bt_writer *writer, const sc_env *env, const sc_config_node *tree) {
  sc_buffer encoded;
  uint8_t *at;
  sc_buffer_init(&encoded, env);
  sc_status status = sc_buffer_extend(&at, &encoded, sc_config_tree_size(tree));
  if (status == SC_OK) {
    sc_config_tree_write(at, tree);
    sc_bt_write_raw(writer, sc_buffer_bytes(&encoded));
  } else if (writer->status == SC_OK) {
    writer->status = status;
  }
  sc_buffer_free(&encoded);
}

static void write_extra(sc_bt_writer *writer, const sc_config *config) {
  write_key(writer, "+");
  if (config->type->has_archive) {
    write_tree(writer, config->env, config->now.archive);
    return;
  }
  if (config->type->write_extra != NULL) {
    config->type->write_extra(config->object, writer);
    return;
  }
  sc_bt_begin_dict(writer);
  sc_bt_end(writer);
}

/* How held parts and completed sets are written into a dump. */
typedef void save_parts(const sc_config_parts *parts, sc_bt_writer *writer, uint64_t wall_ms);

static sc_status write_dump(sc_buffer *out, const sc_config *config, sc_bytes message, save_parts *save,
                            uint64_t wall_ms) {
  static const sc_config_hashes none;
  sc_bt_writer writer;
  sc_bt_writer_init(&writer, out);
  sc_bt_begin_dict(&writer);
  write_key(&writer, "!");
  sc_bt_write_i64(&writer, config->now.state);
  write_key(&writer, "$");
  sc_bt_write_string(&writer, message);
  write_hashes(&writer, "(", &config->now.current);
  write_hashes(&writer, ")", sc_config_is_read_only(config) ? &none : &config->now.old);
  write_key(&writer, "*");
  save(config->now.parts, &writer, wall_ms);
  write_extra(&writer, config);
  sc_bt_end(&writer);
  return sc_bt_writer_finish(&writer);
}

static sc_status dump(sc_buffer *out, sc_config *config, save_parts *save, uint64_t wall_ms) {
  sc_buffer message;
  sc_buffer_clear(out);
  sc_buffer_init(&message, config->env);
  sc_status status = sc_config_message_write(&message, config->now.message, NULL);
  if (status == SC_OK)
    status = write_dump(out, config, sc_buffer_bytes(&message), save, wall_ms);
  sc_buffer_free(&message);
  if (status == SC_OK)
    config->now.needs_dump = false;
  return status;
}

sc_status sc_config_dump(sc_buffer *out, sc_config *config, uint64_t wall_ms) {
  return dump(out, config, sc_config_parts_save, wall_ms);
}

/* Parts outside the dump */

sc_status sc_config_dump_without_parts(sc_buffer *out, sc_config *config, uint64_t wall_ms) {
  return dump(out, config, sc_config_parts_save_done, wall_ms);
}

bool sc_config_next_part(sc_config_held_part *out, sc_config_part_cursor *cursor, const sc_config *config,
                         uint64_t wall_ms) {
  return sc_config_parts_next(out, cursor, config->now.parts, wall_ms);
}

sc_status sc_config_hold_part(sc_config *config, const sc_config_held_part *part) {
  return sc_config_parts_hold(config->now.parts, part);
}

/* Loading */

static sc_status read_state(sc_config_state *out, sc_bt_reader *reader) {
  int64_t state;
  sc_status status = sc_bt_find_key(reader, sc_bytes_text("!"));
  if (status == SC_OK)
    status = sc_bt_read_i64(&state, reader);
  if (status == SC_OK && (state < SC_CONFIG_CLEAN || state > SC_CONFIG_WAITING))
    status = SC_ERR_CONFIG_DUMP;
  if (status == SC_OK)
    *out = (sc_config_state)state;
  return status;
}

/* A message under edit may have been pushed already, so another one follows it. Without a signer it cannot be
 * edited, and waits for one. */
static sc_status resume(sc_config *config, const sc_config_message *saved) {
  sc_config_rules rules = sc_config_rules_of(config);
  if (config->now.state != SC_CONFIG_DIRTY)
    return sc_config_message_share(&config->now.message, saved);
  if (!sc_config_is_read_only(config))
    return sc_config_message_increment(&config->now.message, saved, &rules);
  config->now.state = SC_CONFIG_WAITING;
  return sc_config_message_share(&config->now.message, saved);
}

static sc_status read_message(sc_config *config, sc_bt_reader *reader) {
  sc_config_message *saved = NULL;
  sc_bytes bytes;
  sc_status status = sc_bt_find_key(reader, sc_bytes_text("$"));
  if (status == SC_OK)
    status = sc_bt_read_string(&bytes, reader);
  if (status == SC_OK)
    status = sc_config_message_load(&saved, config->env, bytes);
  if (status == SC_OK)
    status = resume(config, saved);
  sc_config_message_free(saved);
  return status;
}

static sc_status read_hash(sc_config_hashes *out, sc_bt_reader *reader) {
  sc_bytes hash;
  sc_status status = sc_bt_read_string(&hash, reader);
  return status == SC_OK && hash.len > 0 ? sc_config_hashes_add(out, hash) : status;
}

/* A list, or one text in old dumps; an empty text for none. */
static sc_status read_hashes(sc_config_hashes *out, sc_bt_reader *reader) {
  if (sc_bt_peek(reader) == SC_BT_STRING)
    return read_hash(out, reader);
  sc_status status = sc_bt_enter_list(reader);
  while (status == SC_OK && sc_bt_peek(reader) != SC_BT_END)
    status = read_hash(out, reader);
  return status == SC_OK ? sc_bt_leave(reader) : status;
}

/* Both or neither: the oldest dumps know nothing of hashes. */
static sc_status read_all_hashes(sc_config *config, sc_bt_reader *reader) {
  sc_status status = sc_bt_find_key(reader, sc_bytes_text("("));
  if (status == SC_ERR_NOT_FOUND)
    return SC_OK;
  if (status == SC_OK)
    status = read_hashes(&config->now.current, reader);
  if (status == SC_OK)
    status = sc_bt_find_key(reader, sc_bytes_text(")"));
  return status == SC_OK ? read_hashes(&config->now.old, reader) : status;
}

static sc_status read_parts(sc_config *config, sc_bt_reader *reader) {
  sc_status status = sc_bt_find_key(reader, sc_bytes_text("*"));
  return status == SC_ERR_NOT_FOUND ? sc_config_parts_new(&config->now.parts, config->env)
         : status == SC_OK          ? sc_config_parts_load(&config->now.parts, config->env, reader)
                                    : status;
}

static sc_status read_archive(sc_config *config, sc_bt_reader *reader) {
  sc_bytes encoded;
  sc_bt_reader inside;
  sc_slice copy = {0};
  sc_status status = sc_bt_read_raw(&encoded, reader);
  if (status != SC_OK)
    return status;
  sc_bt_reader_init(&inside, encoded);
  status = sc_config_data_check(&inside);
  if (status == SC_OK)
    status = sc_slice_copy(&copy, config->env, encoded);
  if (status == SC_OK)
    status = sc_config_tree_index(&config->now.archive, config->env, copy.owner, copy.bytes);
  sc_shared_drop(config->env, copy.owner);
  return status;
}

static sc_status read_extra(sc_config *config, sc_bt_reader *reader) {
  sc_status status = sc_bt_find_key(reader, sc_bytes_text("+"));
  if (status == SC_ERR_NOT_FOUND)
    return SC_OK;
  if (status == SC_OK && config->type->has_archive)
    return read_archive(config, reader);
  if (status == SC_OK && config->type->read_extra != NULL)
    status = config->type->read_extra(config->object, reader);
  return status;
}

static sc_status read_dump(sc_config *config, sc_bt_reader *reader) {
  sc_status status = sc_bt_enter_dict(reader);
  if (status == SC_OK)
    status = read_state(&config->now.state, reader);
  if (status == SC_OK)
    status = read_message(config, reader);
  if (status == SC_OK)
    status = read_all_hashes(config, reader);
  if (status == SC_OK)
    status = read_parts(config, reader);
  if (status == SC_OK)
    status = read_extra(config, reader);
  if (status == SC_OK)
    status = sc_bt_leave(reader);
  return status == SC_OK ? sc_bt_finish(reader) : status;
}

sc_status sc_config_load(sc_config *config, sc_bytes dump) {
  sc_bt_reader reader;
  sc_bt_reader_init(&reader, dump);
  sc_status status = read_dump(config, &reader);
  if (status == SC_OK)
    sc_config_note_unsigned(config);
  return status == SC_OK || status == SC_ERR_NO_MEMORY ? status : SC_ERR_CONFIG_DUMP;
}
