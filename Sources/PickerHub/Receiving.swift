import CivilTime
import PickerModel
package import PickerSession
import PickerWire

/// Receiving: opens connections, and passes their messages to the session.
extension Hub {
  /// A WebSocket has been opened for a session.
  ///
  /// - Parameter bearer: The token of its `Authorization` header, if any.
  package func opened(
    _ id: ConnectionID, session: SessionID, bearer: String?, at time: HubTime
  ) {
    now = time
    let connection = HubConnection(id: id, session: session, bearer: bearer)
    openedCount += 1
    connection.number = openedCount
    connections.insert(connection)
    guard !isDraining else { return closeDraining(connection) }
    // If sessions are hidden, the token comes first: see `admitFirst`.
    if !admission.hidesSessions {
      guard mayExist(session) else {
        return close(connection, .noSuchSession, "session not found")
      }
      if needsLoad(session) { whenLoaded(session) { _ in } }
    }
    schedule.add(.join(id), due: time.machine + limits.joinMilliseconds)
  }

  /// Handles a message that is not one of ``received(_:_:at:)``'s straight line.
  func receive(_ text: Span<UInt8>, from connection: HubConnection, at time: HubTime) {
    if case .waiting(let inbox) = connection.phase {
      return buffer(text, of: connection, in: inbox)
    }
    guard admitFirst(text, of: connection) else { return }
    guard let hosted = hosted(of: connection) else { return receiveLater(connection, text) }
    if case .silent = connection.phase, !isCurrent(hosted.id) {
      return receiveLater(connection, text)
    }
    if hosted.isEnding {
      // Only members' connections are closed when the end is stored.
      guard case .silent = connection.phase else { return }
      let wait = waiting(connection, text)
      return enqueue(.request { wait($0 != nil) }, in: hosted, at: time)
    }
    if hosted.steps.byteCount >= 2 * limits.queueBytes {
      return close(connection, .unavailable, "too many changes of this session are pending")
    }
    let message: ClientMessage
    do throws(BadMessage) {
      message = try ClientMessage.decode(text)
    } catch {
      return close(connection, .badMessage, error.detail)
    }
    if connection.member == nil, case .join(let join) = message,
      needsHistory(join.resume, connection.token.token, in: hosted)
    {
      let wait = waiting(connection, text)
      return readHistory(of: hosted) { wait($0) }
    }
    take(message, from: connection, in: hosted, at: time)
    end(messageOf: connection, in: hosted, at: time)
  }

  /// Reports a message that waits for the log, and pauses its connection if too much is pending.
  func end(messageOf connection: HubConnection, in hosted: HostedSession, at time: HubTime) {
    if hosted.steps.isEmpty { return }
    let listenerCount = hosted.session.listeners.count
    if let done = port.waits(connection.id, listenerCount: listenerCount) {
      enqueue(.request { _ in done() }, in: hosted, at: time)
    }
    if hosted.steps.pausesConnections(byteCountMax: limits.queueBytes) {
      connections.pause(connection)
    }
  }

  /// Verifies the token of a connection's first message, if sessions are hidden.
  ///
  /// - Returns: `false` if the connection has been closed.
  private func admitFirst(_ text: Span<UInt8>, of connection: HubConnection) -> Bool {
    guard case .silent = connection.phase, connection.token.token == nil else { return true }
    let session = connection.session
    do throws(Admission.Denial) {
      let token = try admission.admitFirst(
        text, bearer: connection.bearer, to: mayExist(session) ? session : nil)
      if let token { noteToken(token, of: connection) }
      return true
    } catch {
      close(connection, error.code, error.detail)
      return false
    }
  }

  func take(
    _ message: consuming ClientMessage, from connection: HubConnection, in hosted: HostedSession,
    at time: HubTime
  ) {
    guard let member = connection.member else {
      guard case .join(let join) = message else {
        return close(connection, .badMessage, "the first message must be join")
      }
      return self.join(connection, join, hosted, at: time)
    }
    if case .join = message {
      return close(connection, .badMessage, "join was already sent on this connection")
    }
    handle(message, from: connection, member, in: hosted, at: time)
  }

  /// The session of a connection, if it is in memory. The connection caches it, so that a message
  /// does not look it up by its id.
  func hosted(of connection: HubConnection) -> HostedSession? {
    if let hosted = connection.hosted, hosted.isInMemory { return hosted }
    connection.hosted = directory.hosted(connection.session)
    return connection.hosted
  }
}

