/// bare PORT DELTA_BYTES [CERTIFICATE]: see bare.h. The file also has the certificate's key.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bare.h"

static size_t delta_bytes = 200;

/// Parses only the row of a tap.
static int row_of(const char *text, size_t count) {
  const char *found = memmem(text, count, "\"row\":", 6);
  return found ? atoi(found + 6) : 0;
}

static int opened(struct lws *wsi, member *member) {
  char path[256];
  memset(member, 0, sizeof *member);
  member->wsi = wsi;
  if (lws_hdr_copy(wsi, path, sizeof path, WSI_TOKEN_GET_URI) < 0) return -1;
  member->room = room_of(path);
  return member->room ? 0 : -1;
}

/// `{"type":"join"` joins the room; every other message is a tap.
static int received(member *member, const char *text, size_t count) {
  room *room = member->room;
  if (count > 10 && text[9] == 'j') {
    static const char welcome[] = "{\"type\":\"welcome\"}";
    frame *frame = frame_text(welcome, sizeof welcome - 1);
    room_enter(room, member);
    int result = member_send(member, frame);
    frame_release(frame);
    return result;
  }
  room->row = row_of(text, count);
  frame *frame = frame_delta(delta_bytes, ++room->revision, room->row);
  room_broadcast(room, frame);
  frame_release(frame);
  return 0;
}

static int callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                    size_t count) {
  member *member = user;
  switch (reason) {
    case LWS_CALLBACK_ESTABLISHED: return opened(wsi, member);
    case LWS_CALLBACK_RECEIVE:
      // The load generator does not fragment taps.
      return received(member, in, count);
    case LWS_CALLBACK_SERVER_WRITEABLE: return member_flush(member);
    case LWS_CALLBACK_CLOSED: room_leave(member); return 0;
    default: return lws_callback_http_dummy(wsi, reason, user, in, count);
  }
}

int main(int count, char **arguments) {
  static const struct lws_protocols protocols[] = {
      {.name = "pickerd.v1", .callback = callback, .per_session_data_size = sizeof(member),
       .rx_buffer_size = 512, .tx_packet_size = 65536},
      {0},
  };
  if (count != 3 && count != 4) return 64;
  delta_bytes = (size_t)atol(arguments[2]);
  struct lws_context_creation_info info = {
      .port = atoi(arguments[1]), .iface = "lo", .protocols = protocols,
      .options = LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_DISABLE_IPV6,
      .pt_serv_buf_size = 65536, .vhost_name = "localhost",
  };
  if (count == 4) {
    info.options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
    info.ssl_cert_filepath = info.ssl_private_key_filepath = arguments[3];
  }
  lws_set_log_level(LLL_ERR, NULL);
  struct lws_context *context = lws_create_context(&info);
  if (!context) return 1;
  while (lws_service(context, 0) >= 0) {}
}
