#include "private.h"

int wsl_ws_opened(wsl_loop *loop, wsl_slot *slot) {
  int64_t now = wsl_monotonic_ms();
  if (!slot->is_admitted) return -1;
  slot->phase = PHASE_OPEN;
  slot->is_opened = true;
  slot->pong_at_ms = now;
  slot->ping_at_ms = now + loop->limits.ping_ms;
  loop->counters.websockets++;
  loop->handlers.opened(loop->owner, wsl_slot_id(loop, slot));
  return 0;
}

/// Handles a writable socket. libwebsockets also calls this after its own pings and pongs, and
/// while it closes.
int wsl_ws_writable(wsl_loop *loop, wsl_slot *slot) {
  if (lws_partial_buffered(slot->wsi) || !wsl_is_open(slot)) return 0;
  bool was_full = slot->is_write_blocked;
  slot->is_write_blocked = false;
  wsl_unsent_end(loop, slot);
  wsl_ping_answer(loop, slot);
  if (was_full && wsl_is_open(slot) && !slot->is_write_blocked)
    loop->handlers.writable(loop->owner, wsl_slot_id(loop, slot));
  return 0;
}

// Flow control ---------------------------------------------------------------------------------

void wsl_pause(wsl_loop *loop, wsl_id id) {
  wsl_slot *slot = wsl_slot_of(loop, id);
  if (!wsl_is_open(slot) || slot->is_paused) return;
  slot->is_paused = true;
  slot->paused_at_ms = wsl_monotonic_ms();
  lws_rx_flow_control(slot->wsi, 0);
}

/// The duration of the pause counts neither towards `pong_ms` nor towards `assembly_ms`.
void wsl_resume(wsl_loop *loop, wsl_id id) {
  wsl_slot *slot = wsl_slot_of(loop, id);
  if (!wsl_is_open(slot) || !slot->is_paused) return;
  int64_t pause_ms = wsl_monotonic_ms() - slot->paused_at_ms;
  slot->is_paused = false;
  slot->pong_at_ms += pause_ms;
  if (slot->deadline_ms) slot->deadline_ms += pause_ms;
  lws_rx_flow_control(slot->wsi, 1);
  if (slot->is_tls) wsl_kick(loop);  // the socket does not report bytes that OpenSSL has decrypted
}

// Pings ----------------------------------------------------------------------------------------

void wsl_ws_pong(wsl_slot *slot) { slot->pong_at_ms = wsl_monotonic_ms(); }

/// Sends a ping when one is due, and drops a connection that has sent no pong for `pong_ms`. A
/// write-blocked connection is not pinged and is therefore dropped after the same time.
void wsl_ws_ping(wsl_loop *loop, wsl_slot *slot, int64_t now) {
  unsigned char ping[LWS_PRE + 1] = {0};
  if (now - slot->pong_at_ms >= loop->limits.pong_ms) {
    loop->counters.timed_out++;
    wsl_abort(loop, slot);
    return;
  }
  if (now < slot->ping_at_ms) return;
  slot->ping_at_ms = now + loop->limits.ping_ms;
  if (!wsl_is_open(slot) || lws_partial_buffered(slot->wsi)) return;
  // With a payload of one byte, because libwebsockets does not report an empty pong.
  if (lws_write(slot->wsi, ping + LWS_PRE, 1, LWS_WRITE_PING) < 0) wsl_abort(loop, slot);
}