/// Messages for a session that is not in memory.
extension Hub {
  private func receiveLater(_ connection: HubConnection, _ text: Span<UInt8>) {
    guard mayExist(connection.session) else {
      return isShared
        ? close(connection, .noSuchSession, "session not found")
        : close(connection, .sessionEnded, "the session has ended")
    }
    switch connection.phase {
    case .silent:
      let wait = waiting(connection, text)
      whenLoaded(connection.session) { wait($0 != nil) }
    // Not reached for a joined connection: a session with members stays in memory, and `lose`
    // closes their connections.
    case .waiting, .joined, .watching, .closing: return cannotStore(connection)
    }
  }

  /// Buffers a connection's messages from this one on, until the session is loaded.
  ///
  /// - Returns: A function that handles the buffered messages; the caller calls it with the outcome
  ///   of loading.
  private func waiting(
    _ connection: HubConnection, _ text: Span<UInt8>
  ) -> (_ isLoaded: Bool) -> Void {
    let inbox = Inbox(total: buffered)
    connection.phase = .waiting(inbox)
    buffer(text, of: connection, in: inbox)
    let id = connection.id
    return { [unowned self] isLoaded in
      if let connection = connections[id] { receiveWaiting(connection, isLoaded: isLoaded) }
    }
  }

  private func buffer(_ text: Span<UInt8>, of connection: HubConnection, in inbox: Inbox) {
    inbox.append(text)
    if inbox.byteCount >= 4 * limits.inboxBytes + limits.messageBytes {
      close(connection, .unavailable, "too many messages before the session was loaded")
    }
    if inbox.byteCount >= limits.inboxBytes { connections.pause(connection) }
  }

  /// Handles the buffered messages of a connection, or closes it if loading has failed.
  private func receiveWaiting(_ connection: HubConnection, isLoaded: Bool) {
    guard case .waiting(let inbox) = connection.phase else { return }
    guard isLoaded else { return cannotLoad(connection) }
    connection.phase = .silent
    connections.resume(connection)
    for message in inbox.messages { received(connection.id, message.span, at: now) }
  }

  /// Closes a connection whose session could not be loaded, because the log cannot be read or the
  /// memory is full, or was unloaded at once because an entry could not be stored.
  private func cannotLoad(_ connection: HubConnection) {
    guard mayExist(connection.session) else {
      return close(connection, .noSuchSession, "session not found")
    }
    if lacksMemory(for: connection.session) {
      return close(connection, .unavailable, HubProblem.noMemoryDetail)
    }
    guard directory.dormant(connection.session)?.isUnreadable == true else {
      return cannotStore(connection)
    }
    close(connection, .internalError, "the stored session cannot be read; reconnect later")
  }
}

/// Back-pressure: stops reading from connections that send faster than the log stores.
extension Hub {
  /// Reads from the session's connections again if its queue is at most half full.
  func resumeConnections(of hosted: HostedSession) {
    guard !isDraining, hosted.steps.resumesConnections(byteCountMax: limits.queueBytes) else {
      return
    }
    for id in hosted.connectionsInOrder {
      if let connection = connections[id] { connections.resume(connection) }
    }
  }
}

extension Hub {
  /// Handles a message of a member. Everything that gets an answer is queued as a step, so that
  /// answers come in the order of the messages.
  func handle(
    _ message: ClientMessage, from connection: HubConnection, _ member: MemberID,
    in hosted: HostedSession, at time: HubTime
  ) {
    if case .leave = message { return leave(connection, member, in: hosted, at: time) }
    let verdict = connection.rate.count(at: time.machine, countMax: limits.messagesPerSecond)
    if verdict == .farOver {
      return closeTooFast(connection)
    }
    switch message {
    case .selectWithBadKey(let ref, let command):
      guard takeRole(of: connection, member, in: hosted, at: time) else {
        return cannotStore(connection)
      }
      if isStale(command, in: hosted) {
        close(connection, .badMessage, "key must be a string")
      } else {
        let reason: UnstoredReason? = verdict == .over ? .rate : nil
        submit(command, ref: ref, by: member, unless: reason, to: hosted, at: time)
      }
    case .command(let ref, let command, let precondition):
      give(
        command, if: precondition, ref: ref, isOverRate: verdict == .over, from: connection, member,
        in: hosted, at: time)
    case .months(let view):
      if verdict == .over { return enqueueRefusal(tooMany, connection, hosted, at: time) }
      look(connection, at: view, in: hosted, at: time)
    case .rows(let column, let from, let count):
      if verdict == .over { return enqueueRefusal(tooMany, connection, hosted, at: time) }
      sendRows(connection, column: column, from: from, count: count, in: hosted, at: time)
    case .token(let renewal):
      guard let verifier = admission.verifier else {
        guard let ref = renewal.ref else { return }
        submit(
          .unknown(type: "token"), ref: ref, by: member,
          unless: verdict == .over ? .rate : nil, to: hosted, at: time)
        return
      }
      if verdict == .over { return enqueueRefusal(tooMany, connection, hosted, at: time) }
      guard let token = renewal.token else {
        return close(connection, .badMessage, "token must be a string")
      }
      renew(token, verifier, of: connection, member, in: hosted, at: time)
    case .touch(let touch): self.touch(touch, connection, member, in: hosted, at: time)
    case .ignored, .join, .leave: break
    }
  }

