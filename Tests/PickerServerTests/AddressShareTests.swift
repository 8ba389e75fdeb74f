import Testing

@testable import WebSocketTransport

/// An address that sends much does not delay others.
@Suite struct AddressShareTests {
  private typealias Shares = AddressShares<Int>

  private let address = PeerNetwork(high: 0, low: 0xFFFF_0000_0001)
  private let other = PeerNetwork(high: 1 << 32, low: 2)

  /// The shares of an iteration in which `address` has used up its own and `count` items of it are
  /// held.
  private func held(_ count: Int) -> Shares {
    let shares = Shares(heldMax: 3)
    shares[address].add(Shares.nanosecondsMax)
    for number in 0..<count { _ = shares.hold(number, of: shares[address]) }
    return shares
  }

  /// What is handled of the held items in the next iteration, if each takes `nanoseconds`.
  private func handled(_ shares: Shares, all: Bool = false, _ nanoseconds: Int64 = 0) -> [Int] {
    var handled: [Int] = []
    let hasHandled = shares.beginIteration(all: all) { item, share in
      handled.append(item)
      share.add(nanoseconds)
    }
    #expect(hasHandled == !handled.isEmpty)
    return handled
  }

  @Test func `what an address sends over its share is held, what another one sends is not`() {
    let shares = Shares(heldMax: 3)
    shares[address].add(Shares.nanosecondsMax - 1)
    #expect(!shares[address].mustHold)

    shares[address].add(1)

    #expect(shares[address].mustHold && !shares[other].mustHold)
  }

  @Test func `the bytes that are delivered count`() {
    let shares = Shares(heldMax: 3)

    shares[address].add(0, deliveryCount: 1, byteCount: Int(Shares.nanosecondsMax))

    #expect(shares[address].mustHold)
  }

  @Test func `held items continue in order, within the share of each iteration`() {
    let shares = held(3)

    #expect(handled(shares, Shares.nanosecondsMax / 2) == [0, 1])
    #expect(shares[address].mustHold)
    #expect(handled(shares) == [2])
    #expect(!shares[address].mustHold)
    #expect(handled(shares).isEmpty)
  }

  @Test func `an iteration without held items ends the one before`() {
    let shares = held(0)
    #expect(shares[address].mustHold)

    #expect(handled(shares).isEmpty)

    #expect(!shares[address].mustHold)
  }

  @Test
  func `what waits for the log uses the share of each iteration, and of the one that ends it`() {
    let shares = held(1)
    let listenerCount = Int(Shares.nanosecondsMax / Shares.nanosecondsPerDelivery)
    let done = shares.wait(shares[address], listenerCount: listenerCount)

    for _ in 0..<3 { #expect(handled(shares).isEmpty) }
    done()
    #expect(shares[address].mustHold)

    #expect(handled(shares) == [0])
    #expect(!shares[address].mustHold)
  }

  @Test func `all held items are handled at once if that is asked for`() {
    let shares = held(3)
    _ = shares.wait(shares[address], listenerCount: 1000)

    #expect(handled(shares, all: true, Shares.nanosecondsMax) == [0, 1, 2])
  }

  @Test func `an address has a maximum of held items`() {
    let shares = held(3)

    #expect(!shares.hold(3, of: shares[address]) && shares.hold(0, of: shares[other]))
  }

  @Test func `a share is kept while something of it is held or waits, whatever others are used`() {
    let shares = held(1)
    _ = shares.wait(shares[other], listenerCount: 1000)

    for number in 1..<1000 {
      if number % 10 == 0 { _ = shares.beginIteration { _, share in share.add(0) } }
      _ = shares[PeerNetwork(high: UInt64(number) << 40, low: 0)]
      if number < 10 { #expect(shares[address].mustHold) }
      #expect(shares[other].mustHold)
    }

    #expect(!shares[address].mustHold)
    #expect(shares.count < 256)
  }
}
