import JSONText

/// The renewal of a member token: requested from the app before the token expires, or after the
/// server has rejected it.
struct TokenRenewal: Sendable {
  /// Tokens are requested this long before they expire, or after half of a shorter time.
  static let leadSeconds = 60
  /// The minimum time between two requests. The server closes the connection 25 s after the token
  /// has expired.
  static let pauseSecondsMin = 5
  /// The delay after a request without an answer.
  static let retryMilliseconds: Int64 = 10_000

  /// Whether the app provides tokens on request.
  let isAutomatic: Bool
  /// Whether a request has no answer yet.
  var isRequested = false
  /// Whether the token was provided for the current attempt to connect, so that another request
  /// cannot help if the server rejects it.
  var isFresh = false
  /// Whether the next attempt to connect waits for a token.
  var blocksDial = false
  /// The token that was last sent, in a join or later.
  var joinedWith: String?
  /// The close code with which the server rejected the last token.
  var code = 4301

  init(isAutomatic: Bool) { self.isAutomatic = isAutomatic }

  /// The delay before the next token is requested.
  static func milliseconds(expiresInSeconds seconds: Int) -> Int64 {
    Int64(max(pauseSecondsMin, seconds - min(leadSeconds, seconds / 2))) * 1_000
  }
}

/// Tokens that expire and are renewed.
///
/// - Source: web/guide/README.md, "Let your users in".
extension ClientMachine {
  mutating func requestToken() {
    guard renewal.isAutomatic, !renewal.isRequested else { return }
    renewal.isRequested = true
    effects.append(.requestToken)
  }

  mutating func pushed(_ token: String) {
    profile.token = token
    // A token that the app's provider returns later is older.
    renewal.isRequested = false
    switch state.connection {
    case .live: sendToken(token)
    // The join contains it, or it is sent after the welcome.
    case .connecting: if renewal.blocksDial { connect() }
    case .joining: return
    // The app, or another device with the same member, has ended the connection.
    case .idle, .left, .away(code: 4409): return
    case .waiting, .needsCredentials, .away: dial()
    }
  }

  mutating func provided(_ token: String) {
    guard renewal.isRequested else { return }
    renewal.isRequested = false
    profile.token = token
    switch state.connection {
    case .live: sendToken(token)
    case .connecting:
      guard renewal.blocksDial else { return }
      renewal.isFresh = true
      connect()
    case .idle, .joining, .waiting, .needsCredentials, .away, .left: return
    }
  }

  mutating func unavailable(_ isFinal: Bool) {
    guard renewal.isRequested else { return }
    renewal.isRequested = false
    switch state.connection {
    case .live: if !isFinal { timers.set(.renew, at: now + TokenRenewal.retryMilliseconds) }
    case .connecting:
      guard renewal.blocksDial else { return }
      if isFinal { enter(.needsCredentials(code: renewal.code)) } else { wait(nil) }
    case .idle, .joining, .waiting, .needsCredentials, .away, .left: return
    }
  }

  /// The server has closed the connection with 43xx.
  mutating func rejected(_ code: Int) {
    renewal.code = code
    if let token = profile.token, token != renewal.joinedWith {
      // The app has set another one since.
      wait(attempt == 0 ? 0 : nil)
    } else if renewal.isAutomatic && !renewal.isFresh {
      profile.token = nil
      wait(attempt == 0 ? 0 : nil)
    } else if code == 4301 && hasTriedIdentity {
      // It can also mean that the server has forgotten the member: try once as a new one.
      identity = nil
      dial()
    } else {
      if renewal.isAutomatic { profile.token = nil }
      renewal.isFresh = false
      enter(.needsCredentials(code: code))
    }
  }

  /// The welcome has arrived, with the time until the token expires.
  mutating func joined(_ lifetime: JSONTree?) {
    renewal.isFresh = false
    if let token = profile.token, token != renewal.joinedWith { sendToken(token) }
    state.tokenExpires = nil
    if let lifetime { noteLifetime(lifetime) }
  }

  mutating func noteLifetime(_ lifetime: JSONTree) {
    state.tokenExpires = lifetime["expires"]?.string
    guard renewal.isAutomatic, let seconds = lifetime["expiresInSeconds"]?.integer else { return }
    timers.set(.renew, at: now + TokenRenewal.milliseconds(expiresInSeconds: max(0, seconds)))
  }

  mutating func connect() {
    renewal.blocksDial = false
    effects.append(.connect)
    start(.join)
  }

  private mutating func sendToken(_ token: String) {
    renewal.joinedWith = token
    let message = JSONTree.object([.init("type", .string("token")), .init("token", .string(token))])
    effects.append(.send(String(decoding: message.serialized(), as: UTF8.self)))
  }
}
