import Testing

@testable import PickerServer

@Suite struct RequestRatesTests {
  private let second: Int64 = 1_000_000_000

  @Test func `a bucket allows its burst at once, then its rate`() {
    let rate = Rate(perSecond: 10, burst: 3)
    var bucket = TokenBucket()
    for _ in 0..<3 {
      #expect(bucket.wait(at: 0, rate) == 0)
      bucket.take(at: 0, rate)
    }
    #expect(bucket.wait(at: 0, rate) == second / 10)
    #expect(bucket.wait(at: second / 10 - 1, rate) == 1)
    #expect(bucket.wait(at: second / 10, rate) == 0)

    bucket.take(at: second / 10, rate)
    #expect(bucket.wait(at: second / 10, rate) == second / 10)
  }

  @Test func `an idle bucket refills up to its burst`() {
    let rate = Rate(perSecond: 10, burst: 3)
    var bucket = TokenBucket()
    for _ in 0..<3 { bucket.take(at: 0, rate) }
    let later = 100 * second
    for _ in 0..<3 {
      #expect(bucket.wait(at: later, rate) == 0)
      bucket.take(at: later, rate)
    }
    #expect(bucket.wait(at: later, rate) > 0)
  }

  /// One request of the kind per second.
  private func rates(
    _ kind: RequestKind, burst: Int, addresses: Int = 10, buckets: Int = 100
  ) -> RequestRates {
    var limits = RateLimits(LimitSettings())
    limits[kind] = Rate(perSecond: 1, burst: burst)
    limits.fullRateAddresses = addresses
    limits.bucketsMax = buckets
    return RequestRates(limits)
  }

  @Test func `each address and kind has its own bucket`() throws {
    let rates = rates(.create, burst: 2)
    let first = PeerAddress("192.0.2.1")

    #expect(rates.take(.create, from: first, at: 0) == nil)
    #expect(rates.take(.create, from: first, at: 0) == nil)
    #expect(rates.take(.create, from: first, at: 0) == 1)
    #expect(rates.take(.create, from: PeerAddress("192.0.2.2"), at: 0) == nil)
    #expect(rates.take(.check, from: first, at: 0) == nil)
    #expect(rates.take(.create, from: first, at: 999) == 1)
    #expect(rates.take(.create, from: first, at: 1_000) == nil)
    #expect(rates.refusals == [.create: 2])
  }

  @Test func `the addresses of one IPv6 network share a bucket`() throws {
    let rates = rates(.join, burst: 1)

    #expect(rates.take(.join, from: PeerAddress("2001:db8::1"), at: 0) == nil)
    #expect(rates.take(.join, from: PeerAddress("2001:db8::2"), at: 0) == 1)
    #expect(rates.take(.join, from: PeerAddress("2001:db8:0:1::1"), at: 0) == nil)
  }

  @Test func `all addresses share a total rate`() throws {
    let rates = rates(.log, burst: 2, addresses: 3)
    let addresses = (0..<7).map { PeerAddress("192.0.2.\($0)") }

    for address in addresses.prefix(6) {
      #expect(rates.take(.log, from: address, at: 0) == nil)
    }
    #expect(rates.take(.log, from: addresses[6], at: 0) == 1)
    #expect(rates.take(.log, from: addresses[6], at: 334) == nil)
  }

