#include "libcurl.h"

#include <dlfcn.h>
#include <stdio.h>

// The library is never unloaded: OpenSSL, which it shares with the program, has exit handlers.
const char *libcurl_load(libcurl *functions) {
  static char problem[256];
  static void *library;
  if (!library) library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    snprintf(problem, sizeof problem, "libcurl cannot be loaded (%s): install libcurl4", dlerror());
    return problem;
  }
#define LOAD(name)                                                                                 \
  functions->name = dlsym(library, "curl_" #name);                                                 \
  if (!functions->name) return "libcurl.so.4 has no function curl_" #name;
  LIBCURL_FUNCTIONS(LOAD)
#undef LOAD
  return functions->global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? NULL
                                                                 : "libcurl cannot be initialized";
}
