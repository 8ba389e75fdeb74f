import PickerHub
import PickerSession
import PickerWire

/// The events of an input.
extension FuzzWorld {
  private enum Event: CaseIterable {
    case open, join, resume, command, message, text, close
    case wait, store, storeAll, lose, load, fail, recover, block, unblock
    case create, read, readLog, delete, addMember, post, watch, check, setClock, drain
  }

  /// Every event has eight bytes, so that a mutation of one does not change later ones.
  func happen(_ input: inout ByteSource) {
    var source = ByteSource(input.take(8))
    switch source.pick(Event.allCases) {
    case .open: open(&source)
    case .join: send(&source) { _, source in Message.join(&source) }
    case .resume: resume(&source)
    case .command:
      send(&source) { connection, source in
        connection.nextRef += source.pick([1, 1, 1, 1, 0, 2, -1])
        return Message.command(&source, ref: connection.nextRef)
      }
    case .message: send(&source) { _, source in Message.question(&source) }
    case .text:
      send(&source) { _, source in
        String(decoding: input.take(source.byte()), as: UTF8.self)
      }
    case .close: drop(source.number(below: connections.count))
    case .wait: pass(source.pick([1, 60, 999, 5_000, 11_000, 130_000, 3_700_000]))
    case .store: store(source.number(below: 4) + 1)
    case .storeAll: store(.max)
    case .lose: hub.lost(log.lose(), at: now)
    case .load: finishLoad()
    case .fail: log.isFailing = true
    case .recover: log.isFailing = false
    case .block: connections[source.number(below: connections.count)]?.isBlocked = true
    case .unblock: unblock(source.number(below: connections.count))
    case .create: create(source.byte())
    case .setClock: setClock(by: source.pick([60_000, -60_000, 86_400_000, -86_400_000]))
    case .drain: hub.drain(at: now)
    case .read: read(&source)
    case .readLog: readLog(&source)
    case .delete: delete(&source)
    case .addMember: addMember(&source)
    case .post: post(&source)
    case .watch: watch(&source)
    case .check: check(source.byte())
    }
  }

  private func open(_ source: inout ByteSource) {
    let slot = source.number(below: connections.count)
    connect(slot, to: session(&source), token: token(&source))
  }

  /// A connection sends a message, unless it has been closed.
  private func send(
    _ source: inout ByteSource, _ text: (FuzzConnection, inout ByteSource) -> String
  ) {
    guard let connection = connections[source.number(below: connections.count)] else { return }
    let message = Array(text(connection, &source).utf8)
    if !connection.isClosed, !connection.isWatching {
      hub.received(connection.id, message.span, at: now)
    }
  }

  /// A member of one connection joins again on another.
  private func resume(_ source: inout ByteSource) {
    let from = connections[source.number(below: connections.count)]
    let back = source.pick([0, 1, 3, 9])
    send(&source) { _, _ in
      Message.resume(
        member: from?.member ?? "nobody", secret: from?.secret ?? "",
        epoch: from?.epoch ?? "", revision: (from?.revision ?? 0) - back)
    }
  }

  private func unblock(_ slot: Int) {
    guard let connection = connections[slot] else { return }
    connection.isBlocked = false
    guard connection.isWriteBlocked else { return }
    connection.isWriteBlocked = false
    if !connection.isClosed { hub.writable(connection.id, at: now) }
  }

  private func store(_ count: Int) {
    for session in log.late {
      hub.committed(log.confirm(count, of: session), of: session, at: now)
    }
  }

  func session(_ source: inout ByteSource) -> SessionID {
    let number = source.byte()
    guard number < 255, !sessions.isEmpty else { return SessionID("none") }
    return sessions[number % sessions.count].id
  }

  func token(_ source: inout ByteSource) -> String? {
    let tokens = self.tokens + ["wrong"]
    let number = source.number(below: tokens.count + 1)
    return number < tokens.count ? tokens[number] : nil
  }
}
