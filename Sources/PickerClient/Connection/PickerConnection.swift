import Synchronization

/// A member of a session, over the network: joins, comes back by itself, and tells each new state.
///
/// ```swift
/// let picker = PickerConnection(to: SessionAddress(link)!, as: ClientProfile(name: "Ana"))
/// picker.start()
/// try await picker.tap(PickerDay("2026-11-20")!)
/// for await state in picker.states { show(state) }
/// ```
///
/// Everything may be called from any thread or actor, and nothing blocks.
public final class PickerConnection: Sendable {
  public let address: SessionAddress
  private let transport: any SocketTransport
  private let origin = ContinuousClock.now
  private let core: Mutex<Core>

  /// What the lock guards.
  private struct Core {
    var machine: ClientMachine
    var socket: (any ClientSocket)?
    /// Hears the socket to its end.
    var listening: Task<Void, Never>?
    /// Dials so far: what an earlier socket still says does not count.
    var dialCount = 0
    var wake: (at: Int64, task: Task<Void, Never>)?
    var readers = ConnectionReaders()
    var answers = AwaitedAnswers()
  }

  /// Nothing is dialled before ``start()``.
  ///
  /// - Parameters:
  ///   - address: Of the session. A token in its link is used unless `profile` has one.
  ///   - profile: Who joins.
  ///   - identity: Of an earlier connection, to come back as the same member.
  ///   - transport: The platform's own unless given.
  public init(
    to address: SessionAddress, as profile: ClientProfile = ClientProfile(),
    identity: ClientIdentity? = nil, over transport: any SocketTransport = .platform
  ) {
    self.address = address
    self.transport = transport
    var profile = profile
    profile.token = profile.token ?? address.token
    core = Mutex(Core(machine: ClientMachine(profile, identity: identity)))
  }

  deinit {
    core.withLock { core in
      core.wake?.task.cancel()
      core.socket?.close()
      core.readers.finish()
    }
  }

  /// What there is to show now.
  public var state: PickerState { core.withLock { $0.machine.state } }
  /// What makes a later connection the same member; keep it where secrets are kept.
  public var identity: ClientIdentity? { core.withLock { $0.machine.identity } }

  /// Dials, and comes back whenever the connection is lost.
  public func start() { handle(.start) }
  /// Hangs up without leaving; the server keeps the member for 120 s. Commands wait for a start.
  public func stop() { handle(.stop) }
  /// The network came back, or a person asks for it: does not wait any longer.
  public func retry() { handle(.retry) }
  /// A new token, after ``PickerPhase/needsCredentials(code:)``.
  public func give(token: String) { handle(.token(token)) }

  /// Leaves the session for good, and waits until the server has been told, at most 2 s.
  public func leave() async {
    let listening = core.withLock { core in
      defer { run(.leave, &core) }
      return core.listening
    }
    guard let listening else { return }
    let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
    Task {
      await listening.value
      continuation.yield()
    }
    Task {
      try? await Task.sleep(for: .seconds(2))
      continuation.yield()
    }
    for await _ in ended { return }
  }

  // MARK: - Commands

