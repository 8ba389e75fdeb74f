/// A room server with as little above libwebsockets as can be: what pickerd is measured against.
///
/// Driven as well as libwebsockets can be: libuv, small receive buffers, a frame built once for all
/// members, written raw and at once; a queue and the writeable callback for back-pressure only.
#pragma once

#include <libwebsockets.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A server's WebSocket frame, header and all, shared by all who have not been sent it yet.
typedef struct frame {
  unsigned holders;
  size_t count;
  unsigned char *bytes;     ///< with LWS_PRE octets of room before them
} frame;

typedef struct room room;

/// A connection; libwebsockets keeps it.
typedef struct member {
  struct lws *wsi;
  room *room;
  bool is_in;               ///< has joined
  unsigned place;           ///< in the room's members
  frame **waiting;          ///< what the socket did not take at once
  unsigned waiting_count, waiting_capacity;
} member;

struct room {
  member **members;
  unsigned count, capacity;
  long revision;
  int row;
};

// frame.c

/// A delta of exactly `count` octets of JSON, and its frame.
frame *frame_delta(size_t count, long revision, int row);
frame *frame_text(const char *text, size_t count);
void frame_release(frame *frame);

// room.c

room *room_of(const char *path);
void room_enter(room *room, member *member);
void room_leave(member *member);
/// Sends a frame to everybody.
void room_tell(room *room, frame *frame);
/// Sends at once if nothing waits, else queues.
///
/// - Returns: 0, or -1 if the connection is dead.
int member_send(member *member, frame *frame);
/// Sends what waits, as far as the socket takes it.
int member_flush(member *member);
