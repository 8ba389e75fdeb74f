import CivilTime
import PickerSession
import Synchronization
import Testing

@testable import PickerHub

extension SessionIndex {
  fileprivate mutating func created(
    _ id: String, _ external: String? = nil, status: SessionStatus? = .open
  ) {
    let names = Names(external: external, key: nil)
    guard case .free(let ordinal) = reserve(names, at: noon, waiter: {}) else { return }
    add(Entry(id: SessionID(id), ordinal: ordinal, external: external, status: status), key: nil)
  }

  fileprivate func ids(after cursor: Int64 = 0, limit: Int = 100) -> [String] {
    guard
      case .sessions(let found, _) = page(
        external: nil, status: nil, after: cursor, limit: limit)
    else { return [] }
    return found.map(\.id.text)
  }
}

private func key(_ byte: UInt8, at: Instant = noon) -> CreationKey {
  CreationKey(
    keyHash: [byte], bodyHash: [1], session: SessionID("s\(byte)"), epoch: "e", salt: "", at: at)
}

@Suite struct SessionIndexTests {
  @Test func `a reserved name makes others wait until it is decided`() {
    var index = SessionIndex()
    let names = SessionIndex.Names(external: "x", key: [1])
    guard case .free = index.reserve(names, at: noon, waiter: {}) else {
      Issue.record("a free name is reserved")
      return
    }
    let calls = Mutex(0)
    let waiter: SessionIndex.Waiter = { calls.withLock { $0 += 1 } }
    for other in [
      SessionIndex.Names(external: "x", key: nil), .init(external: nil, key: [1]),
    ] {
      guard case .waits = index.reserve(other, at: noon, waiter: waiter) else {
        Issue.record("a reserved name is not given twice")
        return
      }
    }

    index.release(names)

    #expect(calls.withLock { $0 } == 2)
    guard case .free = index.reserve(names, at: noon, waiter: {}) else {
      Issue.record("a released name is free")
      return
    }
  }

  @Test func `a creation only wakes those that wait for its names`() {
    var index = SessionIndex()
    let names = [
      SessionIndex.Names(external: "x", key: [1]), .init(external: "y", key: nil),
      .init(external: nil, key: [3]),
    ]
    let calls = Mutex([0, 0, 0])
    for number in names.indices {
      _ = index.reserve(names[number], at: noon, waiter: {})
      let outcome = index.reserve(names[number], at: noon) {
        calls.withLock { $0[number] += 1 }
      }
      guard case .waits = outcome else {
        Issue.record("a reserved name is not given twice")
        return
      }
    }

    index.release(names[1])
    index.release(.init(external: "z", key: [9]))

    #expect(calls.withLock { $0 } == [0, 1, 0])
  }

  @Test func `an external id is free again when its session has ended`() {
    var index = SessionIndex()
    index.created("a", "x")
    let names = SessionIndex.Names(external: "x", key: nil)
    guard case .taken(let id) = index.reserve(names, at: noon, waiter: {}) else {
      Issue.record("a living session has its name")
      return
    }
    #expect(id == SessionID("a"))
    index.remove(id)
    #expect(index.session(external: "x") == nil && index.count == 0)
  }

  @Test func `keys are forgotten after 24 hours`() {
    var index = SessionIndex()
    index.restore([], [key(1)])
    let names = SessionIndex.Names(external: nil, key: [1])
    let last = noon.adding(milliseconds: SessionIndex.keyMilliseconds - 1)
    guard case .known(let known) = index.reserve(names, at: last, waiter: {}) else {
      Issue.record("a key is remembered")
      return
    }
    #expect(known == key(1))
    let after = last.adding(milliseconds: 1)
    guard case .free = index.reserve(names, at: after, waiter: {}) else {
      Issue.record("a key is forgotten")
      return
    }
  }

  @Test func `keys have a maximum number`() {
    var index = SessionIndex(keyCountMax: 2)
    index.restore([], [key(1), key(2)])
    guard case .full = index.reserve(.init(external: nil, key: [3]), at: noon, waiter: {}) else {
      Issue.record("no more keys are taken")
      return
    }
    guard case .free = index.reserve(.init(external: "x", key: nil), at: noon, waiter: {}) else {
      Issue.record("a creation without a key needs none")
      return
    }
  }

  @Test func `at the maximum the oldest key is removed if anyone can create sessions`() {
    var index = SessionIndex(keyCountMax: 2, removesOldestKey: true)
    index.restore([], [key(0), key(1), key(2)])
    func reserve(_ byte: UInt8) -> SessionIndex.Reservation {
      index.reserve(.init(external: nil, key: [byte]), at: noon, waiter: {})
    }
    guard case .free = reserve(3), index.makeRoomForKey() == [1] else {
      Issue.record("the oldest of the two that fit is removed")
      return
    }
    guard case .known = reserve(2), case .free = reserve(4), index.makeRoomForKey() == [2] else {
      Issue.record("then the next one")
      return
    }
    guard case .full = reserve(5) else {
      Issue.record("reserved keys are not removed")
      return
    }
    index.release(.init(external: nil, key: [4]))
    guard case .free = reserve(5), index.makeRoomForKey() == nil else {
      Issue.record("nothing is removed while there is room")
      return
    }
  }

  @Test func `the list is in order of creation, also after sessions have ended`() {
    var index = SessionIndex()
    for number in 0..<500 { index.created("s\(number)") }
    for number in 0..<490 { index.remove(SessionID("s\(number)")) }
    #expect(index.ids() == (490..<500).map { "s\($0)" })
    guard
      case .sessions(let first, let next?) = index.page(
        external: nil, status: nil, after: 0, limit: 3)
    else {
      Issue.record("there is another page")
      return
    }
    #expect(first.count == 3 && index.ids(after: next, limit: 2) == ["s493", "s494"])
  }

  @Test func `a page tests a limited number of sessions and then continues after them`() {
    var index = SessionIndex()
    for number in 0..<SessionIndex.testedMax { index.created("s\(number)") }
    index.created("last", status: .confirmed)
    guard
      case .sessions(let none, let next?) = index.page(
        external: nil, status: .confirmed, after: 0, limit: 10)
    else {
      Issue.record("the list ends before its last session")
      return
    }
    guard
      case .sessions(let found, nil) = index.page(
        external: nil, status: .confirmed, after: next, limit: 10)
    else {
      Issue.record("the list does not end")
      return
    }
    #expect(none.isEmpty && found.map(\.id.text) == ["last"])
  }

  @Test func `sessions of unknown status have to be loaded first`() {
    var index = SessionIndex()
    index.created("a")
    index.created("b", status: nil)
    guard
      case .unknown(let unknown) = index.page(
        external: nil, status: .open, after: 0, limit: 10)
    else {
      Issue.record("an unknown status is not guessed")
      return
    }
    #expect(unknown == [SessionID("b")])
    index.setStatus(.confirmed, of: SessionID("b"))
    #expect(index.ids() == ["a", "b"])
  }
}
