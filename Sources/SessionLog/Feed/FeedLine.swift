import JSONText
import PickerSession

/// A stored event of the feed: its line without the position.
package struct FeedLine: Sendable {
  package let position: Int
  package let type: String
  /// That of the session; empty without one, and for a line that was read from a store.
  let namespace: String
  /// `ev_` and 32 hexadecimal digits of the digest of the event's identity.
  let id: String
  /// The members of the JSON object after the position, with its closing brace.
  let body: [UInt8]

  init(position: Int, type: String, namespace: String = "", id: String, body: [UInt8]) {
    self.position = position
    self.namespace = namespace
    self.type = type
    self.id = id
    self.body = body
  }

  init(_ event: FeedEvent, position: Int, digest: ([UInt8]) -> [UInt8]) {
    var writer = JSONWriter(capacity: 96 + event.data.count)
    writer.literal("\"type\":", event.type.rawValue)
    writer.literal(",\"timestamp\":", event.timestamp.rfc3339)
    writer.literal(",\"data\":")
    writer.raw(event.data)
    writer.literal("}")
    self.init(
      position: position, type: event.type.rawValue, namespace: event.namespace ?? "",
      id: "ev_" + Hexadecimal.encode(digest(Array(event.identity.utf8)).prefix(16)),
      body: writer.bytes)
  }

  /// The JSON object, without a line break.
  package var json: [UInt8] {
    Array("{\"id\":\"\(id)\",\"position\":\(position),".utf8) + body
  }

  /// Bytes that count towards the feed's limit.
  var byteCount: Int { id.utf8.count + body.count }
}