  /// Gives a command and waits for its answer.
  ///
  /// Without a connection a select, a tap and a clear wait for one; the others fail at once.
  /// - Returns: The revision at which it is done.
  @discardableResult
  public func perform(_ command: PickerCommand) async throws(PickerFailure) -> Int {
    let ticket = core.withLock { $0.answers.ticket() }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        core.withLock { core in
          let ref = core.machine.nextRef
          if core.answers.wait(ticket, for: ref, continuation) { run(.command(command), &core) }
        }
      }
    } onCancel: {
      core.withLock { $0.answers.cancel(ticket) }
    }
    return try result.get()
  }

  /// Gives a command without waiting; what comes of it is seen in ``states`` and ``events``.
  ///
  /// - Returns: The command's ref, as in ``PickerEvent/answered(ref:_:)``.
  @discardableResult
  public func send(_ command: PickerCommand) -> Int {
    core.withLock { core in
      defer { run(.command(command), &core) }
      return core.machine.nextRef
    }
  }

  // MARK: - What is in view

  /// The months in view from now on; a calendar is told of no others.
  ///
  /// - Parameters:
  ///   - month: The first of them.
  ///   - count: 1 … ``PickerLimits/months``; more are cut.
  public func months(from month: PickerMonth, count: Int) {
    handle(.look(from: month, count: count))
  }

  /// Rows that come into view; asked for if they are not known.
  public func rows(_ rows: ClosedRange<Int>, of column: Int) {
    handle(.want(column: column, rows: rows))
  }

  /// A finger is here, for others to see; `nil`: lifted. Ten a second are told at most.
  public func touch(_ touch: PickerTouch?) { handle(.touch(touch)) }

  // MARK: - What is told

  /// Each new state, the one of now first. A slow reader gets the newest one.
  public var states: AsyncStream<PickerState> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: PickerState.self, bufferingPolicy: .bufferingNewest(1))
    let number = core.withLock { core in
      continuation.yield(core.machine.state)
      return core.readers.add(continuation)
    }
    continuation.onTermination = { [weak self] _ in self?.forget(number) }
    return stream
  }

  /// Everything that happens from now on, in its order, nothing left out: read it without pause.
  public var events: AsyncStream<PickerEvent> {
    let (stream, continuation) = AsyncStream.makeStream(of: PickerEvent.self)
    let number = core.withLock { $0.readers.add(continuation) }
    continuation.onTermination = { [weak self] _ in self?.forget(number) }
    return stream
  }

  private func forget(_ number: Int) { core.withLock { $0.readers.remove(number) } }

  // MARK: - Events and effects

  private func handle(_ event: ClientEvent) { core.withLock { run(event, &$0) } }

  private func run(_ event: ClientEvent, _ core: inout Core) {
    for effect in core.machine.handle(event, at: now()) { perform(effect, &core) }
    schedule(&core)
  }

  private func now() -> Int64 {
    let (seconds, attoseconds) = origin.duration(to: .now).components
    return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
  }

  private func perform(_ effect: ClientEffect, _ core: inout Core) {
    switch effect {
    case .connect: dial(&core)
    case .hangUp: hangUp(&core)
    case .send(let text): core.socket?.send(text)
    case .changed: core.readers.tell(core.machine.state)
    case .notice(let notice): core.readers.tell(.notice(notice))
    case .settled(let ref, let result):
      core.answers.settle(ref, result)
      core.readers.tell(.answered(ref: ref, result))
    }
  }

  private func dial(_ core: inout Core) {
    hangUp(&core)
    let socket = transport.dial(address)
    let number = core.dialCount
    core.socket = socket
    core.listening = Task { [weak self] in
      for await event in socket.events { self?.heard(event, on: number) }
    }
  }

  private func hangUp(_ core: inout Core) {
    core.dialCount += 1
    core.socket?.close()
    core.socket = nil
  }

  private func heard(_ event: SocketEvent, on number: Int) {
    core.withLock { core in
      guard number == core.dialCount else { return }
      switch event {
      case .opened: run(.opened, &core)
      case .message(let bytes): run(.received(bytes), &core)
      case .closed(let code, let reason):
        core.socket = nil
        run(.closed(code: code, reason: reason), &core)
      }
    }
  }

  private func schedule(_ core: inout Core) {
    let next = core.machine.nextTick
    if core.wake?.at == next { return }
    core.wake?.task.cancel()
    core.wake = nil
    guard let next else { return }
    let instant = origin.advanced(by: .milliseconds(next))
    let task = Task { [weak self] in
      try? await Task.sleep(until: instant, clock: .continuous)
      if !Task.isCancelled { self?.woke(for: next) }
    }
    core.wake = (next, task)
  }

  private func woke(for instant: Int64) {
    core.withLock { core in
      guard core.wake?.at == instant else { return }
      core.wake = nil
      run(.tick, &core)
    }
  }
}

/// What happens on a connection.
public enum PickerEvent: Hashable, Sendable {
  /// What people should hear of.
  case notice(PickerNotice)
  /// The answer to the command with this ref: the revision at which it is done, or why not.
  case answered(ref: Int, Result<Int, PickerFailure>)
  /// What there is to show now, after the notices and answers that came of the same message.
  case state(PickerState)
}
