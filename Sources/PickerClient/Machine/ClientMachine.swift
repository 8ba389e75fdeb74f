import JSONText

/// The client's side of the protocol as a state machine without I/O: events in, effects out.
///
/// It has no socket, clock or random source, so a test is a list of events, and it works with any
/// transport. ``PickerConnection`` runs it; use it directly to integrate it into another event
/// loop:
///
/// ```swift
/// var machine = ClientMachine(ClientProfile(name: "Ana"))
///
/// func run(_ event: ClientEvent) {
///   for effect in machine.handle(event, at: milliseconds()) {
///     switch effect {
///     case .connect: openSocket()
///     case .disconnect: closeSocket()
///     case .requestToken: fetchToken()
///     case .send(let text): sendText(text)
///     case .changed: show(machine.state)
///     case .notice(let notice): announce(notice)
///     case .settled(let ref, let result): print(ref, result)
///     case .found(let id, let result): print(id, result)
///     }
///   }
///   setTimer(at: machine.nextTick)
/// }
///
/// run(.start)
/// ```
///
/// Times are milliseconds of any monotonic clock. After each event the owner must arrange for
/// ``ClientEvent/tick`` at ``nextTick``. The machine is not thread-safe.
///
/// - Source: web/guide/README.md, "The five steps".
public struct ClientMachine: Sendable {
  public internal(set) var state = PickerState()
  public internal(set) var profile: ClientProfile
  /// Identifies the member to the server, also in a later machine; `nil` before the first welcome,
  /// and after leaving or the end of the session.
  public internal(set) var identity: ClientIdentity?

  var pending: PendingCommands
  var timers = ClientTimers()
  var effects: [ClientEffect] = []
  /// Whether ``state`` has changed during the current event.
  var hasChanged = false
  var now: Int64 = 0
  let jitter: @Sendable () -> Double

  /// The number of attempts to connect since the last stable connection.
  var attempt = 0
  /// The delay that a draining server asked for; `nil` if it did not announce a shutdown.
  var drainMilliseconds: Int64?
  /// Whether the last join contained ``identity``.
  var hasTriedIdentity = false
  /// The renewal of the token.
  var renewal: TokenRenewal
  /// The months in view, which each join contains.
  var looking: Looking?
  /// The months in view that the last join contained.
  var joinedLooking: Looking?
  /// The windows of rows that were requested and have not arrived.
  var asked: Set<RowWindow> = []
  /// The number of the last search, and whether it has no answer.
  var lastFind = 0
  var isFinding = false
  /// The touch to send when the timer fires; `nil` if there is none.
  var waitingTouch: Touch?

  struct Looking: Hashable, Sendable {
    var from: PickerMonth
    var count: Int
    func contains(_ month: PickerMonth) -> Bool { (0..<count).contains(month.months(since: from)) }
  }

  struct Touch: Hashable, Sendable {
    /// `nil` for a lifted finger.
    let position: PickerTouch?
    let isHover: Bool
  }

  struct RowWindow: Hashable, Sendable {
    let column: Int
    let generation: Int
    let from: Int
  }

  /// - Parameters:
  ///   - profile: The member's name and language; default: a guest with the session's language.
  ///   - identity: The ``identity`` of an earlier machine, to rejoin as the same member.
  ///   - renewsTokens: Whether the owner answers ``ClientEffect/requestToken``; default: it does
  ///     not, and an expired token ends in ``PickerPhase/needsCredentials(code:)``.
  ///   - jitter: The random source of the back-off, 0 ..< 1; default: that of the system.
  public init(
    _ profile: ClientProfile = ClientProfile(), identity: ClientIdentity? = nil,
    renewsTokens: Bool = false,
    jitter: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
  ) {
    self.profile = profile
    self.identity = identity
    self.jitter = jitter
    renewal = TokenRenewal(isAutomatic: renewsTokens)
    pending = PendingCommands(ref: identity?.ref ?? 0)
  }

  /// The time at which the next ``ClientEvent/tick`` is due; `nil` if no timer is set. Changes with
  /// each event.
  public var nextTick: Int64? { timers.next }

  /// The ref that the next command will get.
  public var nextRef: Int { pending.ref + 1 }

  /// The refs of the messages of commands without an answer, by the refs of the commands.
  package var messageRefs: [Int: Int] {
    Dictionary(uniqueKeysWithValues: pending.entries.map { ($0.ref, $0.sentAs) })
  }

