#include "private.h"

/// Whether data may be written: false after a close frame from us or from libwebsockets.
bool wsl_is_open(const wsl_slot *slot) {
  return slot && slot->phase == PHASE_OPEN && lws_get_close_length(slot->wsi) == 0;
}

/// Writes complete frames after everything that libwebsockets still buffers. It buffers the part
/// that the kernel does not take; the slot is then write-blocked. Without memory for that part the
/// connection is aborted.
void wsl_write(wsl_loop *loop, wsl_slot *slot, const void *bytes, size_t count) {
  // libwebsockets does not change these bytes.
  unsigned char *unchanged = (unsigned char *)(uintptr_t)bytes;
  if (lws_write(slot->wsi, unchanged, count, LWS_WRITE_RAW) < 0) {
    wsl_abort(loop, slot);
  } else if (lws_partial_buffered(slot->wsi)) {
    slot->is_write_blocked = true;
    if (!wsl_unsent_add(loop, slot, count)) wsl_abort(loop, slot);
  }
}