  func closeTooFast(_ connection: HubConnection) {
    close(
      connection, .tooManyMessages,
      "more than ten times the limit of \(limits.messagesPerSecond) messages a second")
  }

  /// Closes a connection when the messages before `leave` are answered. The member leaves when the
  /// entry is applied, also if its client has closed the connection meanwhile, but not if it has
  /// come back.
  private func leave(
    _ connection: HubConnection, _ member: MemberID, in hosted: HostedSession, at time: HubTime
  ) {
    connection.isLeaving = true
    enqueue(
      .look { [unowned self] hosted in
        let isGone =
          connection.isClosing && hosted.attendance.connection(of: member) == nil
          && !hosted.session.isOnline(member)
        guard connection.member == member || isGone, hosted.session.fold.members[member] != nil
        else { return }
        append(.left(member), to: hosted, at: now)
        close(connection, .normal, "left")
      }, in: hosted, at: time)
  }

  /// Whether a select is for an older generation of its column: only then its key is read.
  private func isStale(_ command: Command, in hosted: HostedSession) -> Bool {
    if case .act(let action) = command { hosted.session.fold.picker.isStale(action) } else { false }
  }

  private var tooMany: Refusal {
    Refusal(.tooMany, "more than \(limits.messagesPerSecond) messages a second; try again later")
  }

  private func look(
    _ connection: HubConnection, at view: MonthView, in hosted: HostedSession, at time: HubTime
  ) {
    guard hosted.session.fold.definition.kind.showsMonths else {
      let refusal = Refusal(.wrongKind, "months is supported for calendars only")
      return enqueueRefusal(refusal, connection, hosted, at: time)
    }
    let view = cut(view)
    enqueue(
      .look { [unowned self] hosted in
        hosted.session.look(connection.id, at: view)
        let frame = encoder.months(view, in: hosted.session.fold, texts: connection.texts)
        deliver(.updates(frame), connection)
      }, in: hosted, at: time)
  }

  private func sendRows(
    _ connection: HubConnection, column: Int, from: Int, count: Int, in hosted: HostedSession,
    at time: HubTime
  ) {
    enqueue(
      .look { [unowned self] hosted in
        let columns = hosted.session.fold.picker.columns
        guard hosted.session.fold.definition.kind.hasColumns else {
          let refusal = Refusal(.wrongKind, "rows is supported for pickers with columns only")
          return refuse(refusal, connection, hosted)
        }
        guard columns.indices.contains(column) else {
          return refuse(.noSuchColumn(column, of: columns.count), connection, hosted)
        }
        let last = columns[column].rows.count
        let start = max(0, min(from, last))
        let wanted = max(0, min(count, limits.session.rows))
        let (end, overflow) = from.addingReportingOverflow(wanted)
        let stop = overflow ? last : max(start, min(end, last))
        let frame = encoder.rows(
          column: column, start..<stop, in: hosted.session.fold, texts: connection.texts)
        deliver(.updates(frame), connection)
      }, in: hosted, at: time)
  }

