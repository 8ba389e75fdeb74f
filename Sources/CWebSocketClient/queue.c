#include "private.h"

#include <stdlib.h>
#include <string.h>

// These functions may be called on any thread. They access the queue and the flags while holding
// the socket's lock. `wsc_send` and `wsc_close` only wake the socket's thread, which then writes or
// closes: other threads may call no function of libwebsockets except `lws_cancel_service`.

static void wake(wsc_socket *socket) {
  if (socket->context) lws_cancel_service(socket->context);
}

bool wsc_send(wsc_socket *socket, const void *bytes, size_t count) {
  if (count == 0 || count > WSC_WAITING_BYTES_MAX) return false;
  wsc_message *message = malloc(sizeof *message + LWS_PRE + count);
  if (!message) return false;
  message->next = NULL;
  message->count = count;
  memcpy(message->bytes + LWS_PRE, bytes, count);
  pthread_mutex_lock(&socket->lock);
  bool is_taken =
      !socket->is_closing && socket->waiting_bytes + count <= WSC_WAITING_BYTES_MAX;
  if (is_taken) {
    *socket->last = message;
    socket->last = &message->next;
    socket->waiting_bytes += count;
    wake(socket);
  }
  pthread_mutex_unlock(&socket->lock);
  if (!is_taken) free(message);
  return is_taken;
}

void wsc_close(wsc_socket *socket) {
  pthread_mutex_lock(&socket->lock);
  socket->is_closing = true;
  wake(socket);
  pthread_mutex_unlock(&socket->lock);
}

/// Removes the next message from the queue. Returns NULL if the queue is empty. The caller frees
/// the message.
wsc_message *wsc_take_message(wsc_socket *socket) {
  pthread_mutex_lock(&socket->lock);
  wsc_message *message = socket->first;
  if (message) {
    socket->first = message->next;
    if (!socket->first) socket->last = &socket->first;
    socket->waiting_bytes -= message->count;
  }
  pthread_mutex_unlock(&socket->lock);
  return message;
}

bool wsc_is_asked_to_close(wsc_socket *socket) {
  pthread_mutex_lock(&socket->lock);
  bool is_closing = socket->is_closing;
  pthread_mutex_unlock(&socket->lock);
  return is_closing;
}

void wsc_release(wsc_socket *socket) {
  wsc_close(socket);
  wsc_give_up_holding(socket);
}

/// Releases one reference to the socket, and frees the socket if it was the last one.
void wsc_give_up_holding(wsc_socket *socket) {
  pthread_mutex_lock(&socket->lock);
  bool is_last = --socket->holders == 0;
  pthread_mutex_unlock(&socket->lock);
  if (!is_last) return;
  for (wsc_message *message; (message = wsc_take_message(socket));) free(message);
  pthread_mutex_destroy(&socket->lock);
  free(socket->incoming);
  free(socket->host);
  free(socket->path);
  free(socket->authority);
  free(socket->subprotocol);
  free(socket);
}
