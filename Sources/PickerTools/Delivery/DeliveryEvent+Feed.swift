import JSONText

extension DeliveryEvent {
  /// The host's own values have up to 127 levels, a few levels below the event.
  private static let depthMax = 160

  /// Parses a line of the feed; `nil` if it is not an event.
  init?(line: ArraySlice<UInt8>) {
    guard let tree = try? JSONTree.parse(Array(line), depthMax: Self.depthMax),
      let id = tree["id"]?.string, let position = tree["position"]?.integer,
      let type = tree["type"]?.string, let session = tree["data"]?["session"]?.string
    else { return nil }
    // What follows is sent as it was written, with all digits of the host's numbers.
    let head = Array("{\"id\":\"\(id)\",\"position\":\(position),".utf8)
    guard line.starts(with: head) else { return nil }
    self.init(
      position: position, id: id, type: type, session: session,
      content: String(decoding: line.dropFirst(head.count).dropLast(), as: UTF8.self))
  }
}
