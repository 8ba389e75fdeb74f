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
  /// Whether a request has no answer yet. There is at most one.
  var isRequested = false
  /// Whether the answer is used. The app may have set a newer token since the request.
  var isWanted = false
  /// Whether the current attempt to connect waits for a token.
  var blocksDial = false
  /// Whether the current attempt to connect joins as a new member.
  var joinsAsNew = false
  /// The token that was last sent, in a join or later.
  var joinedWith: String?
  /// The close code with which the server rejected the last token; `nil` after a welcome.
  var code: Int?

  init(isAutomatic: Bool) { self.isAutomatic = isAutomatic }

  /// Whether the answer to the request is used. It is no longer outstanding then.
  mutating func takeAnswer() -> Bool {
    defer { (isRequested, isWanted) = (false, false) }
    return isRequested && isWanted
  }

  /// The delay before the next token is requested.
  static func milliseconds(expiresInSeconds seconds: Int) -> Int64 {
    Int64(max(pauseSecondsMin, seconds - min(leadSeconds, seconds / 2))) * 1_000
  }
}

/// Tokens that expire and are renewed.
///
/// - Source: web/guide/README.md, "Let your users in".
extension ClientMachine {
  /// Whether a token is needed that the app has not provided yet.
  var needsToken: Bool { renewal.isAutomatic && profile.token == nil }

  /// Whether there is no connection, and the next one needs a token that the app has not provided
  /// yet.
  var isWaitingForToken: Bool {
    needsToken && (state.connection == .waiting || state.connection == .connecting)
  }

  mutating func requestToken() {
    guard renewal.isAutomatic else { return }
    renewal.isWanted = true
    guard !renewal.isRequested else { return }
    renewal.isRequested = true
    effects.append(.requestToken)
  }

  mutating func pushed(_ token: String) {
    profile.token = token
    // A token that the app's provider returns later is older.
    renewal.isWanted = false
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
    guard renewal.takeAnswer() else { return }
    profile.token = token
    switch state.connection {
    case .live: sendToken(token)
    case .connecting: if renewal.blocksDial { connect() }
    case .idle, .joining, .waiting, .needsCredentials, .away, .left: return
    }
  }

  mutating func unavailable(_ isFinal: Bool) {
    guard renewal.takeAnswer() else { return }
    switch state.connection {
    case .live: if !isFinal { timers.set(.renew, at: now + TokenRenewal.retryMilliseconds) }
    case .connecting:
      guard renewal.blocksDial else { return }
      guard isFinal else { return wait(nil) }
      let code = renewal.code ?? 4301
      if code == 4403 { stayAway(code) } else { enter(.needsCredentials(code: code)) }
    case .idle, .joining, .waiting, .needsCredentials, .away, .left: return
    }
  }

  /// The server has closed the connection with 43xx, or with 4403 after a revocation.
  ///
  /// An app that provides tokens is asked for another one, immediately and then with back-off, as
  /// long as it provides them: the server may accept the next one, because it has read a new
  /// signing key, or because the token was issued long enough after the revocation.
  mutating func rejected(_ code: Int) {
    let isFirst = renewal.code != 4301
    renewal.code = code
    let hasNewer = profile.token != nil && profile.token != renewal.joinedWith
    // A provider is asked first: the token is the more likely reason.
    let mayBeSecret = !hasNewer && !(isFirst && renewal.isAutomatic)
    if code == 4301 && hasTriedIdentity && mayBeSecret { return dial(joinsAsNew: true) }
    guard hasNewer || renewal.isAutomatic else { return enter(.needsCredentials(code: code)) }
    if !hasNewer { profile.token = nil }
    wait(attempt == 0 ? 0 : nil)
  }

  /// The welcome has arrived, with the time until the token expires.
  mutating func joined(_ lifetime: JSONTree?) {
    renewal.code = nil
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
