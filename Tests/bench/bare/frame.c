#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bare.h"

static frame *frame_new(size_t count, unsigned char **payload) {
  size_t head = count < 126 ? 2 : count < 65536 ? 4 : 10;
  frame *made = malloc(sizeof *made + LWS_PRE + head + count);
  made->holders = 1;
  made->count = head + count;
  made->bytes = (unsigned char *)(made + 1) + LWS_PRE;
  made->bytes[0] = 0x81;
  if (head == 2) made->bytes[1] = (unsigned char)count;
  else made->bytes[1] = head == 4 ? 126 : 127;
  for (size_t index = 2; index < head; index++)
    made->bytes[index] = (unsigned char)(count >> 8 * (head - 1 - index));
  *payload = made->bytes + head;
  return made;
}

frame *frame_text(const char *text, size_t count) {
  unsigned char *payload;
  frame *made = frame_new(count, &payload);
  memcpy(payload, text, count);
  return made;
}

/// Filler that makes the delta as long as pickerd's for the same tap.
frame *frame_delta(size_t count, long revision, int row) {
  unsigned char *payload;
  frame *made = frame_new(count, &payload);
  char head[160];
  int used = snprintf(head, sizeof head,
                      "{\"type\":\"delta\",\"revision\":%ld,\"changes\":[{\"change\":\"row\","
                      "\"column\":0,\"row\":%d,\"text\":\"",
                      revision, row);
  static const char tail[] = "\"}]}";
  size_t fixed = (size_t)used + sizeof tail - 1;
  if (count < fixed) {
    fprintf(stderr, "bare: a delta has at least %zu bytes\n", fixed);
    exit(1);
  }
  memcpy(payload, head, (size_t)used);
  memset(payload + used, 'x', count - fixed);
  memcpy(payload + count - (sizeof tail - 1), tail, sizeof tail - 1);
  return made;
}

void frame_release(frame *frame) {
  if (--frame->holders == 0) free(frame);
}
