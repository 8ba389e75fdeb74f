import CivilTime
import JSONText
import PickerClient

/// Sends the messages of the client state machines. Some are replaced with messages that only other
/// clients would send: taps on cells and points instead of dates, requests for any number of rows
/// or months, unknown types, wrong secrets, and commands before the welcome.
extension World {
  /// Whether messages may be replaced by ones that the shipped client never sends.
  var mayTamper: Bool { remainingActs > 0 }

  func send(_ bytes: [UInt8], _ client: SimulatedClient, _ link: Link) {
    guard let message = try? JSONTree.parse(bytes), let type = message["type"]?.string else {
      return breach("a client sends messages: \(String(decoding: bytes, as: UTF8.self))")
    }
    switch type {
    case "join": join(message, client, link)
    case "leave":
      link.didLeave = true
      arrive(.text(bytes), from: link)
    case "months", "rows", "find", "touch": sendView(message, type, client, link)
    default: sendCommand(message, client, link)
    }
  }

  // MARK: - Join

  private func join(_ message: JSONTree, _ client: SimulatedClient, _ link: Link) {
    // A connection without a join must be closed by the hub.
    if mayTamper, random.once(in: 30) { return }
    link.hasJoined = true
    client.isViewUnknown = false
    var message = message.with("token", link.joinToken.map(JSONTree.string))
    if let resume = message["resume"] {
      message = message.with("resume", tampered(resume: resume, link))
    }
    arrive(.text(message.serialized()), from: link)
    guard mayTamper, message["resume"] != nil, random.once(in: 3) else { return }
    // A client may also send its unanswered commands again before it has received the welcome.
    for (ref, sent) in client.sent.sorted(by: { $0.key < $1.key }) {
      arrive(.text(sent.bytes), from: link)
      link.expected.append(ref)
    }
    link.didFlood = client.sent.count > profile.limits.messagesPerSecond
  }

  /// The `resume` of a join, sometimes with a wrong value; sometimes `nil`, to omit it.
  private func tampered(resume: JSONTree, _ link: Link) -> JSONTree? {
    guard let revision = resume["revision"]?.integer else { return nil }
    link.resumeRevision = revision
    guard mayTamper else { return resume }
    switch random.below(36) {
    case 0:
      link.hasBadCredentials = true
      return resume.with("secret", .string("wrong"))
    case 1:
      link.hasWrongEpoch = true
      return resume.with("epoch", .string("another"))
    case 2:
      link.resumeRevision = 1_000_000
      return resume.with("revision", .integer(1_000_000))
    case 3:
      link.resumeRevision = -1
      return resume.with("revision", .integer(-1))
    case 4, 5, 6:
      link.resumeRevision = nil
      return nil
    default: return resume
    }
  }

  // MARK: - Commands

  private func sendCommand(_ message: JSONTree, _ client: SimulatedClient, _ link: Link) {
    guard let ref = message["ref"]?.integer else { return breach("a command has a ref") }
    let sent = client.sent[ref] ?? tampered(command: message, ref, client)
    client.note(sent, as: ref)
    link.expected.append(ref)
    arrive(.text(sent.bytes), from: link)
  }

  private func tampered(
    command: JSONTree, _ ref: Int, _ client: SimulatedClient
  ) -> SimulatedClient.Sent {
    let genuine = SimulatedClient.Sent(bytes: command.serialized(), isGenuine: true)
    guard mayTamper else { return genuine }
    var fields: [JSONTree.Member]
    switch command["type"]?.string {
    case "tap" where random.once(in: 3): fields = cell(of: client)
    case "tap" where random.once(in: 3): fields = point(of: client)
    case "select" where random.once(in: 4):
      fields = command.with("key", nil).members?.filter { $0.key != "ref" } ?? []
    case "undo" where random.once(in: 12):
      fields = [.init("type", .string("wish")), .init("column", .integer(1))]
    default: return genuine
    }
    fields.append(.init("ref", .integer(ref)))
    return SimulatedClient.Sent(bytes: JSONTree.object(fields).serialized(), isGenuine: false)
  }

  private func cell(of client: SimulatedClient) -> [JSONTree.Member] {
    let cell = random.once(in: 12) ? random.pick([-1, 42, 99]) : random.below(42)
    return [
      .init("type", .string("tap")), .init("month", .string(randomMonth(client).iso)),
      .init("cell", .integer(cell)),
    ]
  }

  private func point(of client: SimulatedClient) -> [JSONTree.Member] {
    [
      .init("type", .string("tap")), .init("month", .string(randomMonth(client).iso)),
      .init("x", .number(random.fraction())),
      .init("y", .number(random.once(in: 10) ? 0.1 : 0.19 + 0.8 * random.fraction())),
    ]
  }

  /// Sends an answered command again.
  func sendAgain(_ client: SimulatedClient, _ link: Link) {
    guard link.hasWelcome, !client.answered.isEmpty else { return }
    let (ref, bytes, _) = random.pick(client.answered)
    arrive(.text(bytes), from: link)
    link.expected.append(ref)
  }

  // MARK: - Months, rows, touches

  private func sendView(
    _ message: JSONTree, _ type: String, _ client: SimulatedClient, _ link: Link
  ) {
    link.looseCount += 1
    var message = message
    if type == "months" { client.isViewUnknown = false }
    if mayTamper, random.once(in: 12) {
      switch type {
      case "months":
        message = message.with("count", .integer(random.pick([-3, 0, 1_000_000])))
        client.isViewUnknown = true
      case "rows":
        message = message.with("from", .integer(random.pick([-5, 0, 3, 90, 650, Int.max])))
          .with("count", .integer(random.pick([-1, 0, 1, 30, 1000, Int.max])))
      case "find": message = message.with("limit", .integer(random.pick([-1, 0, 100, Int.max])))
      default: break
      }
    }
    arrive(.text(message.serialized()), from: link)
  }
}

extension JSONTree {
  /// A copy of the object with the member `name` set to `value`, or removed if `value` is `nil`.
  func with(_ name: String, _ value: JSONTree?) -> JSONTree {
    var members = members ?? []
    let index = members.firstIndex { $0.key == name }
    switch (index, value) {
    case (let index?, let value?): members[index] = Member(name, value)
    case (let index?, nil): members.remove(at: index)
    case (nil, let value?): members.append(Member(name, value))
    case (nil, nil): break
    }
    return .object(members)
  }
}
