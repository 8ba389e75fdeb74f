import WebSocketTransport

/// The files of the certificate and its key, `--tls-certificate` and `--tls-key`.
package struct TLSFiles: Hashable, Sendable {
  package let certificate: String
  package let key: String

  /// Reads the files.
  func load() throws(ConfigurationProblem) -> TLSCertificate {
    do throws(SocketLoopProblem) {
      return try TLSCertificate(certificate: certificate, key: key)
    } catch {
      throw ConfigurationProblem(error.description + ".", at: Setting.tlsCertificate.flag)
    }
  }
}
