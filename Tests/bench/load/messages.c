#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load.h"

/// Of every message of a room server.
static const char start[] = "{\"type\":\"";

/// The start of a member's value in a flat JSON text; `NULL` if the member is absent.
static const char *value(const char *text, size_t count, const char *name) {
  const char *found = memmem(text, count, name, strlen(name));
  return found ? found + strlen(name) : NULL;
}

static void copy_text(char *into, size_t size, const char *from, const char *end) {
  size_t count = 0;
  if (!from) load_fail("the welcome has no member, secret or epoch to resume with");
  while (from + count < end && from[count] != '"' && count + 1 < size) count++;
  memcpy(into, from, count);
  into[count] = 0;
}

static void received_welcome(load *load, connection *connection, const char *text, size_t count) {
  const char *end = text + count;
  connection->phase = PHASE_JOINED;
  load->joined_count++;
  if (value(text, count, "\"resumed\":true")) load->resumed++;
  else load->replaced++;
  identity *identity = connection->identity;
  if (!identity) return;
  copy_text(identity->member, sizeof identity->member, value(text, count, "\"id\":\""), end);
  copy_text(identity->secret, sizeof identity->secret, value(text, count, "\"secret\":\""), end);
  copy_text(identity->epoch, sizeof identity->epoch, value(text, count, "\"epoch\":\""), end);
  const char *revision = value(text, count, "\"revision\":");
  connection->revision = revision ? atoll(revision) : 0;
}

static void received_delta(load *load, connection *connection, int64_t now) {
  room *room = &load->rooms[connection->room];
  if (connection->delta_count >= room->taps) return;  // not of this phase
  int64_t due = room->sent[connection->delta_count++ & (LOAD_RING - 1)];
  load->deliveries++;
  bool is_timed = !load->settings.timed || connection->number % load->settings.timed == 0;
  if (is_timed)
    histogram_add(connection->port == room->sender ? &load->latencies : &load->far, now - due);
  if (--room->pending == 0 && load->is_looping) message_tap(load, room, load_now());
}

/// The answer to a command that has changed nothing, which only the first one of a member can do.
static void received_reply(load *load, connection *connection) {
  room *room = &load->rooms[connection->room];
  room->taps--;
  load->taps--;
  room->pending -= room->count;
  if (room->pending == 0 && load->is_looping) message_tap(load, room, load_now());
}

/// The messages in a frame of Centrifuge, which has a reply or a publication in each line.
static void received_lines(load *load, connection *connection, const char *text, size_t count,
                           int64_t now) {
  const char *end = text + count, *line_end;
  for (; text < end; text = line_end + 1) {
    line_end = memchr(text, '\n', (size_t)(end - text));
    if (!line_end) line_end = end;
    const char *message = memmem(text, (size_t)(line_end - text), start, sizeof start - 1);
    if (message)
      message_received(load, connection, message, (size_t)(line_end - message), now);
  }
}

void message_received(load *load, connection *connection, const char *text, size_t count,
                      int64_t now) {
  if (count >= sizeof start && memcmp(text, start, sizeof start - 1) != 0)
    return received_lines(load, connection, text, count, now);
  load->messages++;
  if (connection->is_slow && connection->phase == PHASE_JOINED) return;
  if (count < 12) load_fail("a message of %zu bytes", count);
  switch (text[9]) {
    case 'd':
      if (text[10] != 'e') break;
      if (connection->identity) {
        const char *revision = value(text, count, "\"revision\":");
        connection->revision = revision ? atoll(revision) : 0;
      }
      return received_delta(load, connection, now);
    case 'w': return received_welcome(load, connection, text, count);
    case 'p': case 'm': return;  // presence, months
    case 'r':
      if (load->settings.is_shared && text[11] == 'p') return received_reply(load, connection);
  }
  load_fail("not expected: %.*s", (int)(count < 300 ? count : 300), text);
}

void message_join(load *load, connection *connection) {
  const char *join = load->settings.joins[connection->number % (uint32_t)load->settings.join_count];
  identity *identity = connection->identity;
  if (!identity || !identity->member[0])
    return connection_send(load, connection, join, strlen(join));
  char text[512];
  // As if the last ten deltas had been lost.
  int64_t revision = connection->revision > 10 ? connection->revision - 10 : 0;
  int count = snprintf(text, sizeof text,
                       "{\"type\":\"join\",\"resume\":{\"member\":\"%s\",\"secret\":\"%s\","
                       "\"epoch\":\"%s\",\"revision\":%lld}}",
                       identity->member, identity->secret, identity->epoch,
                       (long long)revision);
  connection_send(load, connection, text, (size_t)count);
}

void message_tap(load *load, room *room, int64_t due) {
  char text[256];
  size_t count = 0;
  connection *sender = &load->connections[room->first + room->turn];
  if (load->settings.is_shared)
    room->variant = (uint32_t)(sender->ref % load->settings.tap_count);
  const char *tap = load->settings.taps[room->variant];
  room->sender = sender->port;
  // With several taps in flight one member sends all taps of a room, which fixes their order; with
  // --shared each changes a column of its own.
  bool is_next = load->is_looping || load->settings.is_shared;
  if (is_next && ++room->turn == room->count) room->turn = 0;
  if (++room->variant == (uint32_t)load->settings.tap_count) room->variant = 0;
  for (; *tap && count < sizeof text - 24; tap++) {
    if (*tap == '#') count += (size_t)sprintf(text + count, "%u", sender->number);
    else if (*tap == '@') count += (size_t)sprintf(text + count, "%lld", (long long)++sender->ref);
    else text[count++] = *tap;
  }
  if (room->taps - load->connections[room->first].delta_count >= LOAD_RING) {
    fprintf(stderr, "load: %d taps wait in %s: the rate is more than the server carries\n",
            LOAD_RING, room->path);
    exit(LOAD_OVERLOADED);
  }
  room->sent[room->taps++ & (LOAD_RING - 1)] = due;
  room->pending += room->count - room->slow_count;
  load->taps++;
  connection_send(load, sender, text, count);
}
