import Synchronization

/// The network connection of one member of a session: joins, reconnects automatically, and
/// publishes each new state.
///
/// ```swift
/// let picker = PickerConnection(to: SessionAddress(link)!, as: ClientProfile(name: "Ana"))
/// picker.start()
/// try await picker.tap(PickerDay("2026-11-20")!)
/// for await state in picker.states { show(state) }
/// ```
///
/// All functions can be called from any thread or actor, and none blocks. The connection closes
/// when the last reference to it is released.
public final class PickerConnection: Sendable {
  public let address: SessionAddress
  let transport: any SocketTransport
  let tokenProvider: TokenProvider?
  let origin = ContinuousClock.now
  let core: Mutex<Core>

  /// The state that the lock protects.
  struct Core {
    var machine: ClientMachine
    var socket: (any ClientSocket)?
    /// Reads the events of the socket until it is closed.
    var listening: Task<Void, Never>?
    /// Identifies the current socket: events of earlier sockets are ignored.
    var dialCount = 0
    var wake: (at: Int64, task: Task<Void, Never>)?
    var readers = ConnectionReaders()
    var answers = AwaitedAnswers<Int>()
    var finds = AwaitedAnswers<PickerFound>()
  }

  /// Makes a connection. It is not opened before ``start()``.
  ///
  /// - Parameters:
  ///   - address: The session. A token in its link is used unless `profile` has one.
  ///   - profile: The member's name and language; default: a guest with the session's language.
  ///   - identity: The ``identity`` of an earlier connection, to rejoin as the same member;
  ///     default: a new member.
  ///   - tokenProvider: Provides a token before the current one expires, and for the first join if
  ///     there is none; default: the app calls ``setToken(_:)``.
  ///   - transport: The WebSocket library; default: that of the platform.
  public init(
    to address: SessionAddress, as profile: ClientProfile = ClientProfile(),
    identity: ClientIdentity? = nil, tokenProvider: TokenProvider? = nil,
    over transport: any SocketTransport = .platform
  ) {
    self.address = address
    self.transport = transport
    self.tokenProvider = tokenProvider
    var profile = profile
    profile.token = profile.token ?? address.token
    let machine = ClientMachine(
      profile, identity: identity, renewsTokens: tokenProvider != nil)
    core = Mutex(Core(machine: machine))
  }

  deinit {
    core.withLock { core in
      core.wake?.task.cancel()
      core.socket?.close()
      core.readers.finish()
    }
  }

  /// The current state, including the predicted effect of this member's pending commands.
  public var state: PickerState { core.withLock { $0.machine.state } }
  /// Identifies the member to the server, also in a later connection; `nil` before the first
  /// welcome, and after ``leave()`` or the end of the session.
  ///
  /// It contains a secret and the last ref, so save it in the keychain whenever the app may be
  /// closed:
  ///
  /// ```swift
  /// if let identity = picker.identity {
  ///   save(try JSONEncoder().encode(identity))
  /// }
  /// // After a restart of the app:
  /// let identity = try JSONDecoder().decode(ClientIdentity.self, from: saved)
  /// let picker = PickerConnection(to: address, identity: identity)
  /// ```
  public var identity: ClientIdentity? { core.withLock { $0.machine.identity } }

  /// Opens the connection, and reconnects with back-off whenever it is lost.
  public func start() { handle(.start) }
  /// Closes the connection without leaving the session. The member can reconnect within 120 s;
  /// pending commands are sent after the next ``start()``.
  public func stop() { handle(.stop) }
  /// Reconnects immediately instead of waiting for the back-off. Call it when the network is back
  /// or the user asks for it.
  public func retry() { handle(.retry) }
  /// Leaves the session and discards the ``identity``. Returns once the server has received it, at
  /// the latest after 2 s.
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

