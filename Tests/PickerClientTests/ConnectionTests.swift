import Observation
import PickerClient
import Testing

/// `PickerConnection` with a real hub.
@Suite(.timeLimit(.minutes(10))) struct ConnectionTests {
  private let lists = #"{"kind":"columns","columns":[["a","b","c"],["x","y"]]}"#
  private let days = #"{"kind":"calendar","months":{"from":"2026-10","through":"2026-12"}}"#

  private func live(_ picker: PickerConnection) async -> PickerState {
    await state(of: picker) { $0.connection == .live }
  }

  private func state(
    of picker: PickerConnection, where holds: (PickerState) -> Bool
  ) async -> PickerState {
    for await state in picker.states where holds(state) { return state }
    return picker.state
  }

  @Test func `a command returns its revision`() async throws {
    let hub = try HubLine(days)
    let ana = hub.connection(named: "Ana")
    ana.start()

    let first = try await ana.tap(PickerDay("2026-11-20")!)
    let second = try await ana.tap(PickerDay("2026-11-24")!)

    #expect([first, second] == [1, 2])
    #expect(
      ana.state.result == .days(PickerDay("2026-11-20")!, through: PickerDay("2026-11-24")!))
    #expect(hub.revision == 2)
  }

  @Test func `a refusal is thrown with its code and detail`() async throws {
    let ana = try HubLine(days).connection(named: "Ana")
    ana.start()
    _ = await live(ana)

    let failure = await #expect(throws: PickerFailure.self) { try await ana.undo() }

    guard case .refused(.nothingToUndo, let detail, _) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(!detail.isEmpty)
  }

  @Test func `a command that is not queued fails immediately without a connection`() async throws {
    let ana = try HubLine(days).connection(named: "Ana")

    await #expect(throws: PickerFailure.offline) { try await ana.confirm() }
  }

  @Test func `selecting an unknown row fails without a message`() async throws {
    let hub = try HubLine(lists)
    let ana = hub.connection(named: "Ana")
    ana.start()
    _ = await live(ana)

    await #expect(throws: PickerFailure.unknownRow) { try await ana.select(row: 3, column: 0) }
    await #expect(throws: PickerFailure.unknownRow) { try await ana.select(key: "z", column: 0) }
    try await ana.select(key: "c", column: 0)

    #expect(ana.state.result == .keys(["c", "x"]))
  }

  @Test func `cancelling a task does not cancel its command`() async throws {
    let hub = try HubLine(days)
    hub.isDown = true
    let ana = hub.connection(named: "Ana")
    ana.start()
    let task = Task { () -> PickerFailure? in
      do throws(PickerFailure) {
        try await ana.tap(PickerDay("2026-11-20")!)
        return nil
      } catch { return error }
    }
    _ = await state(of: ana) { $0.pendingCount == 1 }

    task.cancel()
    #expect(await task.value == .cancelled)
    hub.isDown = false
    ana.retry()

    _ = await state(of: ana) { $0.revision == 1 }
    #expect(ana.state.range?.hits == 1)
  }

  @Test func `a cancelled task sends no command`() async throws {
    let hub = try HubLine(days)
    let ana = hub.connection(named: "Ana")
    ana.start()
    _ = await live(ana)

    let task = Task { () -> PickerFailure? in
      try? await Task.sleep(for: .seconds(3600))  // Until it is cancelled.
      do throws(PickerFailure) {
        try await ana.tap(PickerDay("2026-11-20")!)
        return nil
      } catch { return error }
    }
    task.cancel()

    #expect(await task.value == .cancelled)
    #expect(hub.revision == 0)
  }

  @Test func `a lost connection is resumed by the same member`() async throws {
    let hub = try HubLine(lists)
    let ana = hub.connection(named: "Ana")
    ana.start()
    let me = await live(ana).me?.id
    let bo = hub.connection(named: "Bo")
    bo.start()
    _ = await live(bo)

    hub.cut()
    bo.retry()
    _ = await live(bo)
    try await bo.select(key: "b", column: 0)
    ana.retry()

    let state = await state(of: ana) { $0.revision == 1 }
    #expect(state.me?.id == me)
    #expect(state.columns[0].selected?.key == "b")
    #expect(hub.memberNames == ["Ana", "Bo"])
  }

  @Test func `all events are delivered, and the new state follows the other events of its message`()
    async throws
  {
    let ana = try HubLine(days).connection(named: "Ana")
    let events = ana.events
    ana.start()
    _ = await live(ana)
    let ref = ana.send(.tap(PickerDay("2026-11-20")!))

    var received: [String] = []
    for await event in events {
      switch event {
      case .notice(.ranged): received.append("notice")
      case .notice, .found: continue
      case .answered(ref, .success(1)): received.append("answer")
      case .answered: received.append("another answer")
      case .state(let state) where state.revision == 1: received.append("state")
      case .state: continue
      }
      if received.last == "state" { break }
    }

    #expect(received == ["notice", "answer", "state"])
  }

  @Test func `leave has removed the member when it returns`() async throws {
    let hub = try HubLine(days)
    let ana = hub.connection(named: "Ana")
    ana.start()
    _ = await live(ana)

    await ana.leave()

    #expect(hub.memberNames == [])
    #expect(ana.state.connection == .left)
  }

  @Test func `a released connection closes its socket`() async throws {
    let hub = try HubLine(days)
    var ana: PickerConnection? = hub.connection(named: "Ana")
    ana?.start()
    _ = await live(ana!)
    #expect(hub.openCount == 1)

    ana = nil

    while hub.openCount > 0 { try await Task.sleep(for: .milliseconds(5)) }
    #expect(hub.memberNames == ["Ana"], "the member has not left")
  }

  @Test func `a cancelled reader of states ends`() async throws {
    let ana = try HubLine(days).connection(named: "Ana")
    let task = Task { for await _ in ana.states {} }
    task.cancel()

    await task.value
    #expect(ana.state.connection == .idle)
  }

  @Test @MainActor func `observers of a LivePicker are notified of new states`() async throws {
    let hub = try HubLine(lists)
    let picker = LivePicker(hub.connection(named: "Ana"))
    let running = Task { await picker.run() }
    while picker.state.connection != .live { try await Task.sleep(for: .milliseconds(5)) }

    let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
    withObservationTracking {
      _ = picker.state
    } onChange: {
      continuation.yield()
    }
    picker.send(picker.state.selecting(row: 2, column: 0)!)

    for await _ in changes { break }
    while picker.state.revision != 1 { try await Task.sleep(for: .milliseconds(5)) }
    #expect(picker.state.columns[0].selected?.key == "c")
    running.cancel()
    await running.value
    #expect(picker.connection.state.connection == .idle)
  }

  @Test(arguments: 1...20)
  func `all clients fold random commands to the session's state despite lost connections`(
    seed: UInt64
  ) async throws {
    let hub = try HubLine(seed % 2 == 0 ? lists : days)
    let pickers = ["Ana", "Bo", "Cem"].map { hub.connection(named: $0) }
    for picker in pickers { picker.start() }
    for picker in pickers { _ = await live(picker) }
    var random = Seeded(state: seed)

    for _ in 0..<60 {
      let picker = pickers.randomElement(using: &random)!
      switch Int.random(in: 0..<12, using: &random) {
      case 0: hub.cut()
      case 1, 2: picker.send(.undo)
      case 3: picker.retry()
      case 4: picker.send(.clear)
      default:
        let column = Int.random(in: 0...1, using: &random)
        let row = Int.random(in: 0...1, using: &random)
        let day = PickerDay("2026-11-01")!.adding(days: .random(in: 0..<28, using: &random))!
        picker.send(picker.state.selecting(row: row, column: column) ?? .tap(day))
      }
      if Bool.random(using: &random) { await Task.yield() }
    }

    for picker in pickers {
      picker.retry()
      _ = await state(of: picker) { $0.connection == .live && $0.pendingCount == 0 }
    }
    let revision = hub.revision
    var states: [PickerState] = []
    for picker in pickers { states.append(await state(of: picker) { $0.revision == revision }) }

    for state in states {
      #expect(state.columns == states[0].columns)
      #expect(state.range == states[0].range)
      #expect(state.shownRange == state.range)
      #expect(state.columns.map(\.shownRow) == state.columns.map(\.row))
    }
    let truth = hub.document()
    for column in states[0].columns { #expect(truth.contains(#""row":\#(column.row!)"#)) }
    if let range = states[0].range {
      #expect(
        truth.contains(
          #""start":"\#(range.start)","end":"\#(range.end)","hits":\#(range.hits)"#))
    }
  }
}

/// A seeded random source. - Source: Vigna, splitmix64.
private struct Seeded: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}
