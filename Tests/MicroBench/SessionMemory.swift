import AllocationCount

/// The memory of a session in bytes of allocated blocks.
struct SessionMemory {
  let kind: BenchKind
  /// Of one more session with the same definition and no members.
  let empty: Int
  /// Of one more session with a member.
  let joined: Int

  private static let count = 200

  init(_ kind: BenchKind) throws {
    self.kind = kind
    count_bytes(true)
    defer { count_bytes(false) }
    let bench = BenchHub(kind)
    try bench.create(1)
    let before = allocated_bytes()
    try bench.create(SessionMemory.count)
    let created = allocated_bytes()
    bench.join()
    empty = Int(created - before) / SessionMemory.count
    joined = Int(allocated_bytes() - before) / SessionMemory.count
  }
}
