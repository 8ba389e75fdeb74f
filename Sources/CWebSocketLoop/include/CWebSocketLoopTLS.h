/// Certificates of TLS listeners.
#pragma once

#include "CWebSocketLoopTypes.h"

/// Loads a certificate chain and its private key, both in PEM format. TLS 1.2 and 1.3 with the
/// ciphers of Mozilla's intermediate configuration.
///
/// - Returns: NULL with a sentence in `problem` if a file cannot be used.
wsl_tls *wsl_tls_create(const char *certificate, const char *key, char *problem,
                        size_t problem_size);

/// Drops the caller's reference. Connections and loops that use it keep their own.
void wsl_tls_destroy(wsl_tls *tls);

/// The end of the certificate's validity, in seconds since 1970-01-01T00:00Z.
int64_t wsl_tls_expiry(const wsl_tls *tls);

/// The expiry of the certificate in force; 0 without one.
int64_t wsl_tls_expiry_in_force(const wsl_loop *loop);

/// Sets the certificate for connections that are accepted from now on. Existing connections are
/// not affected. A loop with a TLS listener must have one.
void wsl_use_tls(wsl_loop *loop, wsl_tls *tls);
