import PickerHub
import PickerModel
import PickerSession
import SessionLog
import Synchronization
import Testing

@testable import PickerServer

@Suite struct StoreMailboxTests {
  @Test func `a mailbox delivers any number of notices`() {
    let mailbox = StoreMailbox()
    let noticeCount = Mutex(0)
    mailbox.connect { _ in noticeCount.withLock { $0 += 1 } }

    for _ in 0..<200_000 { mailbox.post(.message("")) }

    #expect(noticeCount.withLock { $0 } == 200_000)
  }

  @Test func `each loop receives the notices of its own sessions in order`() {
    let mailboxes = (0..<3).map { _ in StoreMailbox() }
    let received = Mutex([[String]](repeating: [], count: 3))
    for (index, mailbox) in mailboxes.enumerated() {
      mailbox.connect { notice in received.withLock { $0[index] += notice.words } }
    }
    let ids = (0..<30).map { SessionID("session \($0)") }

    mailboxes.post(.committed(ids.map { ($0, 2, []) }))
    mailboxes.post(.refused(ids))
    mailboxes.post(.taken(ids))
    mailboxes.post(.lost(ids))
    mailboxes.post(.offered(ids))
    mailboxes.post(
      .orphaned(
        ids.map {
          DormantSession(
            id: $0, ttlSeconds: 1, idleMilliseconds: 0, nextTick: nil, hasMembers: true)
        }))
    for id in ids { mailboxes.post(.loaded(id, .absent)) }
    for index in 0..<3 { mailboxes.post(.runInHub(index) {}) }
    mailboxes.post(
      .shared(SharedDefinition(name: "room", version: 7, document: .null, notes: Notes())))
    mailboxes.post(.message("nobody's"))

    for index in 0..<3 {
      let own = ids.filter { HubShard.index(of: $0, among: 3) == index }.map(\.text)
      #expect(!own.isEmpty)
      #expect(
        received.withLock { $0[index] }
          == ["2", "refused", "taken", "lost", "offered", "orphaned", "loaded"].flatMap { word in
            own.map { "\($0) \(word)" }
          } + ["hub \(index)", "room 7"])
    }
  }

  @Test func `sessions to load wait until the loop is connected`() {
    let mailbox = StoreMailbox()
    let received = Mutex<[String]>([])
    func post(_ ids: String...) {
      mailbox.post(
        .orphaned(
          ids.map {
            DormantSession(
              id: SessionID($0), ttlSeconds: 60, idleMilliseconds: 0, nextTick: nil,
              hasMembers: true)
          }))
    }
    post("a", "b")
    mailbox.post(.lost([SessionID("x")]))
    post("c")

    mailbox.connect { notice in
      guard case .orphaned(let sessions) = notice else { return }
      received.withLock { $0 += sessions.map(\.id.text) }
    }
    post("d")

    #expect(received.withLock { $0 } == ["a", "b", "c", "d"])
  }
}

extension StoreNotice {
  fileprivate var words: [String] {
    switch self {
    case .committed(let parts): parts.map { "\($0.session) \($0.count)" }
    case .refused(let sessions): sessions.map { "\($0) refused" }
    case .stopped(let nodes): nodes.map { "\($0) stopped" }
    case .taken(let sessions): sessions.map { "\($0) taken" }
    case .lost(let sessions): sessions.map { "\($0) lost" }
    case .offered(let sessions): sessions.map { "\($0) offered" }
    case .loaded(let session, _): ["\(session) loaded"]
    case .run(let session, _): ["\(session) run"]
    case .runInHub(let index, _): ["hub \(index)"]
    case .orphaned(let sessions): sessions.map { "\($0.id) orphaned" }
    case .shared(let shared): ["\(shared.name) \(shared.version)"]
    case .inventory(let name, let number): ["\(name) \(number)"]
    case .message(let sentence): [sentence]
    }
  }
}