  /// Handles an event.
  ///
  /// - Parameters:
  ///   - event: The events of a socket must be passed in order, and only those of the current
  ///     socket.
  ///   - now: Milliseconds of a monotonic clock.
  /// - Returns: The effects, which must be carried out in this order. ``ClientEffect/changed`` is
  ///   the last one.
  public mutating func handle(_ event: ClientEvent, at now: Int64) -> [ClientEffect] {
    self.now = max(self.now, now)
    switch event {
    case .start: if !isConnected { dial() }
    case .retry: if isConnected { probe() } else { dial() }
    case .stop:
      disconnect()
      enter(.idle)
    case .leave: leave()
    case .opened: if state.connection == .connecting { join() }
    case .received(let bytes): receive(bytes)
    case .closed(let code, let reason): closed(code, reason)
    case .tick: while let timer = timers.takeDue(at: self.now) { fired(timer) }
    case .token(let token): pushed(token)
    case .tokenProvided(let token): provided(token)
    case .tokenUnavailable(let isFinal): unavailable(isFinal)
    case .command(let command, let seen): submit(command, seen: seen)
    case .look(let from, let count): look(from: from, count: count)
    case .want(let column, let rows): want(rows, of: column)
    case .find(let text, let column, let limit): find(text, column: column, limit: limit)
    case .touch(let position, let isHover):
      sendTouch(Touch(position: position, isHover: isHover))
    }
    return takeEffects()
  }

  /// Whether a connection is open or being opened.
  var isConnected: Bool {
    switch state.connection {
    case .connecting, .joining, .live: true
    case .idle, .waiting, .needsCredentials, .away, .left: false
    }
  }

  private mutating func takeEffects() -> [ClientEffect] {
    if state.isWaitingForToken != isWaitingForToken || state.tokenCloseCode != renewal.code {
      state.isWaitingForToken = isWaitingForToken
      state.tokenCloseCode = renewal.code
      hasChanged = true
    }
    if hasChanged {
      state.predict(pending.entries)
      identity?.ref = pending.ref
      effects.append(.changed)
    }
    defer { (effects, hasChanged) = ([], false) }
    return effects
  }

  mutating func enter(_ phase: PickerPhase) {
    if state.connection != phase { hasChanged = true }
    state.connection = phase
    if phase != .live { endFind(.failure(.offline)) }
  }

  mutating func start(_ timer: ClientTimer) {
    if let milliseconds = timer.milliseconds { timers.set(timer, at: now + milliseconds) }
  }
}

/// Joining, leaving and reconnecting.
extension ClientMachine {
  /// A revision that no session reaches. Resuming from it makes the server send a snapshot to the
  /// same member, which a client without state needs.
  private static let beyondAnyRevision = 9_007_199_254_740_991

  /// Begins an attempt to connect: immediately, or with a token that the app provides.
  ///
  /// - Parameter joinsAsNew: Whether to join as a new member, although ``identity`` is known.
  mutating func dial(joinsAsNew: Bool = false) {
    timers.clearAll()
    drainMilliseconds = nil
    renewal.joinsAsNew = joinsAsNew
    enter(.connecting)
    guard needsToken else { return connect() }
    renewal.blocksDial = true
    requestToken()
  }

  mutating func disconnect() {
    timers.clearAll()
    effects.append(.disconnect)
  }

  mutating func join() {
    state.problem = nil
    // It stays until a welcome replaces it.
    let identity = renewal.joinsAsNew ? nil : identity
    hasTriedIdentity = identity != nil
    var members: [JSONTree.Member] = [.init("type", .string("join"))]
    if let name = profile.name { members.append(.init("name", .string(name))) }
    if let locale = profile.locale { members.append(.init("locale", .string(locale))) }
    if let zone = profile.timeZone { members.append(.init("timeZone", .string(zone))) }
    renewal.joinedWith = profile.token
    if let token = profile.token { members.append(.init("token", .string(token))) }
    joinedLooking = looking
    if let looking {
      members.append(
        .init(
          "months",
          .object([
            .init("from", .string(looking.from.iso)), .init("count", .integer(looking.count)),
          ])))
    }
    if let identity {
      let revision = state.definition == nil ? Self.beyondAnyRevision : state.revision
      members.append(
        .init(
          "resume",
          .object([
            .init("member", .string(identity.member)), .init("secret", .string(identity.secret)),
            .init("epoch", .string(identity.epoch)), .init("revision", .integer(revision)),
          ])))
    }
    enter(.joining)
    effects.append(.send(String(decoding: JSONTree.object(members).serialized(), as: UTF8.self)))
    start(.join)
  }

