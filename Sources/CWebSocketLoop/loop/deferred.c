#include "private.h"

#include <openssl/ssl.h>

// Continues connections for which no event of the socket will come: those of which OpenSSL has
// decrypted more than libwebsockets was allowed to read, and those that have sent a ping or an
// invalid frame.

/// Whether libwebsockets reads from a connection in its phase.
static bool is_reading(const wsl_slot *slot) {
  switch ((wsl_phase)slot->phase) {
  case PHASE_IDLE:
    return !slot->is_head_read;
  case PHASE_BODY:
  case PHASE_DISCARDING:
    return slot->body_rest > 0 && !slot->is_paused;
  case PHASE_OPEN:
    return !slot->is_paused;
  case PHASE_CLOSING:
    return true;
  case PHASE_FREE:
  case PHASE_ASKED:
  case PHASE_ANSWERING:
  case PHASE_STREAMING:
  case PHASE_FAILED:
  case PHASE_ABORTED:
    return false;
  }
  return false;
}

/// The number of bytes that OpenSSL has decrypted and libwebsockets has not read.
static int pending_count(const wsl_slot *slot) {
  bool is_served = slot->wsi && slot->phase != PHASE_FREE && slot->phase != PHASE_ABORTED;
  SSL *tls = is_served && slot->is_tls ? lws_get_ssl(slot->wsi) : NULL;
  return tls ? SSL_pending(tls) : 0;
}

/// Makes libwebsockets read from a connection whose socket has no event. Between two requests it
/// does not read before the socket is writable.
static void service(wsl_loop *loop, const wsl_slot *slot) {
  struct lws_pollfd event = {
      .fd = slot->descriptor, .events = LWS_POLLIN, .revents = LWS_POLLIN};
  int before = pending_count(slot);
  lws_service_fd(loop->context, &event);
  if (pending_count(slot) != before) wsl_kick(loop);  // it may have stored what it has read
}

static void resume(wsl_loop *loop, wsl_slot *slot) {
  wsl_ping_answer(loop, slot);
  bool is_violated = slot->violation && slot->phase == PHASE_OPEN;
  if (is_violated && !slot->is_paused) wsl_ws_violated(loop, slot);
  else if (is_violated) wsl_defer(loop, slot);
  if (pending_count(slot) == 0) return;
  if (is_reading(slot)) service(loop, slot);
  if (pending_count(slot) > 0) wsl_defer(loop, slot);
}

/// Handles the slots that were passed to `wsl_defer`. A slot may have been released since, and
/// taken by another connection.
void wsl_run_deferred(wsl_loop *loop) {
  uint32_t next = loop->first_deferred;
  loop->first_deferred = 0;
  while (next) {
    wsl_slot *slot = &loop->slots[next - 1];
    next = slot->next_deferred;
    slot->is_deferred = false;
    resume(loop, slot);
  }
}
