/// Plays events from the input on a hub.
enum EventsTarget {
  private static let eventCountMax = 400

  static func run(_ input: [UInt8]) throws(FuzzFailure) {
    let world = play(input)
    defer { world.end() }
    if let failure = world.failure { throw failure }
    try world.settle()
  }

  static func effect(of input: [UInt8]) -> (revisions: Int, frames: Int) {
    let world = play(input)
    defer { world.end() }
    for slot in world.connections.indices { world.drop(slot) }
    return (world.hub.counters.deltas, world.frameCount)
  }

  private static func play(_ input: [UInt8]) -> FuzzWorld {
    var source = ByteSource(input)
    let world = FuzzWorld(source.byte())
    world.create(source.byte())
    for _ in 0..<eventCountMax where !source.isEmpty && world.failure == nil {
      world.happen(&source)
    }
    return world
  }
}
