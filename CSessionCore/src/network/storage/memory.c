#include "memory.h"

typedef struct document {
  struct document *older;
  sc_json *json;
} document;

struct sc_storage_memory {
  const sc_env *env;
  sc_arena arena;
  document *newest;
};

sc_status sc_storage_memory_new(sc_storage_memory **out, const sc_env *env) {
  sc_storage_memory *memory = sc_allocate(env, sizeof *memory);
  if (memory == NULL)
    return SC_ERR_NO_MEMORY;
  *memory = (sc_storage_memory){.env = env};
  sc_arena_init(&memory->arena, env, 0);
  *out = memory;
  return SC_OK;
}

void sc_storage_memory_free(sc_storage_memory *memory) {
  if (memory == NULL)
    return;
  for (document *d = memory->newest; d != NULL; d = d->older)
    sc_json_free(d->json);
  sc_arena_free(&memory->arena);
  sc_release(memory->env, memory);
}

sc_status sc_storage_memory_json(const sc_json **out, sc_storage_memory *memory, sc_bytes text) {
  document *kept = sc_storage_take(memory, 1, sizeof *kept);
  if (kept == NULL)
    return SC_ERR_NO_MEMORY;
  sc_status status = sc_json_parse(&kept->json, text, SC_JSON_DEFAULT_DEPTH);
  if (status != SC_OK)
    return status == SC_ERR_NO_MEMORY || status == SC_ERR_TOO_LARGE ? status : SC_ERR_STORAGE_SYNTAX;
  kept->older = memory->newest;
  memory->newest = kept;
  *out = kept->json;
  return SC_OK;
}

void *sc_storage_take(sc_storage_memory *memory, size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes))
    return NULL;
  void *taken = sc_arena_take(&memory->arena, bytes);
  if (taken != NULL)
    memset(taken, 0, bytes);
  return taken;
}
