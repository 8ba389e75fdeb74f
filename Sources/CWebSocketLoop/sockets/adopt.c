#include "private.h"

#include <unistd.h>

// Attaches connections to libwebsockets, which can adopt a socket together with bytes that were
// already read from it.

void wsl_discard(wsl_connection connection, wsl_peers *count) {
  close(connection.descriptor);
  wsl_tls_end(connection.tls);
  wsl_peers_end(count, connection.network);
}

void wsl_turn_away(wsl_loop *loop, wsl_connection connection, const char *code,
                   const char *detail) {
  wsl_refuse_connection(connection, 503, code, detail);
  if (connection.audience != WSL_ADMIN) wsl_peers_end(loop->limits.count, connection.network);
}

size_t wsl_peek(int descriptor, void *into, size_t size) {
  ssize_t count = recv(descriptor, into, size, MSG_PEEK | MSG_DONTWAIT);
  return count > 0 ? (size_t)count : 0;
}

/// Refuses a connection, before its handshake, because this loop drains or has no free slot.
void wsl_refuse_new(wsl_loop *loop, wsl_connection connection) {
  if (loop->drain_by_ms) {
    wsl_turn_away(loop, connection, "draining", "the server is shutting down");
  } else {
    loop->counters.refused_full++;
    wsl_turn_away(loop, connection, "full", "too many connections");
  }
}

void wsl_adopt(wsl_loop *loop, wsl_connection connection, void *head, size_t head_count) {
  wsl_slot *slot = loop->drain_by_ms ? NULL : wsl_slot_take(loop, connection);
  if (slot && !wsl_slot_connect(loop, slot, connection.descriptor)) {
    close(connection.descriptor);
    wsl_tls_end(connection.tls);
    wsl_slot_release(loop, slot);
    return;
  }
  if (!slot) {
    wsl_refuse_new(loop, connection);
    return;
  }
  if (head_count == 0) loop->counters.accepted++;  // a moved one was counted by its first loop
  wsl_head_follow(&slot->head, head, head_count);
  if (connection.tls) wsl_defer(loop, slot);  // OpenSSL may have decrypted more than the head
  loop->adopted = slot;
  wsl_tls_settle(connection.tls);
  wsl_tls_offer(connection.tls);
  // On failure libwebsockets closes the descriptor and no callback has claimed `adopted`.
  lws_adopt_socket_vhost_readbuf(connection.tls ? loop->tls_vhost : loop->vhost,
                                 connection.descriptor, head, head_count);
  wsl_tls_end(wsl_tls_offer(NULL));
  if (!loop->adopted) return;
  loop->adopted = NULL;
  wsl_slot_release(loop, slot);
}
