import Foundation
package import Logging
import PickerWire

/// The validated configuration of a server.
package struct ServerConfiguration: Hashable, Sendable {
  /// Who may use the server.
  package enum Authentication: Hashable, Sendable, CustomStringConvertible {
    /// Everyone.
    case open
    /// Each session is created with three tokens.
    case token
    /// A host with API keys, and the members for whom it signs tokens.
    case keys(file: String)

    package var description: String {
      switch self {
      case .open: "open"
      case .token: "token"
      case .keys(let file): "keys:\(file)"
      }
    }
  }

  /// The clock of the sessions: the system clock, or one that is set with `POST /v1/clock`.
  package enum ClockSource: String, CaseIterable, Sendable { case system, manual }

  package var listen: [ListenAddress] = [.standard]
  /// The addresses for the application's backend; if empty, ``listen`` serves it, too.
  package var apiListen: [ListenAddress] = []
  /// Where other nodes reach this one; `nil`: nowhere.
  package var nodeListen: TCPAddress?
  /// The addresses of the admin listeners, which serve `/metrics`.
  package var adminListen: [ListenAddress] = []
  /// The file with the keys of the admin listeners; `nil` if they need none.
  package var adminKeys: String?
  /// The certificate of the listeners with TLS; `nil` for none.
  package var tls: TLSFiles?
  /// The addresses of the listeners that redirect to https.
  package var redirectHTTP: [ListenAddress] = []
  /// The URL by which members reach the server; `nil` for the one that each request names.
  package var publicURL: PublicURL?
  /// The accepted names in `Host`, see ``HostPolicy``.
  package var hosts: [HostName] = []
  package var trustedProxies: TrustedProxies = .standard
  package var authentication: Authentication = .open
  /// The `aud` of member tokens, with `--auth keys`.
  package var audience = ServerConfiguration.standardAudience
  package var clock: ClockSource = .system
  package var origins = OriginPolicy(allowed: [])
  package var store: StoreLocation = .standard
  package var limits = LimitSettings()
  /// An absolute path; `nil` to serve only the API.
  package var webFolder: String?
  /// Events below this level are not logged.
  package var logLevel: Logger.Level = .notice
  package var logFormat: LogFormat = .text
  /// The domain part of event UIDs, after the `@`.
  package var calendarName = "pickerd"
  /// The URL of Outlook's form for a new event, with names in braces, see ``CalendarLinks``.
  package var outlookLink = CalendarLinks.outlookStandard
  /// The number of event loops, each with its own thread and shard of the sessions.
  package var loops = ServerConfiguration.standardLoops

  /// One loop per core that the process may use.
  package static var standardLoops: Int {
    min(max(1, ProcessInfo.processInfo.activeProcessorCount), loopsMax)
  }
  package static let loopsMax = 64

  package static let standardAudience = "pickerd"

  package init() {}
}
