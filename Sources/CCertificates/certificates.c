#include "CCertificates.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

// Mozilla's "intermediate" configuration, version 5.7, without DHE, which costs the server more
// than the client.
static const char ciphers[] =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:"
    "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:"
    "ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";

/// Selects HTTP/1.1 if the client offers it. A client that offers other protocols only is refused.
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
  // A client may close its side without close_notify: lengths say where messages end.
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                   SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_RELEASE_BUFFERS |
                                SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_clear_options(context, SSL_OP_ENABLE_KTLS);
  SSL_CTX_set_alpn_select_cb(context, select_protocol, NULL);
  // Sessions are resumed by tickets only: a cache would grow with the clients.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  // One for each connection: a second one costs 6 % of a handshake, and is for clients that open
  // more connections than they had before.
  SSL_CTX_set_num_tickets(context, 1);
  SSL_CTX_set_session_id_context(context, session_context, sizeof session_context - 1);
  SSL_CTX_set_max_early_data(context, 0);
  return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
         SSL_CTX_set_cipher_list(context, ciphers) == 1 &&
         SSL_CTX_set1_groups_list(context, "X25519:P-256:P-384") == 1;
}

certificate *certificate_load(const char *chain, const char *key, char *problem, size_t size) {
  SSL_CTX *context = SSL_CTX_new(TLS_server_method());
  snprintf(problem, size, "OpenSSL cannot be initialized");
  bool is_usable =
      context && configure(context) && load(context, chain, key, problem, size);
  ERR_clear_error();
  if (is_usable) return context;
  SSL_CTX_free(context);
  return NULL;
}

void certificate_release(certificate *tls) { SSL_CTX_free(tls); }

int64_t certificate_expiry(const certificate *tls) {
  struct tm utc = {0};
  ASN1_TIME_to_tm(X509_get0_notAfter(SSL_CTX_get0_certificate(tls)), &utc);
  return (int64_t)timegm(&utc);
}
