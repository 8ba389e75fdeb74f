import Foundation
import Logging
import WebSocketTransport

/// The files of the certificate and its key, `--tls-certificate` and `--tls-key`.
struct TLSFiles {
  let certificate: String
  let key: String

  /// Reads the files.
  func load() throws(ConfigurationProblem) -> TLSCertificate {
    do throws(SocketLoopProblem) {
      return try TLSCertificate(certificate: certificate, key: key)
    } catch {
      throw ConfigurationProblem(error.description + ".", at: Setting.tlsCertificate.flag)
    }
  }
}

extension ServerConfiguration {
  /// The certificate of the listeners with TLS; `nil` for none.
  var tls: TLSFiles? {
    guard let tlsCertificate, let tlsKey else { return nil }
    return TLSFiles(certificate: tlsCertificate, key: tlsKey)
  }
}

extension TLSCertificate {
  /// Clients of ACME renew certificates 30 days before they expire.
  private static let warningDays = 14.0

  /// Logs until when it is valid.
  func report(to log: Logger) {
    let expiry = Date(timeIntervalSince1970: Double(expirySeconds))
    let date = expiry.ISO8601Format()
    if expiry < Date() {
      log.warning("the TLS certificate has expired: it was valid until \(date)")
    } else if expiry < Date(timeIntervalSinceNow: TLSCertificate.warningDays * 86_400) {
      log.warning("the TLS certificate expires soon: it is valid until \(date)")
    } else {
      log.notice("the TLS certificate is valid until \(date)")
    }
  }
}
