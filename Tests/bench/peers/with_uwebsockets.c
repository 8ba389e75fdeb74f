/// A room server on uWebSockets, by the library of the Python package socketify, which has a C
/// interface but no header: PORT DELTA_BYTES [CERTIFICATE]. Each room is a topic; no compression.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct socket_options {
  const char *key, *certificate, *passphrase, *dh_params, *ca, *ciphers;
  int prefers_low_memory;
} socket_options;

typedef struct listen_config {
  int port;
  const char *host;
  int options;
} listen_config;

typedef struct behavior {
  int compression;
  unsigned max_payload;
  unsigned short idle_timeout;
  unsigned max_backpressure;
  bool closes_on_backpressure, resets_timeout_on_send, pings;
  unsigned short max_lifetime;
  void (*upgrade)(void *response, void *request, void *context, void *user);
  void (*open)(void *member, void *user);
  void (*message)(void *member, const char *text, size_t count, int opcode, void *user);
  void (*drain)(void), (*ping)(void), (*pong)(void), (*close)(void), (*subscription)(void);
} behavior;

enum { TEXT = 1 };

void *socketify_create_loop(void);
void *socketify_get_native_loop(void *loop);
int socketify_loop_run(void *loop, int mode);
void *uws_get_loop_with_native(void *loop);
void *uws_create_app(int tls, socket_options options);
void uws_ws(int tls, void *app, const char *pattern, behavior behavior, void *user);
void uws_app_listen_with_config(int tls, void *app, listen_config config,
                                void (*handler)(void *, listen_config, void *), void *user);
size_t uws_req_get_url(void *request, const char **text);
size_t uws_req_get_header(void *request, const char *name, size_t count, const char **text);
void uws_res_upgrade(int tls, void *response, void *data, const char *key, size_t key_count,
                     const char *protocol, size_t protocol_count, const char *extensions,
                     size_t extensions_count, void *context);
void *uws_ws_get_user_data(int tls, void *member);
bool uws_ws_subscribe(int tls, void *member, const char *topic, size_t count);
int uws_ws_send(int tls, void *member, const char *text, size_t count, int opcode);
bool uws_publish(int tls, void *app, const char *topic, size_t topic_count, const char *text,
                 size_t count, int opcode, bool compress);

typedef struct room {
  char topic[8];
  long revision;
} room;

static int is_tls;
static size_t delta_bytes;
static char *delta;
static void *app;
static room rooms[1000];

/// `/v1/sessions/NUMBER`
static void upgrade(void *response, void *request, void *context, void *user) {
  (void)user;
  const char *url, *key;
  size_t url_count = uws_req_get_url(request, &url);
  size_t key_count = uws_req_get_header(request, "sec-websocket-key", 17, &key);
  const char *number = memrchr(url, '/', url_count);
  room *room = &rooms[atoi(number + 1) % 1000];
  snprintf(room->topic, sizeof room->topic, "%d", (int)(room - rooms));
  uws_res_upgrade(is_tls, response, room, key, key_count, "pickerd.v1", 10, "", 0, context);
}

/// `{"type":"join"` joins the room; every other message is a tap, of which only the row is parsed.
static void message(void *member, const char *text, size_t count, int opcode, void *user) {
  (void)opcode, (void)user;
  static const char welcome[] = "{\"type\":\"welcome\"}";
  room *room = uws_ws_get_user_data(is_tls, member);
  size_t topic_count = strlen(room->topic);
  if (text[9] == 'j') {
    uws_ws_subscribe(is_tls, member, room->topic, topic_count);
    uws_ws_send(is_tls, member, welcome, sizeof welcome - 1, TEXT);
    return;
  }
  const char *row = memmem(text, count, "\"row\":", 6);
  memset(delta, 'x', delta_bytes);
  int head = sprintf(delta,
                     "{\"type\":\"delta\",\"revision\":%ld,\"changes\":[{\"change\":\"row\","
                     "\"column\":0,\"row\":%d,\"text\":\"",
                     ++room->revision, row ? atoi(row + 6) : 0);
  delta[head] = 'x';
  memcpy(delta + delta_bytes - 4, "\"}]}", 4);
  uws_publish(is_tls, app, room->topic, topic_count, delta, delta_bytes, TEXT, false);
}

static void listening(void *listener, listen_config config, void *user) {
  (void)config, (void)user;
  if (!listener) exit(1);
}

int main(int count, char **arguments) {
  if (count != 3 && count != 4) return 64;
  is_tls = count == 4;
  delta_bytes = (size_t)atol(arguments[2]);
  delta = malloc(delta_bytes + 1);
  void *loop = socketify_create_loop();
  uws_get_loop_with_native(socketify_get_native_loop(loop));
  app = uws_create_app(is_tls, (socket_options){.key = arguments[3], .certificate = arguments[3]});
  uws_ws(is_tls, app, "/*",
         (behavior){.max_payload = 16384, .idle_timeout = 120, .max_backpressure = 16 << 20,
                    .pings = true, .upgrade = upgrade, .message = message}, NULL);
  uws_app_listen_with_config(
      is_tls, app, (listen_config){.port = atoi(arguments[1]), .host = "127.0.0.1"}, listening,
      NULL);
  return socketify_loop_run(loop, 0);
}
