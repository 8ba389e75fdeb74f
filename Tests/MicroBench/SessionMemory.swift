import AllocationCount

/// What a session keeps in memory, in octets of allocated blocks.
struct SessionMemory {
  let kind: BenchKind
  /// Of one session more with the same definition, nobody in it.
  let empty: Int
  /// Of one whose member has joined.
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
