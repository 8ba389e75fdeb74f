/// A message to members as a server-sent event.
///
/// `event` is its type (`end` for an error: `error` is what a browser calls its own), `data` the
/// message. What moves the revision has an `id`, to be sent as `Last-Event-ID` on the way back:
/// the epoch's first letters, a dot, the revision.
/// - Source: HTML, section 9.2, "Server-sent events".
package enum ServerSentEvent {
  /// How many letters of the epoch an id has: 48 random bits.
  private static let markCount = 8
  /// Said when nothing has been for a while, so that nobody between takes the line for dead.
  package static let comment: [UInt8] = Array(":\n\n".utf8)

  package static func epochMark(of epoch: String) -> String { String(epoch.prefix(markCount)) }

  /// The epoch's letters and the revision of an id; `nil` for what is no id of ours.
  package static func parse(id: String) -> (epochMark: String, revision: Int)? {
    let parts = id.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].utf8.count == markCount, let revision = Int(parts[1]),
      revision >= 0
    else { return nil }
    return (String(parts[0]), revision)
  }

  /// - Parameter frame: A message as ``MessageEncoder`` wrote it, on one line.
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