  /// Sends a command and suspends until it is answered.
  ///
  /// Without a connection a select, a tap, a mark, a clear and a rename are queued, at most 20;
  /// other commands fail immediately with ``PickerFailure/offline``. A command that was sent but
  /// not answered is sent again after a reconnect and executed only once.
  ///
  /// - Parameter seen: The state that the user saw when they gave the command, such as that of an
  ///   alert which asks them to confirm; default: the current one. If somebody else has changed the
  ///   value since, the command is refused with ``RefusalCode/stale``.
  /// - Returns: The revision at which the command is done.
  @discardableResult
  public func perform(
    _ command: PickerCommand, seen: PickerState? = nil
  ) async throws(PickerFailure) -> Int {
    let ticket = core.withLock { $0.answers.ticket() }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        core.withLock { core in
          let ref = core.machine.nextRef
          guard core.answers.wait(ticket, for: ref, continuation) else { return }
          run(.command(command, seen: seen), &core)
        }
      }
    } onCancel: {
      core.withLock { $0.answers.cancel(ticket) }
    }
    return try result.get()
  }

  /// Sends a command without waiting. Its effect appears in ``states``, its answer in ``events``.
  ///
  /// - Parameter seen: As for ``perform(_:seen:)``.
  /// - Returns: The command's ref, which identifies its ``PickerEvent/answered(ref:_:)``.
  @discardableResult
  public func send(_ command: PickerCommand, seen: PickerState? = nil) -> Int {
    core.withLock { core in
      defer { run(.command(command, seen: seen), &core) }
      return core.machine.nextRef
    }
  }

  // MARK: - The visible part

  /// Sets the months that the app displays. ``PickerState/months`` has only these, once they are
  /// loaded.
  ///
  /// ```swift
  /// picker.months(from: PickerMonth("2026-11")!, count: 2)
  /// // Later: picker.state.months[PickerMonth("2026-11")!]?.cells
  /// ```
  ///
  /// - Parameters:
  ///   - month: The first month.
  ///   - count: 1 … ``PickerLimits/months``; a greater number is reduced to it.
  public func months(from month: PickerMonth, count: Int) {
    handle(.look(from: month, count: count))
  }

  /// Loads the rows that the app is about to display, as far as they are not loaded. Nothing
  /// happens without a connection.
  ///
  /// ```swift
  /// picker.rows(200...220, of: 0)
  /// // Later: picker.state.columns[0][210]?.text
  /// ```
  public func rows(_ rows: ClosedRange<Int>, of column: Int) {
    handle(.want(column: column, rows: rows))
  }

  /// Sends the position of this member's finger or pointer to the others; `nil` when the finger is
  /// lifted or the pointer has gone.
  ///
  /// Call it as often as the finger moves: at most ten positions a second are sent, always
  /// including the last one.
  ///
  /// ```swift
  /// picker.touch(.row(column: 0, row: 12))  // The finger is on this row.
  /// picker.touch(nil)  // The finger was lifted.
  /// picker.touch(.row(column: 0, row: 12), isHover: true)  // The pointer is over this row.
  /// ```
  public func touch(_ touch: PickerTouch?, isHover: Bool = false) {
    handle(.touch(touch, isHover: isHover))
  }

  // MARK: - Streams

  /// The current state, then each new one. A slow reader skips to the newest state.
  ///
  /// Each access makes an independent stream. It ends when the connection is released.
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

  /// All events from now on, in order and without gaps.
  ///
  /// Each access makes an independent stream with an unbounded buffer, so read it continuously. See
  /// ``PickerEvent`` for an example.
  public var events: AsyncStream<PickerEvent> {
    let (stream, continuation) = AsyncStream.makeStream(of: PickerEvent.self)
    let number = core.withLock { $0.readers.add(continuation) }
    continuation.onTermination = { [weak self] _ in self?.forget(number) }
    return stream
  }

  private func forget(_ number: Int) { core.withLock { $0.readers.remove(number) } }

  // MARK: - Events

  func handle(_ event: ClientEvent) { core.withLock { run(event, &$0) } }

  func run(_ event: ClientEvent, _ core: inout Core) {
    for effect in core.machine.handle(event, at: now()) { perform(effect, &core) }
    scheduleTick(&core)
  }

  private func now() -> Int64 {
    let (seconds, attoseconds) = origin.duration(to: .now).components
    return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
  }
}