  private func touch(
    _ touch: Touch, _ connection: HubConnection, _ member: MemberID, in hosted: HostedSession,
    at time: HubTime
  ) {
    let kind = hosted.session.fold.definition.kind
    switch touch {
    case .row where !kind.hasColumns, .date where !kind.showsMonths:
      let refusal = Refusal(
        .wrongKind, "touch needs a date in a calendar, a column and a row in a picker with columns")
      return enqueueRefusal(refusal, connection, hosted, at: time)
    case .row, .date, .lifted: break
    }
    enqueue(
      .look { [unowned self] hosted in
        guard connection.member == member else { return }
        // Of the columns after the member's commands before this message.
        let columns = hosted.session.fold.picker.columns
        if case .row(let column, let row, isHover: _) = touch {
          guard columns.indices.contains(column), row >= 0, row < columns[column].rows.count else {
            return
          }
        }
        perform(hosted.session.touch(member, touch), in: hosted, at: time)
      }, in: hosted, at: time)
  }

  /// Queues the refusal of a message without a ref.
  private func enqueueRefusal(
    _ refusal: Refusal, _ connection: HubConnection, _ hosted: HostedSession, at time: HubTime
  ) {
    enqueue(
      .look { [unowned self] hosted in refuse(refusal, connection, hosted) }, in: hosted, at: time)
  }

  private func refuse(_ refusal: Refusal, _ connection: HubConnection, _ hosted: HostedSession) {
    countRefusal(refusal.code, in: hosted)
    answer(connection, Answer(ref: nil, body: .refused(refusal, .nothing)), in: hosted)
  }
}

/// A connection: its phase, its credentials, and its pending messages.
///
/// The joining code changes ``phase``, ``Connections`` changes ``sending``, and the access code
/// changes ``token``. One thread uses a connection.
package final class HubConnection {
  package let id: ConnectionID
  let session: SessionID
  /// The cached session; valid while it is ``HostedSession/isInMemory``.
  var hosted: HostedSession?
  /// The token of the `Authorization` header, for clients that can set one; cleared by the join.
  var bearer: String?
  /// The verified member token, with `--auth keys`.
  var token = TokenExpiry()
  /// The ticket that admitted an event stream.
  var ticket: Ticket?
  var phase: Phase
  /// Its number among all that the hub has opened.
  var number = 0
  var sending = SendState()
  var rate = MessageRate()
  /// The texts in the language of this client.
  var texts: any RowTexts = EnglishTexts()
  /// Whether its join has been applied: it is a listener of its session.
  var isListening = false
  /// Whether it has sent `leave`. Later messages are ignored.
  var isLeaving = false
  /// Whether it gets a snapshot with the next presence, because its member may see more or less.
  var needsSight = false

  /// The state of a connection.
  ///
  ///     WebSocket ──▶ silent ── message ──▶ waiting      while the session is being loaded
  ///                     │ ▲                    │
  ///                     │ └───── loaded ───────┘
  ///                     └── join ──▶ joined ──┐
  ///     event stream ──▶ watching ────────────┴──▶ closing      also from silent and waiting
  enum Phase {
    /// A WebSocket that has not joined.
    case silent
    /// A WebSocket whose first messages wait for its session, or its history, to be loaded.
    case waiting(Inbox)
    /// A WebSocket that has sent its join; its commands are those of this member.
    case joined(MemberID)
    /// An event stream: it receives everything and sends nothing.
    case watching
    /// Closed by the hub or by the peer. It is no longer part of its session.
    case closing
  }

  /// The member, from the join message on.
  var member: MemberID? { if case .joined(let member) = phase { member } else { nil } }
  var isClosing: Bool { if case .closing = phase { true } else { false } }

  init(id: ConnectionID, session: SessionID, bearer: String?, phase: Phase = .silent) {
    self.id = id
    self.session = session
    self.bearer = bearer
    self.phase = phase
  }
}

/// The connections by their ids.
///
/// The lower 32 bits of an id are its slot in the event loop, a small number. Each delivery looks a
/// connection up, so the slot is an array index, which is faster than a hash.
struct ConnectionTable {
  /// By slot.
  private var slots: [HubConnection?] = []
  /// Connections whose slot is in use by another one, or is too large for the array.
  private var others: [ConnectionID: HubConnection] = [:]
  private(set) var count = 0

  private static let slotCountMax = 1 << 20

  subscript(id: ConnectionID) -> HubConnection? {
    let slot = Int(id.raw & 0xFFFF_FFFF)
    // By `raw`: `==` of a type in another module would be called without its specialization.
    if slot < slots.count, let connection = slots[slot], connection.id.raw == id.raw {
      return connection
    }
    return others.isEmpty ? nil : others[id]
  }