  @Test func `a refused request takes no token`() throws {
    let rates = rates(.log, burst: 1, addresses: 2)
    let first = PeerAddress("192.0.2.1")
    #expect(rates.take(.log, from: first, at: 0) == nil)
    for _ in 0..<50 { #expect(rates.take(.log, from: first, at: 0) == 1) }

    #expect(rates.take(.log, from: PeerAddress("192.0.2.2"), at: 0) == nil)
    #expect(rates.take(.log, from: first, at: 1_000) == nil)
  }

  @Test func `the wait is reported in whole seconds, rounded up`() throws {
    let rates = rates(.check, burst: 10)
    let first = PeerAddress("192.0.2.1")
    for _ in 0..<10 { #expect(rates.take(.check, from: first, at: 0) == nil) }
    #expect(rates.take(.check, from: first, at: 0) == 1)
    #expect(rates.take(.check, from: first, at: 1) == 1)
  }

  @Test func `a request takes a token for each 64 KiB of its body`() throws {
    let rates = rates(.check, burst: 5)
    let first = PeerAddress("192.0.2.1")

    #expect(rates.take(.check, from: first, bodyByteCount: 131_073, at: 0) == nil)
    #expect(rates.take(.check, from: first, bodyByteCount: 131_073, at: 0) == 1)
    #expect(rates.take(.check, from: first, bodyByteCount: 131_072, at: 0) == nil)
    #expect(rates.take(.check, from: first, at: 0) == 1)
    #expect(rates.take(.check, from: first, bodyByteCount: 262_144, at: 0) == 4)
    #expect(rates.take(.check, from: first, bodyByteCount: 262_144, at: 3_999) == 1)
    #expect(rates.take(.check, from: first, bodyByteCount: 262_144, at: 4_000) == nil)
  }

  @Test func `a body larger than the burst takes a full bucket`() throws {
    let rates = rates(.check, burst: 2, addresses: 1)
    let first = PeerAddress("192.0.2.1")

    #expect(rates.take(.check, from: first, bodyByteCount: 4_194_304, at: 0) == nil)
    #expect(rates.take(.check, from: first, bodyByteCount: 4_194_304, at: 1_000) == 1)
    #expect(rates.take(.check, from: first, bodyByteCount: 4_194_304, at: 2_000) == nil)
  }

  @Test func `large bodies of all addresses share a total rate`() throws {
    let rates = rates(.check, burst: 64, addresses: 2)

    for number in 0..<2 {
      let address = PeerAddress("192.0.2.\(number)")
      #expect(rates.take(.check, from: address, bodyByteCount: 4_194_304, at: 0) == nil)
    }
    let third = PeerAddress("192.0.2.3")
    #expect(rates.take(.check, from: third, bodyByteCount: 4_194_304, at: 0) == 32)
    #expect(rates.take(.check, from: third, bodyByteCount: 4_194_304, at: 32_000) == nil)
  }

  @Test func `the number of buckets is limited, and further addresses share one`() throws {
    let rates = rates(.create, burst: 2, addresses: 100, buckets: 3)
    for number in 0..<3 {
      #expect(rates.take(.create, from: PeerAddress("192.0.2.\(number)"), at: 0) == nil)
    }
    #expect(rates.take(.create, from: PeerAddress("192.0.2.3"), at: 0) == nil)
    #expect(rates.take(.create, from: PeerAddress("192.0.2.4"), at: 0) == nil)
    #expect(rates.take(.create, from: PeerAddress("192.0.2.5"), at: 0) == 1)
    #expect(rates.bucketCount == 4)
    // Existing buckets are unaffected and retain their state.
    #expect(rates.take(.create, from: PeerAddress("192.0.2.0"), at: 0) == nil)
    #expect(rates.take(.create, from: PeerAddress("192.0.2.0"), at: 0) == 1)
  }

  @Test func `the rate of a key depends on nothing that others send`() throws {
    let rates = rates(.create, burst: 2, addresses: 2, buckets: 3)
    for number in 0..<100 {
      _ = rates.take(.create, from: PeerAddress("192.0.2.\(number)"), at: 0)
    }
    #expect(rates.take(.create, from: PeerAddress("192.0.2.1"), at: 0) == 1)

    for id in ["shop", "feed"] {
      #expect(rates.take(.create, ofKey: id, at: 0) == nil)
      #expect(rates.take(.create, ofKey: id, bodyByteCount: 70_000, at: 0) == 1)
      #expect(rates.take(.create, ofKey: id, at: 0) == nil)
      #expect(rates.take(.create, ofKey: id, at: 0) == 1)
      #expect(rates.take(.check, ofKey: id, at: 0) == nil)
      #expect(rates.take(.create, ofKey: id, at: 1_000) == nil)
    }
  }

  @Test func `requests with keys leave the total rate to the addresses`() throws {
    let rates = rates(.log, burst: 1, addresses: 1)
    for number in 0..<100 { #expect(rates.take(.log, ofKey: "\(number)", at: 0) == nil) }

    #expect(rates.take(.log, from: PeerAddress("192.0.2.1"), at: 0) == nil)
  }

  @Test func `only full buckets are discarded`() throws {
    // Two seconds refill the slowest bucket.
    var limits = RateLimits(LimitSettings())
    for kind in RequestKind.allCases { limits[kind] = Rate(perSecond: 1, burst: 2) }
    limits.fullRateAddresses = 1000
    let rates = RequestRates(limits)
    for number in 0..<100 {
      #expect(rates.take(.create, from: PeerAddress("192.0.2.\(number)"), at: 0) == nil)
    }
    let busy = PeerAddress("192.0.2.200")
    for time in [Int64(1_000), 1_000, 2_500] {
      #expect(rates.take(.create, from: busy, at: time) == nil)
    }
    #expect(rates.bucketCount > 100)

    #expect(rates.take(.create, from: busy, at: 4_500) == nil)

    #expect(rates.bucketCount <= 2)
    #expect(rates.take(.create, from: busy, at: 4_500) == nil)
    #expect(rates.take(.create, from: busy, at: 4_500) == 1)
  }
}