/// A function for each command.
///
/// Each suspends until the server has answered, returns the revision at which the command is done,
/// and throws ``PickerFailure`` if it is not:
///
/// ```swift
/// do throws(PickerFailure) {
///   try await picker.select(key: "07", column: 1)
///   try await picker.confirm()
/// } catch {
///   print(error)
/// }
/// ```
extension PickerConnection {
  /// Selects a row by its index in the current ``state``.
  ///
  /// - Throws: ``PickerFailure/unknownRow`` if there is no such column or row.
  @discardableResult
  public func select(row: Int, column: Int) async throws(PickerFailure) -> Int {
    guard let command = state.selecting(row: row, column: column) else { throw .unknownRow }
    return try await perform(command)
  }

  /// Selects the row with a key, if this client has loaded that row. See ``rows(_:of:)``.
  ///
  /// - Throws: ``PickerFailure/unknownRow`` if there is no such column, or no loaded row has the
  ///   key.
  @discardableResult
  public func select(key: String, column: Int) async throws(PickerFailure) -> Int {
    guard let command = state.selecting(key: key, column: column) else { throw .unknownRow }
    return try await perform(command)
  }

  /// Taps a day of a calendar: the first tap begins a range, the second ends it.
  @discardableResult
  public func tap(_ day: PickerDay) async throws(PickerFailure) -> Int {
    try await perform(.tap(day))
  }

  /// Chooses a whole value at once: exactly this one, or the server refuses it. Undo is one step.
  ///
  /// - Throws: ``PickerFailure/badValue`` for a value in no form of the protocol.
  @discardableResult
  public func set(_ value: PickerValue) async throws(PickerFailure) -> Int {
    try await perform(.set(value))
  }

  /// Marks cells of an `availability`, or with `nil` removes this member's marks from them.
  ///
  /// - Throws: The failure of the first command that failed; the later ones are not sent.
  public func mark(
    _ cells: some Sequence<Int>, as grade: PickerGrade?
  ) async throws(PickerFailure) {
    for command in state.marking(cells, as: grade) { try await perform(command) }
  }

  /// Clears the range of a calendar, or all marks of this member.
  @discardableResult
  public func clear() async throws(PickerFailure) -> Int { try await perform(.clear) }

  /// Reverts the last select, tap, set or clear, also one of another member.
  @discardableResult
  public func undo() async throws(PickerFailure) -> Int { try await perform(.undo) }

  /// Reapplies the change that was undone last.
  @discardableResult
  public func redo() async throws(PickerFailure) -> Int { try await perform(.redo) }

  /// Confirms the current result, after which the picker cannot be changed. Owners only.
  @discardableResult
  public func confirm() async throws(PickerFailure) -> Int { try await perform(.confirm) }

  /// Confirms the window of an `availability` that begins at a cell. Owners only.
  ///
  /// - Throws: ``PickerFailure/unknownRow`` for other kinds.
  @discardableResult
  public func confirm(cell: Int) async throws(PickerFailure) -> Int {
    guard let command = state.confirming(cell: cell) else { throw .unknownRow }
    return try await perform(command)
  }

  /// Cancels the session, after which the picker cannot be changed. Owners only, and only the host
  /// if ``PickerState/isCancelledByHost``; a confirmation on which it decides any owner can cancel.
  @discardableResult
  public func cancel() async throws(PickerFailure) -> Int { try await perform(.cancel) }

  /// Changes this member's own name, in every role and status.
  ///
  /// A member whose token has a name is refused with ``RefusalCode/notAllowed``.
  ///
  /// - Parameter name: 1 … 64 characters.
  /// - Throws: ``PickerFailure/badName`` for other names.
  @discardableResult
  public func rename(_ name: String) async throws(PickerFailure) -> Int {
    try await perform(.rename(name))
  }

