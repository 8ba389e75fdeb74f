import JSONText
import PickerHub
import PickerSession
import PickerWire

/// Event streams, and members that act over HTTP.
extension World {
  /// Opens an event stream.
  func watch(_ record: SessionRecord) {
    var request = WatchRequest()
    request.token = record.credential("viewer")
    request.locale = random.pick([nil, "en", "zh-Hans"])
    if random.coin(), let fold = replicas[record.id]?.fold {
      let revision = max(0, fold.revision - random.below(6))
      request.seen = (epochMark: String(fold.origin.epoch.prefix(4)), revision: revision)
    }
    ask(record) { [self] time in
      hub.watch(record.id, request, at: time) { [unowned self] result in
        requestsUnanswered -= 1
        switch result {
        case .success: return stream(of: record)
        case .failure(.sessionFull): return nil
        case .failure(let problem):
          checkRefusal(problem, of: record)
          return nil
        }
      }
    }
  }

  private func stream(of record: SessionRecord) -> ConnectionID? {
    // Its client may have gone meanwhile.
    if random.once(in: 8) { return nil }
    let link = newLink(for: nil, to: record.id, isSlow: random.once(in: 6))
    link.node = node
    link.hasJoined = true
    drop(link, isHalfOpen: false, after: Int64(random.within(1...20_000)))
    return link.id
  }

  /// Checks a frame of an event stream.
  func check(streamed bytes: [UInt8], _ link: Link) throws(ProtocolBreach) {
    guard let message = try? JSONTree.parse(bytes) else { throw ProtocolBreach("a frame is JSON") }
    switch try message.text("type") {
    case "welcome":
      if link.hasWelcome { throw ProtocolBreach("a welcome comes once") }
      link.hasWelcome = true
      link.revision = try message.number("revision")
    case "snapshot": link.revision = try message.number("revision")
    case "delta":
      let revision = try message.number("revision")
      guard revision == link.revision + 1 else {
        throw ProtocolBreach("a stream has no gaps: \(link.revision), then \(revision)")
      }
      link.revision = revision
      guard message["ref"] == nil else { throw ProtocolBreach("a stream has no refs") }
    default: break
    }
  }

  /// Adds a member over HTTP, or lets one that was added give a command.
  func post(to record: SessionRecord) {
    guard random.coin(),
      let member = posters.filter({ $0.session == record.id }).randomElement(
        using: &random)
    else { return addMember(to: record) }
    let type = random.pick(["undo", "redo", "clear", "confirm", "reopen", "wink"])
    let body =
      #"{"member":"\#(member.id)","secret":"\#(member.secret)","ref":\#(random.within(1...9)),"#
      + #""type":"\#(type)"}"#
    guard let request = try? CommandRequest(Array(body.utf8)) else {
      return breach("a well-formed command is accepted")
    }
    ask(record) { [self] time in
      hub.post(
        request, to: record.id, token: record.credential("editor"), locale: nil, at: time
      ) { [unowned self] _ in requestsUnanswered -= 1 }
    }
  }

  private func addMember(to record: SessionRecord) {
    guard let request = try? MemberRequest(Array(#"{"name":"Bo"}"#.utf8)) else { return }
    ask(record) { [self] time in
      hub.addMember(
        to: record.id, request, token: record.credential("editor"), at: time
      ) { [unowned self] result in
        requestsUnanswered -= 1
        guard let body = try? result.get(), let welcome = try? JSONTree.parse(body),
          let id = welcome["member"]?["id"]?.string,
          let secret = welcome["member"]?["secret"]?.string
        else { return }
        posters.append((record.id, id, secret))
      }
    }
  }
}
