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

  /// - Parameter message: As ``MessageEncoder`` wrote it: one line, the type first.
  package static func octets(_ message: UnsafeRawBufferPointer, epochMark: String) -> [UInt8] {
    let head = message.prefix(160)
    let type = Array(head.dropFirst("{\"type\":\"".utf8.count).prefix { $0 != UInt8(ascii: "\"") })
    var octets: [UInt8] = []
    octets.reserveCapacity(message.count + 64)
    octets += "event: ".utf8
    octets += type.elementsEqual("error".utf8) ? Array("end".utf8) : type
    if hasPosition(type), let revision = number(after: "\"revision\":", in: head) {
      octets += "\nid: \(epochMark).\(revision)".utf8
    }
    if let wait = number(after: "\"reconnectAfterMs\":", in: head), wait > 0 {
      octets += "\nretry: \(wait)".utf8
    }
    octets += "\ndata: ".utf8
    octets += message
    octets += "\n\n".utf8
    return octets
  }

  private static func hasPosition(_ type: [UInt8]) -> Bool {
    ["delta", "snapshot", "welcome"].contains { type.elementsEqual($0.utf8) }
  }

  /// The whole number that stands after `name`.
  private static func number(after name: String, in head: Slice<UnsafeRawBufferPointer>) -> Int? {
    let wanted = Array(name.utf8)
    var rest = head[...]
    while rest.count > wanted.count {
      if rest.starts(with: wanted) {
        let digits = rest.dropFirst(wanted.count).prefix { (48...57).contains($0) }
        return Int(String(decoding: digits, as: UTF8.self))
      }
      rest = rest.dropFirst()
    }
    return nil
  }
}
