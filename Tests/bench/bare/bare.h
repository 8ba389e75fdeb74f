/// A minimal room server on libwebsockets, the baseline for pickerd's measurements.
///
/// It uses libwebsockets as efficiently as possible: libuv, small receive buffers, a frame built
/// once for all members and written immediately; a queue and the writeable callback only for
/// back-pressure.
#pragma once

#include <libwebsockets.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A server's WebSocket frame with its header, shared by all members that it is pending for.
typedef struct frame {
  unsigned holders;
  size_t count;
  unsigned char *bytes;     ///< with LWS_PRE free bytes before them
} frame;

typedef struct room room;

/// A connection; libwebsockets owns it.
typedef struct member {
  struct lws *wsi;
  room *room;
  bool is_in;               ///< has joined
  unsigned place;           ///< index in the room's members
  frame **waiting;          ///< frames that the socket did not accept
  unsigned waiting_count, waiting_capacity;
} member;

struct room {
  member **members;
  unsigned count, capacity;
  long revision;
  int row;
};

// frame.c

/// The frame of a delta of exactly `count` bytes of JSON.
frame *frame_delta(size_t count, long revision, int row);
frame *frame_text(const char *text, size_t count);
void frame_release(frame *frame);

// room.c

room *room_of(const char *path);
void room_enter(room *room, member *member);
void room_leave(member *member);
/// Sends a frame to all members.
void room_broadcast(room *room, frame *frame);
/// Sends immediately if nothing is queued, else queues the frame.
///
/// - Returns: 0, or -1 if the connection is dead.
int member_send(member *member, frame *frame);
/// Sends queued frames until the socket blocks.
int member_flush(member *member);
