#ifndef LIBCURL_H
#define LIBCURL_H

// libcurl, loaded when the first client is created. A program that is linked with it would load
// it and its 26 libraries at each start, also without using them.

// Its macros check the arguments of calls by name.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <stdbool.h>

#define LIBCURL_FUNCTIONS(each)                                                                    \
  each(global_init) each(easy_cleanup) each(easy_getinfo) each(easy_init) each(easy_setopt)        \
  each(easy_strerror) each(multi_add_handle) each(multi_cleanup) each(multi_info_read)             \
  each(multi_init) each(multi_perform) each(multi_poll) each(multi_remove_handle)                  \
  each(slist_append) each(slist_free_all)

// The functions by their names without "curl_".
typedef struct {
#define FIELD(name) __typeof__(curl_##name) *name;
  LIBCURL_FUNCTIONS(FIELD)
#undef FIELD
} libcurl;

// Loads the library, once; later calls have no effect. For one thread.
//
// Returns NULL, or why it cannot be loaded: valid as long as the process.
const char *libcurl_load(libcurl *functions);

#endif