  /// Whether a message to a connection in the array can be posted at once. Asked without the
  /// connection, a fan-out needs not retain it.
  func isIdle(_ id: ConnectionID) -> Bool {
    let slot = Int(id.raw & 0xFFFF_FFFF)
    guard slot < slots.count, let connection = slots[slot], connection.id.raw == id.raw else {
      return false
    }
    return connection.sending.isIdle && !connection.isClosing
  }

  /// - Precondition: Its id is not in the table.
  mutating func insert(_ connection: HubConnection) {
    precondition(self[connection.id] == nil, "an id is never used again")
    count += 1
    let slot = Int(connection.id.raw & 0xFFFF_FFFF)
    guard slot < ConnectionTable.slotCountMax else { return others[connection.id] = connection }
    while slots.count <= slot { slots.append(nil) }
    if slots[slot] == nil {
      slots[slot] = connection
    } else {
      others[connection.id] = connection
    }
  }

  /// - Returns: The removed connection; `nil` if there was none.
  mutating func remove(_ id: ConnectionID) -> HubConnection? {
    guard let connection = self[id] else { return nil }
    count -= 1
    if others.removeValue(forKey: id) == nil { slots[Int(id.raw & 0xFFFF_FFFF)] = nil }
    return connection
  }

  /// In the order of their ids.
  var inOrder: [HubConnection] {
    (slots.compactMap { $0 } + others.values).sorted { $0.id.raw < $1.id.raw }
  }
}

/// A message rate limit over windows of one second. A window begins with a message.
struct MessageRate {
  private var windowStart: Int64 = -1000
  private var count = 0

  enum Verdict {
    case within, over, farOver
  }

  /// Counts one message.
  ///
  /// - Parameters:
  ///   - now: The monotonic clock in milliseconds.
  ///   - countMax: The limit of messages a second. More than ten times as many are `farOver`.
  mutating func count(at now: Int64, countMax: Int) -> Verdict {
    if now - windowStart >= 1000 {
      windowStart = now
      count = 0
    }
    count += 1
    if count > 10 * countMax { return .farOver }
    return count > countMax ? .over : .within
  }
}

/// Back-pressure, closing connections and removing them from their sessions.
extension Hub {
  /// A connection is write-blocked: the port could not write a posted frame completely. Equivalent
  /// to ``SendOutcome/writeBlocked`` returned by the post.
  ///
  /// The port may call this from within any of its functions.
  package func writeBlocked(_ id: ConnectionID) {
    connections.writeBlocked(id)
  }

  /// A write-blocked connection is writable again: sends its pending messages.
  package func writable(_ id: ConnectionID, at time: HubTime) {
    guard let connection = connections[id], !connection.isClosing else { return }
    now = time
    connections.writable(connection)
    guard let hosted = hosted(of: connection), !hosted.isEnding else { return }
    fanOut.flush(connection, in: hosted.session, at: time)
    closeOverflowing()
  }

  /// A connection has been closed, by the peer or by the server.
  package func closed(_ id: ConnectionID, at time: HubTime) {
    now = time
    guard let connection = connections.remove(id) else { return }
    detach(connection, at: time)
    noteEnd()
  }

  /// Removes a connection from its session. Idempotent. Its member remains, offline.
  func detach(_ connection: HubConnection, at time: HubTime) {
    let phase = connection.phase
    connection.phase = .closing
    // The session may leave memory before the peer has answered the close frame.
    defer { connection.hosted = nil }
    guard let hosted = hosted(of: connection) else { return }
    switch phase {
    case .silent, .waiting, .closing: break
    case .watching:
      perform(hosted.session.detach(connection.id), in: hosted, at: time)
      evictSoon(hosted)
    case .joined(let member): detach(connection, of: member, in: hosted, at: time)
    }
  }

  private func detach(
    _ connection: HubConnection, of member: MemberID, in hosted: HostedSession, at time: HubTime
  ) {
    hosted.attendance.disconnect(member, connection.id)
    if connection.isListening {
      let isReplaced = hosted.attendance.connection(of: member) != nil
      let effects = hosted.session.detach(connection.id, isReplaced: isReplaced)
      perform(effects, in: hosted, at: time)
      if !hosted.session.isOnline(member) { noteAbsence(of: member, in: hosted, at: time) }
    }
    evictSoon(hosted)
  }

