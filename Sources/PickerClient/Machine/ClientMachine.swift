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
  }

  mutating func start(_ timer: ClientTimer) {
    if let milliseconds = timer.milliseconds { timers.set(timer, at: now + milliseconds) }
  }
}
