/* A library that is loaded when it is first needed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A function of a library, and where its address is kept. */
struct http_symbol {
  const char *name;
  void *out;
};

/* Loads a library with these functions, and keeps it. False if it or one of them is missing. */
bool http_load(const char *library, const struct http_symbol *symbols, size_t count);
