#include "private.h"

/// Enforces the time limits of a connection and sends its pings.
static void check_slot(wsl_loop *loop, wsl_slot *slot, int64_t now) {
  bool is_late = slot->deadline_ms != 0 && now >= slot->deadline_ms;
  switch ((wsl_phase)slot->phase) {
  case PHASE_FREE:
  case PHASE_IDLE:
  case PHASE_ABORTED:
    return;
  case PHASE_OPEN:
    if (slot->is_paused) return;
    if (is_late) wsl_ws_fail(loop, slot, 1009, "the message took too long");
    else wsl_ws_ping(loop, slot, now);
    return;
  case PHASE_ASKED:
  case PHASE_ANSWERING:
  case PHASE_STREAMING:
    break;
  case PHASE_BODY:
    wsl_http_resume(loop, slot);
    break;
  case PHASE_DISCARDING:
  case PHASE_CLOSING:
  case PHASE_FAILED:
    break;
  }
  if (!is_late) return;
  if (slot->phase != PHASE_FAILED && slot->phase != PHASE_CLOSING) loop->counters.timed_out++;
  wsl_abort(loop, slot);
}

/// Checks every connection four times per second. One sweep is cheaper than a timer per connection:
/// libwebsockets stores its timers in a sorted list, which is slow with 10,000 ping timers.
void wsl_sweep(uv_timer_t *timer) {
  wsl_loop *loop = timer->data;
  int64_t now = wsl_monotonic_ms();
  for (uint32_t index = 0; index < loop->slot_count; index++) {
    wsl_slot *slot = &loop->slots[index];
    if (slot->wsi) check_slot(loop, slot, now);
  }
  wsl_arrivals_sweep(loop, now);
  wsl_relays_sweep(loop, now);
  wsl_stop_if_drained(loop);
}
