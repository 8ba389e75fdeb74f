import PickerHub

/// Transports the bytes of the connections, and injects the fault.
extension WireConversation {
  /// Transports bytes until none are in flight.
  func carryAll() {
    var hasMoved = true
    while hasMoved, breach == nil {
      hasMoved = false
      for wire in wires where !wire.isDead {
        open(wire)
        for direction in WireFault.Direction.allCases where carry(wire, direction) {
          hasMoved = true
        }
      }
      for wire in wires where wire.isClosedByHub { noticeEnd(of: wire) }
    }
  }

  private func open(_ wire: Wire) {
    guard !wire.isOpened else { return }
    wire.isOpened = true
    hub.opened(wire.id, session: session, bearer: nil, at: time)
    give(.opened, to: wire.client)
  }

  /// The number of bytes of a connection before the fault; `nil` if the fault is elsewhere or has
  /// happened.
  func bytesBeforeFault(_ wire: Wire, _ direction: WireFault.Direction) -> Int? {
    guard let fault, fault.direction == direction, wire.client === clients.first else {
      return nil
    }
    return fault.offset - passed[direction, default: 0]
  }

  /// - Returns: Whether bytes were transported.
  private func carry(_ wire: Wire, _ direction: WireFault.Direction) -> Bool {
    let count = direction == .up ? wire.up.pending.count : wire.down.pending.count
    guard count > 0, !wire.isDead else { return false }
    let room = bytesBeforeFault(wire, direction)
    let readCount = min(count, room ?? count)
    if wire.client === clients.first { passed[direction, default: 0] += readCount }
    switch direction {
    case .up: readUp(wire, readCount)
    case .down: readDown(wire, readCount)
    }
    if let room, room <= count, let fault {
      self.fault = nil
      happen(fault, wire)
    }
    return true
  }

  private func readUp(_ wire: Wire, _ count: Int) {
    wire.up.decoder.append(wire.up.pending.prefix(count))
    wire.up.pending.removeFirst(count)
    while !wire.isGoneAtHub, !wire.isClosedByHub, let frame = wire.up.decoder.next() {
      guard case .text(let text) = frame else { return fail("a client sends text") }
      hub.received(wire.id, text.span, at: time)
    }
  }

  private func readDown(_ wire: Wire, _ count: Int) {
    wire.down.decoder.append(wire.down.pending.prefix(count))
    wire.down.pending.removeFirst(count)
    while wire.client.wire === wire, let frame = wire.down.decoder.next() {
      guard case .text(let text) = frame else { return fail("the hub sends text") }
      check { () throws(ProtocolBreach) in try wire.client.note(text) }
      give(.received(text), to: wire.client)
    }
  }

  private func happen(_ fault: WireFault, _ wire: Wire) {
    switch fault.kind {
    case .split:
      passTime()
      guard wire.isFull else { return }
      wire.isFull = false
      hub.writable(wire.id, at: time)
    case .cut, .failedWrite:
      noticeEnd(of: wire)
      loseClientEnd(of: wire)
    case .cutUnnoticed:
      wire.isDead = true
      loseClientEnd(of: wire)
    }
  }

  private func loseClientEnd(of wire: Wire) {
    guard wire.client.wire === wire else { return }
    wire.client.wire = nil
    give(.closed(code: 1006), to: wire.client)
  }
}