  /// Starts the timer (default 120 s) after which an offline member leaves unless it reconnects.
  func noteAbsence(of member: MemberID, in hosted: HostedSession, at time: HubTime) {
    guard hosted.session.fold.members[member] != nil else { return }
    hosted.attendance.beginAbsence(of: member, at: time.machine)
    schedule.add(.absence(hosted.id, member), due: time.machine + limits.memberMilliseconds)
  }

  /// Drops pending messages, sends the code's error, if any, and closes.
  ///
  /// - Parameter last: Sent instead of the error.
  func close(
    _ connection: HubConnection, _ code: CloseCode, _ detail: String, last: Frame? = nil
  ) {
    guard !connection.isClosing else { return }
    detach(connection, at: now)
    let last = last ?? code.errorCode.map { encoder.error(code: $0, detail: detail) }
    connections.close(connection, code, detail, last: last)
  }

  /// Closes the connections whose outboxes overflowed during the last deliveries.
  func closeOverflowing() {
    while let connection = connections.nextOverflowing() {
      close(connection, .tooSlow, "more than \(limits.outboxMessages) messages are pending")
    }
  }

  /// Closes a connection because the server is shutting down. Each client's reconnect delay is
  /// random, so that they do not all reconnect at once.
  func closeDraining(_ connection: HubConnection) {
    let delay = 500 + identities.number(below: reconnectSpread ?? 500)
    close(
      connection, .goingAway, "the server is shutting down",
      last: encoder.draining(reconnectAfterMilliseconds: delay))
  }

  /// Spreads the reconnections of many clients over a longer time: at most 5 per millisecond, which
  /// a single loop of the next server can resume. Few clients are back within a second.
  private func beginDraining() {
    guard !isDraining else { return }
    reconnectSpread = min(2_000, max(500, connections.count / 5))
  }

  /// Stops reading from all connections, so that received commands can be stored and answered
  /// before ``drain(isPatient:at:)``.
  package func finishCommands() {
    beginDraining()
    for connection in connections.inOrder { connections.pause(connection) }
  }

  /// Closes connections with a reconnect delay, and stores snapshots of the sessions.
  ///
  /// - Parameter isPatient: Whether those stay open to which answers or updates are still to be
  ///   sent: closing drops what is pending.
  /// - Returns: Whether none stays open.
  @discardableResult
  package func drain(isPatient: Bool = false, at time: HubTime) -> Bool {
    now = time
    beginDraining()
    var isDone = true
    for connection in connections.inOrder where !connection.isClosing {
      if isPatient, !connection.sending.isIdle {
        isDone = false
      } else {
        closeDraining(connection)
      }
    }
    storeLastSnapshots()
    return isDone
  }

  private func storeLastSnapshots() {
    guard log.canLoad else { return }
    // The next process may have other zone rules or a newer model. It checks the log against the
    // stored snapshots; entries after the last snapshot would be unchecked.
    for hosted in directory.hostedInOrder where hosted.log.isAhead {
      log.storeSnapshot(of: hosted, isIdle: false, at: now)
    }
  }
}

/// The close codes of the protocol. A client acts by the range: 43xx, it gets new credentials
/// before it reconnects; 44xx, it does not reconnect; 45xx, it reconnects with back-off.
/// - Source: web/guide/README.md, "Closing, errors and time-outs".
package enum CloseCode: UInt16, CaseIterable, Sendable {
  case normal = 1000
  case goingAway = 1001
  case badToken = 4301
  case tokenExpired = 4302
  case badMessage = 4400
  case notAllowed = 4403
  case noSuchSession = 4404
  case connectedElsewhere = 4409
  case sessionEnded = 4410
  /// The stored session cannot be read.
  case internalError = 4500
  case unavailable = 4503
  case tooSlow = 4508
  case tooManyMessages = 4529

  /// The `code` of the error message that precedes the close; `nil` below 4300.
  package var errorCode: String? {
    switch self {
    case .normal, .goingAway: nil
    case .badToken: "badToken"
    case .tokenExpired: "tokenExpired"
    case .badMessage: "badMessage"
    case .notAllowed: "notAllowed"
    case .noSuchSession: "noSuchSession"
    case .connectedElsewhere: "connectedElsewhere"
    case .sessionEnded: "sessionEnded"
    case .internalError: "internal"
    case .unavailable: "unavailable"
    case .tooSlow: "tooSlow"
    case .tooManyMessages: "tooManyMessages"
    }
  }
}
