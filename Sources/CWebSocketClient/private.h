/// Declarations shared by the files of CWebSocketClient; not part of its interface.
#pragma once

// Here and not in Package.swift: a product with unsafe flags cannot be used by other packages.
#pragma clang diagnostic error "-Wall"
#pragma clang diagnostic error "-Wextra"

#include <libwebsockets.h>
#include <pthread.h>

#include "CWebSocketClient.h"

/// A queued message, with the headroom that libwebsockets needs in front of it.
typedef struct wsc_message {
  struct wsc_message *next;
  size_t count;
  unsigned char bytes[];    ///< LWS_PRE bytes of headroom, then the message
} wsc_message;

typedef enum wsc_phase {
  WSC_DIALLING,
  WSC_OPEN,
  WSC_CLOSING,              ///< our close frame has been or is about to be written
  WSC_OVER,
} wsc_phase;

struct wsc_socket {
  // Only used by the socket's thread once it runs.
  wsc_handlers handlers;
  void *owner;
  char *host, *path, *authority, *subprotocol;
  uint16_t port;
  bool is_secure;
  struct lws *wsi;          ///< NULL after CLIENT_CLOSED or an error
  wsc_phase phase;
  unsigned char *incoming;  ///< a message being assembled from several pieces
  size_t incoming_count, incoming_capacity;
  uint16_t close_code;      ///< 0 until one is known
  char reason[128];
  size_t reason_count;

  // Used by all threads, under the lock.
  pthread_mutex_t lock;
  int holders;              ///< reference count: one for the socket's thread, one for the caller
  bool is_closing;          ///< no more messages are accepted
  struct lws_context *context;
  wsc_message *first, **last;
  size_t waiting_bytes;
};

// queue.c
wsc_message *wsc_take_message(wsc_socket *socket);
bool wsc_is_asked_to_close(wsc_socket *socket);
void wsc_give_up_holding(wsc_socket *socket);

// callback.c
int wsc_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                 size_t count);
void wsc_note_reason(wsc_socket *socket, const char *text, size_t count);
