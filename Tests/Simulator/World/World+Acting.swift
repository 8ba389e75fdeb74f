import JSONText
import PickerClient
import PickerSession

/// Random actions of users.
extension World {
  /// Executes one action of a client and schedules its next one.
  func act(_ client: SimulatedClient) {
    guard remainingActs > 0, !client.isRetired else { return }
    remainingActs -= 1
    clock.add(
      .act(client: client.number), at: clock.machine + Int64(random.within(1...profile.pauseMax)))
    guard let link = client.link else { return actWithoutConnection(client) }
    guard link.hasJoined else { return actBeforeJoin(client, link) }
    if profile.badOneIn > 0, random.once(in: profile.badOneIn) { return misbehave(client, link) }
    switch random.below(40) {
    case 0..<26: giveCommand(client)
    case 26..<29: look(client)
    case 29: want(client)
    case 30: find(client)
    case 31..<34: touch(client)
    case 34, 35: sendAgain(client, link)
    case 36: flood(client, link)
    case 37, 38: loseConnection(client, link)
    default: goAway(client, link)
    }
  }

  private func actWithoutConnection(_ client: SimulatedClient) {
    switch random.below(4) {
    // Some commands are queued for a connection.
    case 0: giveCommand(client)
    // A waiting client reconnects by itself.
    case 1 where client.state.connection == .waiting: break
    default: dial(client)
    }
  }

  private func actBeforeJoin(_ client: SimulatedClient, _ link: Link) {
    switch random.below(6) {
    case 0:
      link.didMisbehave = true
      arrive(.text(Array(#"{"type":"leave"}"#.utf8)), from: link)
    case 1: loseConnection(client, link)
    default: break
    }
  }

  /// Loses a connection; sometimes neither end notices it for half a minute.
  private func loseConnection(_ client: SimulatedClient, _ link: Link) {
    let isHalfOpen = random.once(in: 4)
    drop(link, isHalfOpen: isHalfOpen)
    if isHalfOpen && random.coin() { return deliver(.closed(code: 1006), to: link, after: 30_000) }
    client.link = nil
    give(.closed(code: 1006), to: client)
  }

  private func goAway(_ client: SimulatedClient, _ link: Link) {
    switch random.below(6) {
    case 0, 1: give(.leave, to: client)
    case 2: give(.stop, to: client)
    case 3:
      client.link = nil
      drop(link, isHalfOpen: false)
      restart(client, as: random.once(in: 4) ? nil : client.machine.identity)
    default: giveCommand(client)
    }
  }

  /// Sends more messages per second than allowed.
  private func flood(_ client: SimulatedClient, _ link: Link) {
    guard random.once(in: 6) else { return giveCommand(client) }
    link.didFlood = true
    let rate = profile.limits.messagesPerSecond
    for _ in 0..<rate * (random.once(in: 4) ? 11 : 2) {
      switch random.below(8) {
      case 0, 1: touch(client)
      case 2: look(client)
      case 3: want(client)
      default: giveCommand(client)
      }
    }
  }
}