  /// Reopens a session that was confirmed or cancelled. Owners only, and only the host if
  /// ``PickerState/isReopenedByHost``.
  @discardableResult
  public func reopen() async throws(PickerFailure) -> Int { try await perform(.reopen) }
}

/// Carries out the effects of the machine: the socket, the timer and the readers.
extension PickerConnection {
  func perform(_ effect: ClientEffect, _ core: inout Core) {
    switch effect {
    case .connect: dial(&core)
    case .disconnect: disconnect(&core)
    case .requestToken: requestToken()
    case .send(let text): core.socket?.send(text)
    case .changed: core.readers.publish(core.machine.state)
    case .notice(let notice): core.readers.publish(.notice(notice))
    case .found(let id, let result):
      core.finds.settle(id, result)
      core.readers.publish(.found(id: id, result))
    case .settled(let ref, let result):
      core.answers.settle(ref, result)
      core.readers.publish(.answered(ref: ref, result))
    }
  }

  private func dial(_ core: inout Core) {
    disconnect(&core)
    let socket = transport.dial(address)
    let number = core.dialCount
    core.socket = socket
    core.listening = Task { [weak self] in
      for await event in socket.events { self?.received(event, on: number) }
    }
  }

  private func disconnect(_ core: inout Core) {
    core.dialCount += 1
    core.socket?.close()
    core.socket = nil
  }

  private func received(_ event: SocketEvent, on number: Int) {
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

  func scheduleTick(_ core: inout Core) {
    let next = core.machine.nextTick
    if core.wake?.at == next { return }
    core.wake?.task.cancel()
    core.wake = nil
    guard let next else { return }
    let instant = origin.advanced(by: .milliseconds(next))
    let task = Task { [weak self] in
      try? await Task.sleep(until: instant, clock: .continuous)
      if !Task.isCancelled { self?.tick(for: next) }
    }
    core.wake = (next, task)
  }

  private func tick(for instant: Int64) {
    core.withLock { core in
      guard core.wake?.at == instant else { return }
      core.wake = nil
      run(.tick, &core)
    }
  }
}

/// Gets a token for this user from the app's backend, which signs it.
///
/// Called about a minute before the current token expires, after the server has rejected or revoked
/// it, and before the first join if the connection has no token. `nil` means that the user has no
/// access any more: the connection ends with ``PickerPhase/needsCredentials(code:)`` when the
/// current token expires, or with ``PickerPhase/away(code:)`` if the server has revoked it. After
/// an error the provider is called again: after 10 s while the connection is open, otherwise with
/// back-off, as after a token that the server rejects too. It must end at some time, because only
/// one call runs at a time.
///
/// ```swift
/// let picker = PickerConnection(to: address, tokenProvider: {
///   try await backend.pickerToken(for: session)
/// })
/// ```
public typealias TokenProvider = @Sendable () async throws -> String?

extension PickerConnection {
  /// Sets a new token: renews that of the open connection, or reconnects with it.
  ///
  /// For apps without a ``TokenProvider``. Call it before ``PickerState/tokenExpires``, or after
  /// ``PickerPhase/needsCredentials(code:)``:
  ///
  /// ```swift
  /// for await state in picker.states {
  ///   if case .needsCredentials = state.connection {
  ///     picker.setToken(try await fetchToken())
  ///   }
  /// }
  /// ```
  ///
  /// The session and `sub` of the token must be those of the previous one; the role may differ.
  public func setToken(_ token: String) { handle(.token(token)) }

  func requestToken() {
    guard let tokenProvider else { return }
    Task { [weak self] in
      do {
        guard let token = try await tokenProvider() else {
          self?.handle(.tokenUnavailable(isFinal: true))
          return
        }
        self?.handle(.tokenProvided(token))
      } catch {
        self?.handle(.tokenUnavailable(isFinal: false))
      }
    }
  }
}
