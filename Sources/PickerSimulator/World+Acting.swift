import JSONText
import PickerSession

/// What clients do.
extension World {
  /// A client does one thing, and will do another.
  func act(_ client: SimulatedClient) {
    guard actsLeft > 0, !client.isRetired else { return }
    actsLeft -= 1
    queue.add(
      .act(client: client.number), at: clock.machine + Int64(chance.within(1...profile.pauseMax)))
    guard let link = client.link else { return connect(client) }
    guard link.hasJoined else { return actBeforeJoin(client, link) }
    if profile.badOneIn > 0, chance.once(in: profile.badOneIn) { return misbehave(client, link) }
    switch chance.below(40) {
    case 0..<26: sendCommand(client, link)
    case 26..<29: sendView(client, link)
    case 29, 30: sendRows(client, link)
    case 31..<34: sendTouch(client, link)
    case 34, 35: sendAgain(client, link)
    case 36: flood(client, link)
    case 37, 38:
      client.link = nil
      drop(link, isHalfOpen: chance.once(in: 4))
    default:
      if chance.coin() { leave(client, link) } else { sendCommand(client, link) }
    }
  }

  /// Opens a connection, and most of the time joins at once.
  func connect(_ client: SimulatedClient, isCareful: Bool = false) {
    linkCount += 1
    let id = ConnectionID(raw: linkCount << 32 | UInt64(client.number))
    var pace = Link.Pace.quick
    if !isCareful, profile.slowOneIn > 0, chance.once(in: profile.slowOneIn) {
      pace = .slow(fullOneIn: chance.within(1...3), milliseconds: chance.pick([30, 900, 8000]))
    }
    let isGhost = !isCareful && chance.once(in: 60)
    let link = Link(
      id, client: client.number, session: isGhost ? SessionID("nobody") : client.session.id,
      pace: pace, at: clock.machine)
    links[id.raw] = link
    client.link = link
    let token = token(for: client, link, isCareful: isCareful)
    let isHeader = token != nil && chance.coin()
    arrive(.opened(bearer: isHeader ? token : nil), from: link)
    if !isCareful, chance.once(in: 30) { return }
    join(client, link, token: isHeader ? nil : token, isCareful: isCareful)
  }

  private func token(
    for client: SimulatedClient, _ link: Link, isCareful: Bool
  ) -> String? {
    let tokens = client.session.tokens
    guard !tokens.isEmpty else { return chance.once(in: 20) ? "nonsense" : nil }
    if !isCareful, chance.once(in: 12) {
      link.hasBadCredentials = true
      return chance.coin() ? nil : "nonsense"
    }
    return tokens[chance.pick(["owner", "owner", "editor", "editor", "viewer"])]
  }

  private func join(
    _ client: SimulatedClient, _ link: Link, token: String?, isCareful: Bool
  ) {
    link.hasJoined = true
    var fields: [JSONTree.Member] = [.init("type", .string("join"))]
    if chance.coin() {
      fields.append(.init("name", .string(chance.pick(["Ana", "Bo", "", "Cem"]))))
    }
    if let locale = client.locale { fields.append(.init("locale", .string(locale))) }
    if let token { fields.append(.init("token", .string(token))) }
    client.view = nil
    if chance.coin() {
      let view = randomView(client)
      client.view = view
      fields.append(.init("months", .object(view.fields)))
    }
    if let resume = resume(client, link, isCareful: isCareful) {
      fields.append(.init("resume", resume))
    }
    send(.object(fields), client, link)
    // What had no answer is sent again, under the same refs.
    link.didFlood = client.unanswered.count > profile.limits.messagesPerSecond
    for sent in client.unanswered {
      arrive(.text(sent.octets), from: link)
      link.expected.append(sent.ref)
    }
  }

  /// What the client shows to be the same member again, rightly or wrongly.
  private func resume(
    _ client: SimulatedClient, _ link: Link, isCareful: Bool
  ) -> JSONTree? {
    guard let fold = client.fold, let secret = client.secret else { return nil }
    if !isCareful, chance.once(in: 12) {
      client.forget()
      return nil
    }
    var revision = fold.revision
    var epoch = fold.epoch
    var shownSecret = secret
    if !isCareful {
      switch chance.below(24) {
      case 0:
        shownSecret = "wrong"
        link.hasBadCredentials = true
      case 1:
        epoch = "another"
        link.hasWrongEpoch = true
      case 2: revision += 1_000_000
      case 3: revision = -1
      default: break
      }
    }
    link.resumeRevision = revision
    return .object([
      .init("member", .string(fold.me)), .init("secret", .string(shownSecret)),
      .init("epoch", .string(epoch)), .init("revision", .integer(revision)),
    ])
  }

  private func actBeforeJoin(_ client: SimulatedClient, _ link: Link) {
    switch chance.below(6) {
    case 0:
      link.didMisbehave = true
      send(.object([.init("type", .string("leave"))]), client, link)
    case 1:
      client.link = nil
      drop(link, isHalfOpen: false)
    default: break
    }
  }

  private func leave(_ client: SimulatedClient, _ link: Link) {
    link.didLeave = true
    send(.object([.init("type", .string("leave"))]), client, link)
    client.link = nil
    client.forget()
    arrive(.closed, from: link, after: 200)
  }

  func send(_ message: JSONTree, _ client: SimulatedClient, _ link: Link) {
    arrive(.text(message.serialized()), from: link)
  }

  /// A command that was answered, again.
  private func sendAgain(_ client: SimulatedClient, _ link: Link) {
    guard !client.answered.isEmpty else { return }
    let sent = chance.pick(client.answered)
    arrive(.text(sent.octets), from: link)
    link.expected.append(sent.ref)
  }

  /// More messages in a second than anybody may send.
  private func flood(_ client: SimulatedClient, _ link: Link) {
    guard chance.once(in: 6) else { return sendCommand(client, link) }
    link.didFlood = true
    let rate = profile.limits.messagesPerSecond
    for _ in 0..<rate * (chance.once(in: 4) ? 11 : 2) {
      switch chance.below(8) {
      case 0, 1: sendTouch(client, link)
      case 2: sendView(client, link)
      case 3: sendRows(client, link)
      default: sendCommand(client, link)
      }
    }
  }
}
