import CCertificates
import CWebSocketLoop

/// A certificate chain with its private key, for the TLS listeners of a ``SocketLoop``.
///
/// `@unchecked Sendable`: immutable, and the C object counts its references atomically.
package final class TLSCertificate: @unchecked Sendable {
  let context: OpaquePointer
  /// The end of its validity, in seconds since 1970-01-01T00:00Z.
  package let expirySeconds: Int64

  /// Reads two files in PEM format. The first file contains the certificate and then those of the
  /// intermediate authorities.
  ///
  /// - Throws: ``SocketLoopProblem`` if a file cannot be used or the key is another certificate's.
  package init(certificate: String, key: String) throws(SocketLoopProblem) {
    let problem = ProblemBuffer()
    guard let context = certificate_load(certificate, key, problem.text, ProblemBuffer.capacity)
    else { throw problem.thrown() }
    self.context = context
    expirySeconds = certificate_expiry(context)
  }

  deinit { certificate_release(context) }
}

extension SocketLoop {
  /// Sets the certificate for connections that are accepted from now on. A loop must have one
  /// before it listens with TLS.
  package func use(_ certificate: TLSCertificate) {
    wsl_use_tls(loop, certificate.context)
    certificateExpirySeconds = certificate.expirySeconds
  }
}
