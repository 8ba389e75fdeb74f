/// A member of a session, over the network: joins, comes back, and tells each new state.
///
/// ```swift
/// let connection = PickerConnection(to: SessionAddress(link)!, as: ClientProfile(name: "Ana"))
/// await connection.start()
/// for await state in await connection.states() { show(state) }
/// ```
public actor PickerConnection {
  public let address: SessionAddress
  private let transport: any SocketTransport
  private let clock = ContinuousClock()
  private let origin: ContinuousClock.Instant
  private var machine: ClientMachine
  private var socket: (any ClientSocket)?
  /// Dials so far: what an earlier socket still says does not count.
  private var dialCount = 0
  private var wake: (at: Int64, task: Task<Void, Never>)?
  private var stateReaders: [Int: AsyncStream<PickerState>.Continuation] = [:]
  private var newsReaders: [Int: AsyncStream<PickerNotice>.Continuation] = [:]
  private var wireReaders: [Int: AsyncStream<PickerMessage>.Continuation] = [:]
  private var streamCount = 0
  private var waiting: [Int: CheckedContinuation<PickerOutcome, Never>] = [:]

  /// Nothing is dialled before ``start()``.
  ///
  /// - Parameter identity: Of an earlier connection, to come back as the same member.
  /// - Parameter transport: The platform's own unless given.
  public init(
    to address: SessionAddress, as profile: ClientProfile = ClientProfile(),
    identity: ClientIdentity? = nil, over transport: any SocketTransport = .platform
  ) {
    self.address = address
    self.transport = transport
    origin = clock.now
    machine = ClientMachine(profile, identity: identity)
  }

  public var state: PickerState { machine.state }
  /// What makes a later connection the same member; keep it where secrets are kept.
  public var identity: ClientIdentity? { machine.identity }

  public func start() { handle(.start) }
  /// Hangs up without leaving; the server keeps the member for 120 s.
  public func stop() { handle(.stop) }
  /// Leaves the session for good.
  public func leave() { handle(.leave) }
  /// The network came back, or a person asks for it: does not wait any longer.
  public func retry() { handle(.retry) }
  /// A new token, after ``PickerPhase/needsCredentials(code:)``.
  public func give(token: String) { handle(.token(token)) }

  /// Gives a command and waits for its answer.
  @discardableResult
  public func perform(_ command: PickerCommand) async -> PickerOutcome {
    await withCheckedContinuation { continuation in
      waiting[machine.nextRef] = continuation
      handle(.command(command))
    }
  }

  /// Gives a command; what comes of it is seen in the states.
  public func send(_ command: PickerCommand) { handle(.command(command)) }

  /// Selects a row as it stands in the state that is shown.
  public func select(row: Int, column: Int) {
    guard let shown = machine.state.columns.dropFirst(column).first else { return }
    let command = PickerCommand.select(
      column: column, row: row, generation: shown.generation, key: shown[row]?.key)
    handle(.command(command))
  }

  /// The months in view from now on; a calendar is told of no others.
  public func look(from month: PickerMonth, count: Int) { handle(.look(from: month, count: count)) }
  /// Rows that come into view; asked for if they are not known.
  public func want(rows: ClosedRange<Int>, of column: Int) {
    handle(.want(column: column, rows: rows))
  }
  /// A finger is here; `nil`: lifted.
  public func touch(_ touch: PickerTouch?) { handle(.touch(touch)) }

  // MARK: - What is told

  /// Each new state, the one of now first. A slow reader gets the newest one.
  public func states() -> AsyncStream<PickerState> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: PickerState.self, bufferingPolicy: .bufferingNewest(1))
    let number = nextStream()
    stateReaders[number] = continuation
    continuation.onTermination = { _ in Task { await self.forget(number) } }
    continuation.yield(machine.state)
    return stream
  }

  /// What people should hear of, from now on.
  public func news() -> AsyncStream<PickerNotice> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: PickerNotice.self, bufferingPolicy: .bufferingNewest(256))
    let number = nextStream()
    newsReaders[number] = continuation
    continuation.onTermination = { _ in Task { await self.forget(number) } }
    return stream
  }

  /// Every message of the wire as it stands there, from now on.
  public func wire() -> AsyncStream<PickerMessage> {
    let (stream, continuation) = AsyncStream.makeStream(of: PickerMessage.self)
    let number = nextStream()
    wireReaders[number] = continuation
    continuation.onTermination = { _ in Task { await self.forget(number) } }
    return stream
  }

  private func nextStream() -> Int {
    streamCount += 1
    return streamCount
  }

  private func forget(_ number: Int) {
    stateReaders[number] = nil
    newsReaders[number] = nil
    wireReaders[number] = nil
  }

  // MARK: - Events and effects

  private func now() -> Int64 {
    let (seconds, attoseconds) = origin.duration(to: clock.now).components
    return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
  }

  private func handle(_ event: ClientEvent) {
    for effect in machine.handle(event, at: now()) { perform(effect) }
    schedule()
  }

  private func perform(_ effect: ClientEffect) {
    switch effect {
    case .connect: dial()
    case .hangUp: hangUp()
    case .send(let text):
      for continuation in wireReaders.values { continuation.yield(.sent(text)) }
      socket?.send(text)
    case .changed: for continuation in stateReaders.values { continuation.yield(machine.state) }
    case .notice(let notice): for continuation in newsReaders.values { continuation.yield(notice) }
    case .settled(let ref, let outcome):
      waiting.removeValue(forKey: ref)?.resume(returning: outcome)
    }
  }

  private func dial() {
    hangUp()
    let socket = transport.dial(address)
    self.socket = socket
    let number = dialCount
    Task { for await event in socket.events { self.heard(event, on: number) } }
  }

  private func hangUp() {
    dialCount += 1
    socket?.close()
    socket = nil
  }

  private func heard(_ event: SocketEvent, on number: Int) {
    guard number == dialCount else { return }
    switch event {
    case .opened: handle(.opened)
    case .message(let octets):
      for continuation in wireReaders.values {
        continuation.yield(.received(String(decoding: octets, as: UTF8.self)))
      }
      handle(.received(octets))
    case .closed(let code):
      for continuation in wireReaders.values { continuation.yield(.closed(code: code)) }
      socket = nil
      handle(.closed(code: code))
    }
  }

  private func schedule() {
    guard let next = machine.nextTick else {
      wake?.task.cancel()
      wake = nil
      return
    }
    if let wake, wake.at == next { return }
    wake?.task.cancel()
    let instant = origin.advanced(by: .milliseconds(next))
    let task = Task {
      try? await clock.sleep(until: instant)
      if !Task.isCancelled { woke() }
    }
    wake = (next, task)
  }

  private func woke() {
    wake = nil
    handle(.tick)
  }
}

/// A message of the wire, or the end of a connection.
public enum PickerMessage: Hashable, Sendable {
  case sent(String)
  case received(String)
  case closed(code: Int)
}
