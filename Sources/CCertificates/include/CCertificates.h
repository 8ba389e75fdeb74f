/// Certificates of TLS listeners.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// A certificate with its key and the settings of TLS. Immutable and reference-counted: OpenSSL's
/// SSL_CTX.
typedef struct ssl_ctx_st certificate;

/// Loads a certificate chain and its private key, both in PEM format. TLS 1.2 and 1.3 with the
/// ciphers of Mozilla's intermediate configuration.
///
/// - Returns: NULL with a sentence in `problem` if a file cannot be used.
certificate *certificate_load(const char *chain, const char *key, char *problem,
                              size_t problem_size);

/// Drops the caller's reference. Connections and loops that use it keep their own.
void certificate_release(certificate *certificate);

/// The end of the certificate's validity, in seconds since 1970-01-01T00:00Z.
int64_t certificate_expiry(const certificate *certificate);
