#define _GNU_SOURCE  // RTLD_NEXT
#include "private.h"

#include <dlfcn.h>
#include <errno.h>
#include <openssl/err.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

// TLS with OpenSSL, through libwebsockets: it performs the handshake and calls SSL_read() and
// SSL_write(). pickerd creates the TLS state of each connection itself, for two reasons: a new
// certificate is a new SSL_CTX, and a connection that moves to another loop brings its state along.
// libwebsockets has no function that accepts an SSL. Therefore this file replaces SSL_new(), which
// libwebsockets calls once per connection, by symbol interposition (see loop/overrides.c).

// Mozilla's "intermediate" configuration, version 5.7, without DHE, which costs the server more
// than the client.
static const char ciphers[] =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:"
    "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:"
    "ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";

static SSL *(*new_of_library)(SSL_CTX *);
static _Thread_local SSL *offered;

__attribute__((constructor)) static void find_replaced_function(void) {
  *(void **)&new_of_library = dlsym(RTLD_NEXT, "SSL_new");
}

/// Returns the state that `wsl_tls_offer` has offered to libwebsockets. Other callers, such as
/// clients, get a new one.
SSL *SSL_new(SSL_CTX *context) {
  SSL *tls = offered;
  offered = NULL;
  return tls ? tls : new_of_library(context);
}

/// Offers the state of a connection that is about to be adopted. NULL withdraws the offer.
///
/// - Returns: The previous offer if it was not accepted.
wsl_tls_state *wsl_tls_offer(wsl_tls_state *tls) {
  SSL *refused = offered;
  offered = tls;
  return refused;
}

wsl_tls_state *wsl_tls_begin(wsl_tls *tls) { return new_of_library(tls); }

/// Takes a reference to the state of a connection that moves to another loop, and prevents that
/// libwebsockets sends close_notify when it ends the connection on this loop.
wsl_tls_state *wsl_tls_take(struct lws *wsi) {
  SSL *tls = lws_get_ssl(wsi);
  if (!tls) return NULL;
  SSL_up_ref(tls);
  SSL_set_quiet_shutdown(tls, 1);
  return tls;
}

/// Reverts what `wsl_tls_take` and the end of the connection on its old loop have changed.
void wsl_tls_settle(wsl_tls_state *tls) {
  if (!tls || !SSL_is_init_finished(tls)) return;
  SSL_set_quiet_shutdown(tls, 0);
  SSL_set_shutdown(tls, 0);
}

void wsl_tls_end(wsl_tls_state *tls) { SSL_free(tls); }

/// Writes directly to a connection that is about to be closed; what does not fit is lost.
void wsl_tls_write_last(struct lws *wsi, const void *bytes, size_t count) {
  SSL *tls = lws_get_ssl(wsi);
  ERR_clear_error();
  if (SSL_is_init_finished(tls)) (void)!SSL_write(tls, bytes, (int)count);
  ERR_clear_error();
}

/// Sends close_notify. - Source: RFC 8446, section 6.1
void wsl_tls_notify_close(struct lws *wsi) {
  SSL *tls = lws_get_ssl(wsi);
  if (!tls) return;
  ERR_clear_error();
  if (SSL_is_init_finished(tls)) (void)SSL_shutdown(tls);
  ERR_clear_error();
}

/// Discards what OpenSSL has decrypted and libwebsockets has not read. libwebsockets would read it
/// before it writes, and thereby find another error in a connection that it is closing.
void wsl_tls_discard_read(struct lws *wsi) {
  uint8_t bytes[1024];
  SSL *tls = lws_get_ssl(wsi);
  ERR_clear_error();
  while (tls && SSL_pending(tls) > 0 && SSL_read(tls, bytes, sizeof bytes) > 0) {}
  ERR_clear_error();
}

static SSL_CTX *client_context;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void create_client_context(void) { client_context = SSL_CTX_new(TLS_client_method()); }

/// A context for libwebsockets' clients, of which a loop has none. Otherwise libwebsockets creates
/// one per loop and does not free all of them.
SSL_CTX *wsl_tls_for_no_client(void) {
  pthread_once(&once, create_client_context);
  return client_context;
}

// Certificates ---------------------------------------------------------------------------------

