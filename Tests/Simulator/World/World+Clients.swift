import JSONText
import PickerClient
import PickerHub
import PickerSession

/// Runs the clients' machines with their timers and connections.
extension World {
  /// Passes an event to a client and carries out its effects.
  func give(_ event: ClientEvent, to client: SimulatedClient) {
    let link = client.link
    let effects = client.handle(event, at: clock.machine)
    if let link, effects.contains(.disconnect) { checkDisconnect(of: link, after: event) }
    for effect in effects { perform(effect, client) }
    setTimer(of: client)
  }

  private func perform(_ effect: ClientEffect, _ client: SimulatedClient) {
    switch effect {
    case .connect: if !isOver { open(client) }
    case .disconnect:
      guard let link = client.link else { return }
      client.link = nil
      drop(link, isHalfOpen: false)
    case .send(let text):
      guard let link = client.link else { return breach("a client sends over a connection") }
      send(Array(text.utf8), client, link)
    case .settled(let ref, let result):
      do throws(ProtocolBreach) {
        try client.settle(ref, result)
      } catch {
        breach("client \(client.number): \(error.sentence)")
      }
    case .found, .changed, .notice, .requestToken: break
    }
  }

  /// Checks that a client had a reason to disconnect.
  ///
  /// The machine recovers by itself from unreadable messages and missing answers. On a connection
  /// that is neither slow nor lost, that would hide a bug of the hub.
  private func checkDisconnect(of link: Link, after event: ClientEvent) {
    switch event {
    case .received: breach("a client can apply every message: \(link.id.raw)")
    case .tick:
      guard !link.isSlow, link.hasJoined, !link.mustClose else { return }
      // Commands wait while the database is away.
      if profile.isClustered, clock.machine - lastTrouble < 30_000 { return }
      breach("every command is answered in time: \(link.id.raw), \(link.expected.prefix(6))")
    case .start, .stop, .leave, .opened, .closed, .retry, .token, .tokenProvided,
      .tokenUnavailable, .command, .look, .want, .find, .touch:
      break
    }
  }

  func setTimer(of client: SimulatedClient) {
    let due = client.machine.nextTick
    guard due != client.timerDue else { return }
    client.timerDue = due
    client.timerSetting += 1
    guard let due else { return }
    clock.add(
      .clientTimer(client: client.number, setting: client.timerSetting),
      at: max(due, clock.machine))
  }

  func fire(_ client: SimulatedClient, setting: Int) {
    guard setting == client.timerSetting, !isOver else { return }
    client.timerDue = nil
    give(.tick, to: client)
  }

  /// Restarts the client's app.
  func restart(_ client: SimulatedClient, as identity: ClientIdentity?) {
    client.restart(as: identity)
    setTimer(of: client)
  }

  /// Makes a disconnected client connect now, in any phase.
  func dial(_ client: SimulatedClient) {
    switch client.state.connection {
    case .waiting: give(.retry, to: client)
    case .needsCredentials: give(.token("another"), to: client)
    case .idle, .away, .left: give(.start, to: client)
    case .connecting, .joining, .live: breach("a client without a connection knows it")
    }
  }

  private func open(_ client: SimulatedClient) {
    let isSlow = mayTamper && profile.slowOneIn > 0 && random.once(in: profile.slowOneIn)
    let isGhost = mayTamper && random.once(in: 60)
    let link = newLink(
      for: client.number, to: isGhost ? SessionID("nobody") : client.session.id, isSlow: isSlow)
    client.link = link
    let token = token(for: client, link)
    let isHeader = token != nil && random.coin()
    link.joinToken = isHeader ? nil : token
    arrive(.opened(bearer: isHeader ? token : nil), from: link)
    deliver(.opened, to: link)
  }

  /// - Parameter client: `nil`: an event stream.
  func newLink(for client: Int?, to session: SessionID, isSlow: Bool) -> Link {
    linkCount += 1
    let id = ConnectionID(raw: linkCount << 32 | UInt64(client ?? 0))
    let pace =
      isSlow
      ? Link.Pace.slow(fullOneIn: random.within(1...3), milliseconds: random.pick([30, 900, 8000]))
      : .quick
    let link = Link(id, client: client, session: session, pace: pace, at: clock.machine)
    link.entrance = profile.isClustered && !nodes.isEmpty ? random.pick(nodes) : node
    links[id.raw] = link
    return link
  }

  private func token(for client: SimulatedClient, _ link: Link) -> String? {
    let tokens = client.session.tokens
    guard !tokens.isEmpty else { return random.once(in: 20) ? "nonsense" : nil }
    if mayTamper, random.once(in: 12) {
      link.hasBadCredentials = true
      return random.coin() ? nil : "nonsense"
    }
    return tokens[random.pick(["owner", "owner", "editor", "editor", "viewer"])]
  }
}
