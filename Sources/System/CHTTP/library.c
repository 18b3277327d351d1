#include "library.h"

#include <dlfcn.h>
#include <string.h>

bool http_load(const char *library, const struct http_symbol *symbols, size_t count) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return false;
  for (size_t i = 0; i < count; i++) {
    void *found = dlsym(handle, symbols[i].name);
    if (!found)
      return false;
    memcpy(symbols[i].out, &found, sizeof found);
  }
  return true;
}