  mutating func leave() {
    if state.connection == .live { effects.append(.send(#"{"type":"leave"}"#)) }
    disconnect()
    giveUp()
    identity = nil
    enter(.left)
  }

  mutating func closed(_ code: Int, _ reason: String) {
    timers.clearAll()
    if state.problem == nil && !reason.isEmpty {
      state.problem = PickerProblem(code: "closed", detail: reason)
    }
    // The close code can get lost. After `draining`, every code below 4000 means that the server is
    // shutting down.
    let isDraining = drainMilliseconds != nil && code < 4000
    switch isDraining ? .readd : ClosingAnswer(code: code) {
    case .readd: wait(drainMilliseconds)
    case .backOff: wait(nil)
    // After a revocation the host may admit the user again, with a later token.
    case .stayAway where code == 4403 && renewal.isAutomatic: rejected(code)
    case .stayAway: stayAway(code)
    case .getCredentials: rejected(code)
    }
  }

  mutating func stayAway(_ code: Int) {
    // The identity is useless once the session has ended, but not if the member is connected
    // elsewhere.
    if code == 4404 || code == 4410 { identity = nil }
    giveUp()
    enter(.away(code: code))
  }

  mutating func fired(_ timer: ClientTimer) {
    switch timer {
    case .redial: dial()
    case .steady: attempt = 0
    case .touch:
      guard let touch = waitingTouch else { return }
      waitingTouch = nil
      sendTouch(touch)
    case .look: lookAgain()
    case .answer: if pending.isWaiting { resync() }
    case .join, .catchUp, .probe: resync()
    case .quiet: probe()
    case .renew: requestToken()
    }
  }

  /// Checks the connection, unless it is being checked: the server answers that there are no such
  /// rows.
  mutating func probe() {
    guard state.connection == .live, !timers.isSet(.probe) else { return }
    effects.append(.send(#"{"type":"rows","column":0,"from":0,"count":0}"#))
    start(.probe)
  }

  /// Reconnects and resumes from the current revision, because a message is missing: immediately
  /// the first time, then with back-off.
  mutating func resync() {
    disconnect()
    wait(attempt == 0 ? 0 : nil)
  }

  /// Schedules the next attempt to connect.
  ///
  /// - Parameter milliseconds: The delay; `nil` for that of the back-off.
  mutating func wait(_ milliseconds: Int64?) {
    let pause = milliseconds ?? BackOff.milliseconds(attempt: attempt, jitter: jitter())
    attempt += 1
    enter(.waiting)
    timers.set(.redial, at: now + pause)
  }

  /// Fails all pending commands.
  private mutating func giveUp() {
    for entry in pending.takeAll() {
      effects.append(.settled(ref: entry.ref, .failure(entry.isSent ? .lost : .offline)))
    }
    hasChanged = true
  }
}

/// Events from the app: commands, months and rows in view, touches.
extension ClientMachine {
  /// - Parameter seen: The state that the user saw.
  mutating func submit(_ command: PickerCommand, seen: PickerState?) {
    // Before the first welcome the user saw nothing.
    let seen = seen.flatMap { $0.definition == nil ? nil : $0 } ?? state
    let isLive = state.connection == .live
    let isOver: Bool
    switch state.connection {
    case .away, .left: isOver = true
    case .idle, .connecting, .joining, .live, .waiting, .needsCredentials: isOver = false
    }
    let canWait =
      !isOver && command.canWait && pending.entries.count < PendingCommands.waitingMax
    // After commands that were refused with `tooMany`.
    let isHeld = pending.hasUnsent
    let value = SeenValue(revision: seen.revision, hits: seen.shownHits)
    if let replaced = pending.add(command, seen: seen.definition == nil ? nil : value) {
      effects.append(.settled(ref: replaced, .failure(.replaced)))
    }
    hasChanged = true
    guard let entry = pending.entries.last else { return }
    if !command.isValid {
      _ = pending.answered(entry.sentAs)
      effects.append(.settled(ref: entry.ref, .failure(command.invalidity)))
    } else if command.hasRevision, seen.epoch != state.epoch {
      _ = pending.answered(entry.sentAs)
      refuseOutdated(entry)
    } else if isLive {
      if isHeld { return }
      send(entry, isLate: seen.connection != .live)
      // Otherwise the timer runs: it must not begin again with each command.
      if pending.entries.count == 1 { start(.answer) }
    } else if !canWait {
      _ = pending.answered(entry.sentAs)
      effects.append(.settled(ref: entry.ref, .failure(.offline)))
    }
  }

  mutating func look(from: PickerMonth, count: Int) {
    let looking = Looking(from: from, count: max(1, min(count, state.limits.months)))
    guard self.looking != looking else { return }
    self.looking = looking
    if state.connection == .live { sendLook(looking) }
  }

  mutating func sendLook(_ looking: Looking) {
    effects.append(
      .send(#"{"type":"months","from":"\#(looking.from.iso)","count":\#(looking.count)}"#))
  }

  /// Sends what was refused with `tooMany` again, and the commands after it.
  mutating func lookAgain() {
    if pending.hasUnsent {
      for entry in pending.entries where !entry.isSent { send(entry, isLate: true) }
      start(.answer)
    }
    asked = []
    if let looking { sendLook(looking) }
  }

  mutating func want(_ rows: ClosedRange<Int>, of column: Int) {
    guard state.connection == .live, state.columns.indices.contains(column) else { return }
    let generation = state.columns[column].generation
    for window in state.columns[column].missing(rows, window: state.limits.windowRows) {
      let name = RowWindow(column: column, generation: generation, from: window.lowerBound)
      guard asked.insert(name).inserted else { continue }
      effects.append(
        .send(
          #"{"type":"rows","column":\#(column),"from":\#(window.lowerBound),"#
            + #""count":\#(window.count)}"#))
    }
  }

  /// Sends a touch, at most one in 100 ms. If several arrive in that time, the last one is sent at
  /// its end.
  mutating func sendTouch(_ touch: Touch) {
    guard state.connection == .live else { return }
    guard !timers.isSet(.touch) else {
      waitingTouch = touch
      return
    }
    let hover = touch.isHover ? #","hover":true"# : ""
    switch touch.position {
    case .row(let column, let row):
      effects.append(.send(#"{"type":"touch","column":\#(column),"row":\#(row)\#(hover)}"#))
    case .day(let day): effects.append(.send(#"{"type":"touch","date":"\#(day.iso)"\#(hover)}"#))
    case nil: effects.append(.send(#"{"type":"touch"}"#))
    }
    start(.touch)
  }
}

/// Messages from the server.
extension ClientMachine {
  /// The host's own values have up to 127 levels, a few levels below the message.
  private static let depthMax = 160

  mutating func receive(_ bytes: [UInt8]) {
    guard state.connection == .joining || state.connection == .live else { return }
    let before = state
    do {
      let message = try JSONTree.parse(bytes, depthMax: ClientMachine.depthMax)
      try take(message, type: try message.text("type"))
      if state.connection == .live {
        timers.clear(.probe)
        start(.quiet)
      }
    } catch {
      // An unreadable message can have been a delta. Discard its partial effects and resume before
      // it.
      state = before
      resync()
    }
  }

  private mutating func take(_ message: JSONTree, type: String) throws {
    switch type {
    case "error":
      state.problem = PickerProblem(
        code: try message.text("code"), detail: message["detail"]?.string ?? "")
      hasChanged = true
      return
    case "draining":
      drainMilliseconds = max(0, Int64(message["reconnectAfterMs"]?.integer ?? 0))
      return
    case "welcome": if state.connection == .joining { try welcome(message) }
    default:
      guard state.connection == .live else { return }
      try takeUpdates(message, type: type)
    }
    hasChanged = true
  }

  private mutating func takeUpdates(_ message: JSONTree, type: String) throws {
    switch type {
    case "delta": try delta(message)
    case "reply":
      let revision = try message.number("revision")
      answered(try message.number("ref"), .success(revision))
      // The reply is ahead of this client, so the server has replaced the missing deltas by a
      // snapshot, which must follow.
      if revision > state.revision { start(.catchUp) }
    case "refused": try refused(message)
    case "snapshot":
      try state.takeSnapshot(message)
      asked = []
      timers.clear(.catchUp)
    case "months":
      try state.applyMonths(message)
      state.months = state.months.filter { looking?.contains($0.key) ?? false }
    case "rows":
      try state.applyRows(message)
      asked.remove(
        RowWindow(
          column: try message.number("column"), generation: try message.number("generation"),
          from: try message.number("from")))
    case "found": try found(message)
    case "presence": notify(try state.takePresence(message))
    case "token": noteLifetime(message)
    default: break  // A message of a newer server, which clients may ignore.
    }
  }

  private mutating func welcome(_ message: JSONTree) throws {
    let isSame = identity != nil && identity?.member == message["member"]?["id"]?.string
    let known = message["ref"]?.integer ?? 0
    // Another device of the same member may have used the refs of commands that were sent.
    let areCertain = isSame && known <= pending.greatestSent
    let hadEpoch = state.epoch
    try state.takeWelcome(message)
    // Revisions of another epoch are those of another history.
    let isOtherHistory = hadEpoch != nil && hadEpoch != state.epoch
    let uncertain = pending.take { entry in
      entry.isSent && (!areCertain || isOtherHistory && entry.command.hasRevision)
    }
    let outdated = pending.take { isOtherHistory && $0.command.hasRevision }
    pending.startAfter(known)
    identity = ClientIdentity(
      member: try message.need("member").text("id"),
      secret: try message.need("member").text("secret"), epoch: try message.text("epoch"),
      ref: pending.ref)
    timers.clear(.join)
    start(.steady)
    asked = []
    waitingTouch = nil
    enter(.live)
    for entry in uncertain {
      effects.append(.settled(ref: entry.ref, .failure(.lost)))
      effects.append(.notice(.lost(entry.command)))
    }
    for entry in outdated { refuseOutdated(entry) }
    joined(message["token"])
    pending.see { before in
      state.predict(before)
      return SeenValue(revision: state.revision, hits: state.shownHits)
    }
    for entry in pending.entries { send(entry, isLate: true) }
    if !pending.entries.isEmpty { start(.answer) }
    if let looking, looking != joinedLooking { sendLook(looking) }
  }

  private mutating func delta(_ message: JSONTree) throws {
    let revision = try message.number("revision")
    if revision > state.revision {
      guard revision == state.revision + 1 else { return resync() }
      let notices = try state.applyDelta(message)
      timers.clear(.catchUp)
      notify(notices)
    }
    if let ref = message["ref"]?.integer { answered(ref, .success(revision)) }
  }

  private mutating func refused(_ message: JSONTree) throws {
    if try refusedFind(message) { return }
    let code = RefusalCode(rawValue: try message.text("code"))
    let detail = message["detail"]?.string ?? ""
    let ref = message["ref"]?.integer
    let isHeld = code == .tooMany && ref.map { pending.hold($0) } ?? false
    if isHeld || (ref == nil && code == .tooMany) { start(.look) }
    // Of rows or months, which the user does not know of.
    guard let ref else { return }
    if isHeld {
      awaitNext()
      _ = try state.apply(changes: message["changes"]?.array ?? [], by: nil)
      return
    }
    let params = RefusalParams(message["params"] ?? .null)
    let command = answered(ref, .failure(.refused(code, detail: detail, params: params)))
    _ = try state.apply(changes: message["changes"]?.array ?? [], by: nil)
    notify([.refused(code: code, detail: detail, params: params, command: command)])
  }

  /// Refuses a command about the history of another epoch, which was not sent.
  mutating func refuseOutdated(_ entry: PendingCommands.Entry) {
    let detail = "the history that the command refers to is lost"
    effects.append(.settled(ref: entry.ref, .failure(.refused(.stale, detail: detail))))
    notify([.refused(code: .stale, detail: detail, command: entry.command)])
  }

  @discardableResult
  private mutating func answered(_ ref: Int, _ outcome: Result<Int, PickerFailure>)
    -> PickerCommand?
  {
    guard let entry = pending.answered(ref) else { return nil }
    effects.append(.settled(ref: entry.ref, outcome))
    awaitNext()
    if case (.rename(let name), .success) = (entry.command, outcome) {
      // The server does not send a member its own name. Another member joins with it, too, if the
      // server forgets this one.
      state.renameMe(name)
      profile.name = name
    }
    return entry.command
  }

  /// There was an answer: the time for the next one begins.
  private mutating func awaitNext() {
    if pending.isWaiting { start(.answer) } else { timers.clear(.answer) }
  }

  /// - Parameter isLate: Whether the command is sent again, or was given without a connection.
  mutating func send(_ entry: PendingCommands.Entry, isLate: Bool) {
    guard let seen = entry.seen else { return }
    pending.sent(entry.ref)
    effects.append(
      .send(entry.command.message(ref: entry.sentAs, seen: seen, isLate: isLate)))
  }

  private mutating func notify(_ notices: [PickerNotice]) {
    effects += notices.map { .notice($0) }
  }
}
