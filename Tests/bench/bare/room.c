#include <stdlib.h>
#include <string.h>

#include "bare.h"

static room *rooms;
static unsigned room_count;

/// Finds the room of `/v1/sessions/NUMBER`; the first member creates it.
room *room_of(const char *path) {
  const char *number = strrchr(path, '/');
  unsigned index = number ? (unsigned)atoi(number + 1) : 0;
  if (index > 1000000) return NULL;
  if (!rooms) rooms = calloc(1000001, sizeof *rooms);
  if (index >= room_count) room_count = index + 1;
  return &rooms[index];
}

void room_enter(room *room, member *member) {
  if (room->count == room->capacity) {
    room->capacity = room->capacity ? room->capacity * 2 : 4;
    room->members = realloc(room->members, room->capacity * sizeof *room->members);
  }
  member->room = room;
  member->is_in = true;
  member->place = room->count;
  room->members[room->count++] = member;
}

void room_leave(member *member) {
  room *room = member->room;
  for (unsigned index = 0; index < member->waiting_count; index++)
    frame_release(member->waiting[index]);
  free(member->waiting);
  if (!member->is_in) return;
  room->members[member->place] = room->members[--room->count];
  room->members[member->place]->place = member->place;
  member->is_in = false;
}

void room_broadcast(room *room, frame *frame) {
  for (unsigned index = 0; index < room->count; index++) member_send(room->members[index], frame);
}

static int write_frame(member *member, frame *frame) {
  return lws_write(member->wsi, frame->bytes, frame->count, LWS_WRITE_RAW) < 0 ? -1 : 0;
}

int member_send(member *member, frame *frame) {
  if (member->waiting_count == 0 && !lws_partial_buffered(member->wsi))
    return write_frame(member, frame);
  if (member->waiting_count == member->waiting_capacity) {
    member->waiting_capacity = member->waiting_capacity ? member->waiting_capacity * 2 : 8;
    member->waiting =
        realloc(member->waiting, member->waiting_capacity * sizeof *member->waiting);
  }
  frame->holders++;
  member->waiting[member->waiting_count++] = frame;
  lws_callback_on_writable(member->wsi);
  return 0;
}

int member_flush(member *member) {
  unsigned sent = 0;
  int result = 0;
  while (result == 0 && sent < member->waiting_count && !lws_partial_buffered(member->wsi)) {
    result = write_frame(member, member->waiting[sent]);
    frame_release(member->waiting[sent++]);
  }
  member->waiting_count -= sent;
  memmove(member->waiting, member->waiting + sent,
          member->waiting_count * sizeof *member->waiting);
  if (member->waiting_count > 0) lws_callback_on_writable(member->wsi);
  return result;
}
