/// Encodes messages as server-sent events.
///
/// `event` is the message type (`end` for an error, because browsers use `error` themselves) and
/// `data` the message. Messages that change the revision have an `id`, which a client sends as
/// `Last-Event-ID` to resume: the first letters of the epoch, a dot, the revision.
/// - Source: HTML, section 9.2, "Server-sent events".
package enum ServerSentEvent {
  /// The number of letters of the epoch in an id: 48 random bits.
  private static let markCount = 8
  /// A comment that is sent after a time without events, so that proxies do not close the
  /// connection.
  package static let comment: [UInt8] = Array(":\n\n".utf8)

  /// The part of an epoch that ids contain.
  package static func epochMark(of epoch: String) -> String { String(epoch.prefix(markCount)) }

  /// Parses an id that ``bytes(_:epochMark:)`` wrote; `nil` for anything else.
  package static func parse(id: String) -> (epochMark: String, revision: Int)? {
    let parts = id.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].utf8.count == markCount, let revision = Int(parts[1]),
      revision >= 0
    else { return nil }
    return (String(parts[0]), revision)
  }

  /// Encodes a message.
  ///
  /// - Parameters:
  ///   - frame: A message of ``MessageEncoder``, which contains no newline.
  ///   - epochMark: The result of ``epochMark(of:)`` for the session's epoch.
  package static func bytes(_ frame: Frame, epochMark: String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(frame.count + 80)
    bytes += "event: \(frame.kind.eventName)".utf8
    if let revision = frame.kind.position { bytes += "\nid: \(epochMark).\(revision)".utf8 }
    if let retry = frame.kind.retry { bytes += "\nretry: \(retry)".utf8 }
    bytes += "\ndata: ".utf8
    bytes += frame.bytes
    bytes += "\n\n".utf8
    return bytes
  }
}
