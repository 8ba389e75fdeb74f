import JSONText

/// Invalid messages, which the shipped client never sends.
extension World {
  func misbehave(_ client: SimulatedClient, _ link: Link) {
    link.didMisbehave = true
    let fatal = random.coin()
    let bytes = fatal ? fatalMessage(client) : mutatedMessage(client)
    if fatal { link.fatal = bytes }
    arrive(.text(bytes), from: link)
    if !fatal {
      // The mutated message can be a valid command, so no expectations remain for this connection.
      client.link = nil
      restart(client, as: nil)
      arrive(.closed, from: link, after: 1)
    }
  }

  /// A message that closes the connection with 4400, whatever precedes it.
  private func fatalMessage(_ client: SimulatedClient) -> [UInt8] {
    let deep = String(repeating: "[", count: 65) + String(repeating: "]", count: 65)
    let texts = [
      "", " ", "[]", "7", "\"undo\"", "null", "{", "{\"type\":\"undo\",\"ref\":1", "{\"ref\":1}",
      "{\"type\":7,\"ref\":1}", "{\"type\":\"undo\"}", "{\"type\":\"undo\",\"ref\":true}",
      "{\"type\":\"undo\",\"ref\":1.0}", "{\"type\":\"undo\",\"ref\":\"1\"}",
      "{\"type\":\"undo\",\"ref\":9007199254740992}", "{\"type\":\"undo\",\"ref\":1}x",
      "{\"type\":\"tap\",\"ref\":1,\"date\":\"2026-02-30\"}", "{\"type\":\"tap\",\"ref\":1}",
      "{\"type\":\"select\",\"ref\":1,\"column\":0,\"row\":0}", "{\"type\":\"join\",\"again\":1}",
      "{\"type\":\"months\",\"from\":\"2026-13\",\"count\":1}", "{\"type\":\"\\ud800\"}",
      "{\"type\":\"undo\",\"ref\":1,\"also\":\(deep)}",
      "{\"type\":\"undo\",\"type\":\"undo\",\"ref\":1}",
      "{\"type\":\"undo\",\"ref\":01}", "{'type':'undo'}", "{\"type\":\"undo\",\"ref\":1,}",
    ]
    let marks = ["[]", "[[4,2]]", "[[0,2],[1,3]]", "[[0,0]]", "[[0]]", "[0,1]"].map {
      "{\"type\":\"mark\",\"ref\":1,\"grade\":\"yes\",\"cells\":\($0),\"generation\":1}"
    }
    return Array(random.pick(profile.doMembersMark ? texts + marks : texts).utf8)
  }

  /// A valid message with a few bytes changed, removed or duplicated. It is still UTF-8, because
  /// the socket checks that.
  private func mutatedMessage(_ client: SimulatedClient) -> [UInt8] {
    var bytes = Array(
      random.pick([
        "{\"type\":\"select\",\"ref\":90000,\"column\":0,\"row\":1,\"generation\":1,\"key\":\"k\"}",
        "{\"type\":\"tap\",\"ref\":900000,\"month\":\"2026-11\",\"x\":0.42,\"y\":0.55}",
        "{\"type\":\"months\",\"from\":\"2026-11\",\"count\":3}",
        "{\"type\":\"touch\",\"column\":1,\"row\":4}", "{\"type\":\"redo\",\"ref\":900000}",
        "{\"type\":\"rows\",\"column\":0,\"from\":400,\"count\":100}",
      ]).utf8)
    for _ in 0..<random.within(1...4) {
      let index = random.below(bytes.count)
      switch random.below(4) {
      case 0: bytes[index] = UInt8(random.within(0x20...0x7E))
      case 1: bytes.remove(at: index)
      case 2: bytes.insert(bytes[index], at: index)
      default: bytes.insert(contentsOf: "\\u00e9[{\"9".utf8, at: index)
      }
    }
    return bytes
  }
}
