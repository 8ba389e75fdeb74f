import Testing

/// At most some tests that use a database run at once: Swift Testing starts all tests together, and
/// each may hold a dozen connections while it waits.
struct DatabaseTurn: SuiteTrait, TestTrait, TestScoping {
  let isRecursive = true

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    await Turns.shared.take()
    do {
      try await function()
    } catch {
      await Turns.shared.give()
      throw error
    }
    await Turns.shared.give()
  }
}

extension Trait where Self == DatabaseTurn {
  static var database: DatabaseTurn { DatabaseTurn() }
}

private actor Turns {
  static let shared = Turns()
  private var freeCount = 16
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func take() async {
    if freeCount > 0 {
      freeCount -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  func give() {
    if waiting.isEmpty {
      freeCount += 1
    } else {
      waiting.removeFirst().resume()
    }
  }
}
