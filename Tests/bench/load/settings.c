#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "load.h"

void load_fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("load: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  exit(1);
}

static void add(const char **list, int *count, int max, const char *text) {
  if (*count == max) load_fail("more than %d of one option", max);
  list[(*count)++] = text;
}

settings settings_read(int count, char **arguments) {
  static const struct option names[] = {
      {"port", required_argument, 0, 'p'},  {"server", required_argument, 0, 's'},
      {"rooms", required_argument, 0, 'r'}, {"join", required_argument, 0, 'j'},
      {"tap", required_argument, 0, 't'},   {"warm", required_argument, 0, 'w'},
      {"closed", required_argument, 0, 'c'}, {"open", required_argument, 0, 'o'},
      {"rate", required_argument, 0, 'a'},  {"window", required_argument, 0, 'b'},
      {"storm", no_argument, 0, 'm'},       {"shared", no_argument, 0, 'h'},
      {"tls", no_argument, 0, 'l'},         {"pause", required_argument, 0, 'u'},
      {"forwarded", no_argument, 0, 'f'},   {"idle", required_argument, 0, 'i'},
      {"awaited", no_argument, 0, 'd'},     {"timed", required_argument, 0, 'e'},
      {"slow", required_argument, 0, 'g'},
      {0},
  };
  settings settings = {.warm = 0.5, .closed = 1, .pause = 0.1};
  int name;
  while ((name = getopt_long(count, arguments, "", names, NULL)) != -1) {
    switch (name) {
      case 'p': settings.port = atoi(optarg); break;
      case 's': settings.server = atoi(optarg); break;
      case 'r': settings.rooms = optarg; break;
      case 'j': add(settings.joins, &settings.join_count, 8, optarg); break;
      case 't': add(settings.taps, &settings.tap_count, 16, optarg); break;
      case 'w': settings.warm = atof(optarg); break;
      case 'c': settings.closed = atof(optarg); break;
      case 'o': settings.open = atof(optarg); break;
      case 'a':
        if (settings.rate_count == 8) load_fail("more than 8 of one option");
        settings.rates[settings.rate_count++] = atof(optarg);
        break;
      case 'b': settings.window = atoi(optarg); break;
      case 'h': settings.is_shared = true; break;
      case 'm': settings.is_storm = true; break;
      case 'i': settings.idle = atof(optarg); break;
      case 'd': settings.is_awaited = true; break;
      case 'e': settings.timed = (uint32_t)atoi(optarg); break;
      case 'g': settings.slow = (uint32_t)atoi(optarg); break;
      case 'f': settings.is_forwarded = true; break;
      case 'l': settings.is_tls = true; break;
      case 'u': settings.pause = atof(optarg); break;
      default: exit(64);
    }
  }
  if (!settings.rooms || !settings.port || !settings.join_count || !settings.tap_count)
    load_fail("--port, --rooms, --join and --tap are needed");
  return settings;
}
