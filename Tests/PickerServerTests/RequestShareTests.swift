import Testing

@testable import WebSocketTransport

/// A client with many HTTP requests does not delay those of other clients, nor taps.
@Suite struct RequestShareTests {
  private let client = PeerNetwork(high: 0, low: 1)
  private let other = PeerNetwork(high: 1 << 32, low: 2)

  /// A client that has used up its share, with `count` held requests.
  private func held(_ count: Int) -> RequestShares<Int> {
    var shares = RequestShares<Int>(heldMax: 3)
    shares.add(RequestShares<Int>.nanosecondsMax, to: client)
    for number in 0..<count { _ = shares.hold(number, of: client) }
    return shares
  }

  @Test func `requests over a client's share are held, those of another client are not`() {
    typealias Shares = RequestShares<Int>
    var shares = Shares(heldMax: 3)
    shares.add(Shares.nanosecondsMax - 2 * Shares.nanosecondsEach - 1, to: client)
    #expect(!shares.mustHold(client))

    shares.add(1, to: client)

    #expect(shares.mustHold(client) && !shares.mustHold(other))
  }

  @Test func `held requests continue in order, within the share of each iteration`() {
    var shares = held(3)
    let early = shares.next()
    #expect(early == nil)

    shares.endIteration()
    var served: [Int] = []
    while let (client, request) = shares.next() {
      served.append(request)
      shares.add(RequestShares<Int>.nanosecondsMax / 2, to: client)
    }
    #expect(served == [0, 1])
    #expect(shares.areHeld && shares.mustHold(client))
    shares.endIteration()

    let last = shares.next()
    #expect(last?.request == 2)
    #expect(!shares.areHeld && !shares.mustHold(client))
  }

  @Test func `a new request waits behind the held ones of its client`() {
    var shares = held(2)

    shares.endIteration()
    _ = shares.next()

    #expect(shares.mustHold(client))
  }

  @Test func `a client has a maximum of held requests`() {
    var shares = held(3)

    let (isHeld, isOtherHeld) = (shares.hold(3, of: client), shares.hold(0, of: other))

    #expect(!isHeld && isOtherHeld)
  }
}