/// Selects HTTP/1.1 if the client offers it; libwebsockets' HTTP/2 is not used. A client that
/// offers other protocols only is refused.
/// - Source: RFC 7301, section 3.2
static int select_protocol(SSL *tls, const unsigned char **selected, unsigned char *length,
                           const unsigned char *offer, unsigned int offer_length, void *context) {
  static const unsigned char http1[] = "\x08http/1.1";
  (void)tls, (void)context;
  int result = SSL_select_next_proto((unsigned char **)(uintptr_t)selected, length, http1,
                                     sizeof http1 - 1, offer, offer_length);
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

/// Answers OpenSSL's request for a passphrase. Without it, OpenSSL would ask at the terminal.
static int no_passphrase(char *into, int size, int is_writing, void *was_asked) {
  (void)into, (void)size, (void)is_writing;
  *(bool *)was_asked = true;
  return -1;
}

static bool is_readable(const char *path, char *problem, size_t size) {
  FILE *file = fopen(path, "re");
  if (file) return fclose(file) == 0;
  snprintf(problem, size, "%s cannot be read: %s", path, strerror(errno));
  return false;
}

/// Whether OpenSSL has refused a key because it is another certificate's.
static bool is_mismatch(unsigned long error) {
  int library = ERR_GET_LIB(error), reason = ERR_GET_REASON(error);
  return (library == ERR_LIB_X509 && reason == X509_R_KEY_VALUES_MISMATCH) ||
         (library == ERR_LIB_X509 && reason == X509_R_KEY_TYPE_MISMATCH) ||
         (library == ERR_LIB_SSL && reason == SSL_R_NO_CERTIFICATE_ASSIGNED);
}

/// Describes why OpenSSL has refused a file. Returns false.
static bool refused(const char *path, const char *what, bool is_encrypted, char *problem,
                    size_t size) {
  unsigned long error = ERR_peek_last_error();
  const char *reason = ERR_reason_error_string(ERR_peek_error());
  if (is_mismatch(error))
    snprintf(problem, size, "%s is not the key of the certificate", path);
  else if (is_encrypted)
    snprintf(problem, size, "%s is encrypted; remove its passphrase with openssl pkey", path);
  else
    snprintf(problem, size, "%s is not a %s in PEM format that OpenSSL accepts: %s", path, what,
             reason ? reason : "?");
  return false;
}

static bool load(SSL_CTX *context, const char *certificate, const char *key, char *problem,
                 size_t size) {
  if (!is_readable(certificate, problem, size) || !is_readable(key, problem, size)) return false;
  bool is_encrypted = false;
  SSL_CTX_set_default_passwd_cb(context, no_passphrase);
  SSL_CTX_set_default_passwd_cb_userdata(context, &is_encrypted);
  ERR_clear_error();
  if (SSL_CTX_use_certificate_chain_file(context, certificate) != 1)
    return refused(certificate, "certificate", is_encrypted, problem, size);
  if (SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context) != 1)
    return refused(key, "private key", is_encrypted, problem, size);
  return true;
}

static bool configure(SSL_CTX *context) {
  static const unsigned char session_context[] = "pickerd";
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  // No kTLS, which openssl.cnf can turn on for all programs. Only the BIO knows that the kernel
  // encrypts, and for a connection that moves to another loop libwebsockets creates a new one, with
  // SSL_set_fd(): OpenSSL would encrypt, and then the kernel once more.
  SSL_CTX_clear_options(context, SSL_OP_ENABLE_KTLS);
  SSL_CTX_set_alpn_select_cb(context, select_protocol, NULL);
  // Sessions are resumed by tickets only: a cache would grow with the clients.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_session_id_context(context, session_context, sizeof session_context - 1);
  SSL_CTX_set_max_early_data(context, 0);
  return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
         SSL_CTX_set_cipher_list(context, ciphers) == 1 &&
         SSL_CTX_set1_groups_list(context, "X25519:P-256:P-384") == 1;
}

wsl_tls *wsl_tls_create(const char *certificate, const char *key, char *problem, size_t size) {
  SSL_CTX *context = SSL_CTX_new(TLS_server_method());
  snprintf(problem, size, "OpenSSL cannot be initialized");
  bool is_usable =
      context && configure(context) && load(context, certificate, key, problem, size);
  ERR_clear_error();
  if (is_usable) return context;
  SSL_CTX_free(context);
  return NULL;
}

void wsl_tls_destroy(wsl_tls *tls) { SSL_CTX_free(tls); }

int64_t wsl_tls_expiry(const wsl_tls *tls) {
  struct tm utc = {0};
  ASN1_TIME_to_tm(X509_get0_notAfter(SSL_CTX_get0_certificate(tls)), &utc);
  return (int64_t)timegm(&utc);
}

int64_t wsl_tls_expiry_in_force(const wsl_loop *loop) {
  return loop->tls ? wsl_tls_expiry(loop->tls) : 0;
}

void wsl_use_tls(wsl_loop *loop, wsl_tls *tls) {
  if (tls) SSL_CTX_up_ref(tls);
  SSL_CTX_free(loop->tls);
  loop->tls = tls;
}
