#include "private.h"

#include <stdlib.h>
#include <string.h>

enum { US_PER_MS = 1000 };

/// Stores the first 128 bytes of `text` as the reason for the end of the connection.
void wsc_note_reason(wsc_socket *socket, const char *text, size_t count) {
  if (count > sizeof socket->reason) count = sizeof socket->reason;
  if (count > 0) memcpy(socket->reason, text, count);
  socket->reason_count = count;
}

/// Fails if the server selected no subprotocol: libwebsockets accepts that as the first one
/// offered.
static int check_subprotocol(wsc_socket *socket, struct lws *wsi) {
  static const char words[] = "the server does not speak the subprotocol";
  if (lws_hdr_total_length(wsi, WSI_TOKEN_PROTOCOL) > 0) return 0;
  wsc_note_reason(socket, words, sizeof words - 1);
  return -1;
}

/// Starts to close with `code`. libwebsockets sends the close frame when a callback returns -1.
/// That is done in a timer's callback once all data has been sent; in other callbacks the frame
/// could precede data.
static void start_close(wsc_socket *socket, uint16_t code) {
  socket->phase = WSC_CLOSING;
  socket->close_code = code;
  lws_close_reason(socket->wsi, code, NULL, 0);
  lws_set_timer_usecs(socket->wsi, 1);
}

static int opened(wsc_socket *socket, struct lws *wsi) {
  socket->wsi = wsi;
  socket->phase = WSC_OPEN;
  socket->handlers.opened(socket->owner);
  lws_callback_on_writable(wsi);
  return 0;
}

/// Sends one queued message. libwebsockets also calls this without a request, and after a close
/// frame.
static int writable(wsc_socket *socket, struct lws *wsi) {
  if (socket->phase != WSC_OPEN || lws_get_close_length(wsi) > 0) return 0;
  if (lws_partial_buffered(wsi)) {
    lws_callback_on_writable(wsi);
    return 0;
  }
  wsc_message *message = wsc_take_message(socket);
  if (!message) {
    if (wsc_is_asked_to_close(socket)) start_close(socket, 1000);
    return 0;
  }
  int result = lws_write(wsi, message->bytes + LWS_PRE, message->count, LWS_WRITE_TEXT);
  free(message);
  if (result < 0) return -1;
  lws_callback_on_writable(wsi);
  return 0;
}

/// Appends a part of a message to the assembly buffer. False if no memory is available.
static bool append(wsc_socket *socket, const void *bytes, size_t count) {
  size_t wanted = socket->incoming_count + count;
  if (wanted > socket->incoming_capacity) {
    size_t capacity = socket->incoming_capacity * 2;
    if (capacity < wanted) capacity = wanted;
    unsigned char *incoming = realloc(socket->incoming, capacity);
    if (!incoming) return false;
    socket->incoming = incoming;
    socket->incoming_capacity = capacity;
  }
  if (count > 0) memcpy(socket->incoming + socket->incoming_count, bytes, count);
  socket->incoming_count = wanted;
  return true;
}

static int received(wsc_socket *socket, struct lws *wsi, const void *bytes, size_t count) {
  size_t room = WSC_MESSAGE_BYTES_MAX - socket->incoming_count;
  if (socket->phase != WSC_OPEN) return 0;
  if (lws_frame_is_binary(wsi)) {
    start_close(socket, 1003);
    return 0;
  }
  if (count > room || lws_remaining_packet_payload(wsi) > room - count) {
    start_close(socket, 1009);
    return 0;
  }
  bool is_whole = lws_is_final_fragment(wsi) && lws_remaining_packet_payload(wsi) == 0;
  if (is_whole && socket->incoming_count == 0) {
    socket->handlers.received(socket->owner, bytes, count);
    return 0;
  }
  if (!append(socket, bytes, count)) return -1;
  if (!is_whole) return 0;
  socket->handlers.received(socket->owner, socket->incoming, socket->incoming_count);
  socket->incoming_count = 0;
  return 0;
}

static void peer_closes(wsc_socket *socket, const unsigned char *body, size_t count) {
  if (socket->close_code) return;
  socket->close_code = count < 2 ? 1005 : (uint16_t)(body[0] << 8 | body[1]);
  if (count > 2) wsc_note_reason(socket, (const char *)body + 2, count - 2);
}

/// Another thread has queued a message or asked to close. This callback has no valid wsi.
static void woken(wsc_socket *socket) {
  if (socket->phase == WSC_OPEN) lws_callback_on_writable(socket->wsi);
  if (socket->phase == WSC_DIALLING && wsc_is_asked_to_close(socket)) socket->phase = WSC_OVER;
}

static int timed(wsc_socket *socket, struct lws *wsi) {
  if (socket->phase != WSC_CLOSING) return 0;
  if (!lws_partial_buffered(wsi)) return -1;
  lws_set_timer_usecs(wsi, US_PER_MS);
  return 0;
}

/// The connection has ended. Wakes `lws_service`, which otherwise continues to wait if a timer
/// detected the end.
static int over(wsc_socket *socket, const char *reason, size_t count) {
  if (reason && socket->reason_count == 0) wsc_note_reason(socket, reason, count);
  socket->phase = WSC_OVER;
  if (socket->context) lws_cancel_service(socket->context);  // none while it is destroyed
  return 0;
}

int wsc_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                 size_t count) {
  wsc_socket *socket = lws_context_user(lws_get_context(wsi));
  (void)user;
  switch (reason) {
    case LWS_CALLBACK_CLIENT_FILTER_PRE_ESTABLISH: return check_subprotocol(socket, wsi);
    case LWS_CALLBACK_CLIENT_ESTABLISHED: return opened(socket, wsi);
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR: return over(socket, in, count);
    case LWS_CALLBACK_CLIENT_RECEIVE: return received(socket, wsi, in, count);
    case LWS_CALLBACK_CLIENT_WRITEABLE: return writable(socket, wsi);
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
      peer_closes(socket, in, count);
      return 0;
    case LWS_CALLBACK_TIMER: return timed(socket, wsi);
    case LWS_CALLBACK_CLIENT_CLOSED: return over(socket, NULL, 0);
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
      woken(socket);
      return 0;
    default: return 0;
  }
}
