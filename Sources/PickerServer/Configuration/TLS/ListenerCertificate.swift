import Foundation
import Logging
import WebSocketTransport

/// The certificate of the public listener. SIGHUP reads its files again; connections that exist are
/// not affected.
struct ListenerCertificate: Reloadable {
  let group: LoopGroup
  let log: Logger

  func prepare(
    _ settings: ServerConfiguration
  ) throws(ConfigurationProblem) -> @Sendable () -> Void {
    guard let certificate = try settings.tls?.load() else { return {} }
    return { [group, log] in
      // The first loop accepts the connections of all loops.
      group.post(to: 0) { $0.loop.use(certificate) }
      ListenerCertificate.report(certificate, to: log)
    }
  }

  /// Clients of ACME renew certificates 30 days before they expire.
  private static let warningDays = 14.0

  /// Logs until when a certificate is valid.
  static func report(_ certificate: TLSCertificate, to log: Logger) {
    let expiry = Date(timeIntervalSince1970: Double(certificate.expirySeconds))
    let date = expiry.ISO8601Format()
    if expiry < Date() {
      log.warning("the TLS certificate has expired: it was valid until \(date)")
    } else if expiry < Date(timeIntervalSinceNow: warningDays * 86_400) {
      log.warning("the TLS certificate expires soon: it is valid until \(date)")
    } else {
      log.notice("the TLS certificate is valid until \(date)")
    }
  }
}
