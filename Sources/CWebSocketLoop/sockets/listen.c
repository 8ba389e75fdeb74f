#include "private.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// The listening sockets do not use libwebsockets' listener, which binds an IPv4 literal to all
// addresses, does not report why binding failed, and spins when the process is out of descriptors.

enum { BACKLOG = 1024 };

static int listen_error(int descriptor, char *problem, size_t size, const char *address, int port,
                   const char *why) {
  snprintf(problem, size, strchr(address, ':') ? "cannot listen at [%s]:%d: %s"
                                               : "cannot listen at %s:%d: %s",
           address, port, why);
  if (descriptor >= 0) close(descriptor);
  return -1;
}

static const char *bind_error(int error) {
  switch (error) {
  case EADDRINUSE:
    return "the port is in use; stop the other program or choose another port (0: any free port)";
  case EADDRNOTAVAIL:
    return "this machine has no such address";
  case EACCES:
    return "permission denied; choose a port from 1024 up, or let systemd open it (systemd:NAME)";
  default:
    return strerror(error);
  }
}

/// The port of a bound socket, or -1 if it is not bound to the address in `wanted`.
static int bound_port(int descriptor, const struct sockaddr *wanted) {
  struct sockaddr_storage bound = {0};
  socklen_t length = sizeof bound;
  if (getsockname(descriptor, (struct sockaddr *)&bound, &length) != 0) return -1;
  if (bound.ss_family != wanted->sa_family) return -1;
  if (wanted->sa_family == AF_INET) {
    const struct sockaddr_in *is = (void *)&bound, *asked = (const void *)wanted;
    return is->sin_addr.s_addr == asked->sin_addr.s_addr ? ntohs(is->sin_port) : -1;
  }
  const struct sockaddr_in6 *is = (void *)&bound, *asked = (const void *)wanted;
  bool is_same = memcmp(&is->sin6_addr, &asked->sin6_addr, sizeof is->sin6_addr) == 0;
  return is_same ? ntohs(is->sin6_port) : -1;
}

/// Creates a non-blocking socket that listens on `to`. Returns -1 and sets `errno` on failure.
static int listening_socket(const struct addrinfo *to) {
  int on = 1;
  int descriptor = socket(to->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -1;
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (to->ai_family == AF_INET6)  // [::] must not accept IPv4 connections as well
    setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  if (bind(descriptor, to->ai_addr, to->ai_addrlen) == 0 && listen(descriptor, BACKLOG) == 0)
    return descriptor;
  int error = errno;
  close(descriptor);
  errno = error;
  return -1;
}

bool wsl_listen_on(wsl_loop *loop, wsl_listening listening, int descriptor) {
  if (loop->listener_count == WSL_LISTENERS_MAX) {
    close(descriptor);
    return false;
  }
  wsl_listener *listener = &loop->listeners[loop->listener_count++];
  *listener = (wsl_listener){.loop = loop, .descriptor = descriptor, .listening = listening};
  uv_poll_init(&loop->uv, &listener->poll, descriptor);
  listener->poll.data = listener;
  listener->is_polled = true;
  uv_poll_start(&listener->poll, UV_READABLE, wsl_accept_all);
  return true;
}

int wsl_listen(wsl_loop *loop, wsl_listening listening, const char *address, uint16_t port,
               char *problem, size_t size) {
  struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
                           .ai_socktype = SOCK_STREAM};
  struct addrinfo *to = NULL;
  char service[8];
  snprintf(service, sizeof service, "%u", port);
  if (getaddrinfo(address, service, &hints, &to) != 0)
    return listen_error(-1, problem, size, address, port,
                   "not a numeric IPv4 or IPv6 address, such as 127.0.0.1 or ::1");
  int descriptor = listening_socket(to);
  int error = errno;
  int real_port = descriptor < 0 ? -1 : bound_port(descriptor, to->ai_addr);
  freeaddrinfo(to);
  if (descriptor < 0) return listen_error(-1, problem, size, address, port, bind_error(error));
  if (real_port < 0)
    return listen_error(descriptor, problem, size, address, port,
                   "the kernel bound a different address");
  if (!wsl_listen_on(loop, listening, descriptor))
    return listen_error(-1, problem, size, address, port, "there are too many listeners");
  return real_port;
}

static void listener_is_closed(uv_handle_t *handle) {
  wsl_listener *listener = handle->data;
  close(listener->descriptor);
}

static void close_listener(wsl_listener *listener) {
  if (!listener->is_polled) return;
  listener->is_polled = false;
  uv_poll_stop(&listener->poll);
  if (!listener->listening.is_shared)
    shutdown(listener->descriptor, SHUT_RDWR);  // refuses new connections immediately
  uv_close((uv_handle_t *)&listener->poll, listener_is_closed);
}

void wsl_accept_rest(wsl_loop *loop) {
  for (uint32_t index = 0; index < loop->listener_count; index++) {
    wsl_listener *listener = &loop->listeners[index];
    bool is_own = listener->is_polled && !listener->listening.is_shared;
    if (is_own) wsl_accept_all(&listener->poll, 0, UV_READABLE);
  }
}

/// Stops accepting connections. The descriptors are closed in the next event-loop iteration.
void wsl_close_listeners(wsl_loop *loop) {
  for (uint32_t index = 0; index < loop->listener_count; index++)
    close_listener(&loop->listeners[index]);
}
