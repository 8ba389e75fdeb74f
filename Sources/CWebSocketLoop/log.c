#include "private.h"

#include <stdio.h>
#include <string.h>

enum { LINE_MAX_BYTES = 300, LINES_PER_SECOND_MAX = 20 };

/// The loop that receives the log lines of this thread. libwebsockets has one log callback per
/// process, without a context argument, but it always logs on the thread of the loop concerned.
static _Thread_local wsl_loop *loop_of_thread;
static _Thread_local char last_error[LINE_MAX_BYTES + 1];

/// Copies `line` without its final newline, and escapes every byte that is not printable ASCII.
static void escape(char *into, const char *line) {
  size_t count = 0;
  size_t end = strcspn(line, "\n");
  if (line[end] == '\n' && line[end + 1] != '\0') end = strlen(line);
  for (size_t index = 0; index < end && count + 4 < LINE_MAX_BYTES; index++) {
    unsigned char byte = (unsigned char)line[index];
    if (byte >= 0x20 && byte < 0x7F && byte != '\\') into[count++] = (char)byte;
    else count += (size_t)snprintf(into + count, 5, "\\x%02x", byte);
  }
  into[count] = '\0';
}

/// Passes a line to the handler, at most 20 per second, so that an attacker cannot fill the disk.
void wsl_log(wsl_loop *loop, bool is_error, const char *line) {
  char escaped[LINE_MAX_BYTES + 1];
  int64_t second = wsl_now_ms() / 1000;
  if (second != loop->log_second) {
    loop->log_second = second;
    loop->log_lines = 0;
  }
  if (loop->log_lines++ >= LINES_PER_SECOND_MAX) {
    loop->counters.log_lines_dropped++;
    return;
  }
  escape(escaped, line);
  loop->handlers.log(loop->owner, is_error, escaped);
}

static void emit(int level, const char *line) {
  // libwebsockets logs this at error level although nothing is wrong.
  if (loop_of_thread && strstr(line, "adopt_socket_readbuf: calling service")) return;
  if (level == LLL_ERR) escape(last_error, line);
  if (loop_of_thread) wsl_log(loop_of_thread, level == LLL_ERR, line);
}

/// Routes libwebsockets' log lines of this thread to `loop`, or discards them if it is NULL. Only
/// warnings and errors are enabled, because notices contain data sent by clients.
void wsl_log_use(wsl_loop *loop) {
  loop_of_thread = loop;
  lws_set_log_level(LLL_ERR | LLL_WARN, emit);
}

const char *wsl_log_last_error(void) { return last_error; }
