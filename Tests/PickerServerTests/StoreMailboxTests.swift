import SessionLog
import Synchronization
import Testing

@testable import PickerServer

@Suite struct StoreMailboxTests {
  @Test func `a mailbox carries any number of notices`() {
    let mailbox = StoreMailbox()
    let heardCount = Mutex(0)
    mailbox.connect { _ in heardCount.withLock { $0 += 1 } }

    for _ in 0..<200_000 { mailbox.post(.said("")) }

    #expect(heardCount.withLock { $0 } == 200_000)
  }
}
