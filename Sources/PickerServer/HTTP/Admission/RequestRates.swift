import Synchronization
import WebSocketTransport

/// The kinds of requests with rate limits.
package enum RequestKind: Int, CaseIterable, Sendable {
  case create
  /// New members, WebSockets and event streams.
  case join
  case command, check, drawing, log
  /// Requests with a wrong API key.
  case wrongKey
  /// Requests for sessions that the cluster's store was asked for and does not have.
  case unknownSession
}

package struct RateLimits: Hashable, Sendable {
  private var rates: [Rate]
  /// The limit of all addresses together, as a multiple of the rate of one address.
  package var fullRateAddresses = 10
  /// The maximum number of token buckets in memory, of about 100 bytes each.
  package var bucketsMax = 65_536

  package init(_ settings: LimitSettings) {
    rates = RequestKind.allCases.map { kind in
      switch kind {
      case .create: RateLimits.rate(settings[.createsPerSecond])
      case .join: RateLimits.rate(settings[.joinsPerSecond])
      case .command: RateLimits.rate(settings[.commandsPerSecond])
      case .check, .log: RateLimits.rate(settings[.readsPerSecond])
      case .drawing: RateLimits.rate(4 * settings[.readsPerSecond])
      // Guesses, which nobody needs in bursts.
      case .wrongKey: Rate(perSecond: max(1, settings[.createsPerSecond] / 10))
      case .unknownSession: Rate(perSecond: max(1, settings[.joinsPerSecond] / 2))
      }
    }
  }

  /// In a burst, the requests of ten seconds.
  private static func rate(_ perSecond: Int) -> Rate {
    Rate(perSecond: perSecond, burst: 10 * perSecond)
  }

  package subscript(kind: RequestKind) -> Rate {
    get { rates[kind.rawValue] }
    set { rates[kind.rawValue] = newValue }
  }

  /// The time after which every unused bucket is full.
  var refillNanoseconds: Int64 { rates.map(\.refillNanoseconds).max() ?? 0 }
}

/// What a rate limit counts together.
package enum RateScope: CaseIterable, Sendable {
  /// The requests of one address, or with one API key.
  case sender
  /// Those of all addresses.
  case total
}

/// Limits the rates of requests per client address and in total, and those with an API key per key,
/// for all loops.
///
/// Only requests with a rate limit acquire the lock. Commands over a WebSocket do not.
package final class RequestRates: Sendable {
  private let table: Mutex<Table>

  package init(_ limits: RateLimits) { table = Mutex(Table(limits)) }

  /// Replaces the limits. Tokens that were taken stay taken.
  package func change(_ limits: RateLimits) { table.withLock { $0.limits = limits } }

  /// The bytes of a body that one token pays for.
  package static let bytesPerToken = 65_536

  /// Takes the tokens for a request from the bucket of its address and from the server's: one, or
  /// one per ``bytesPerToken`` of its body, rounded up. A request that needs more tokens than a
  /// bucket can hold takes a full bucket.
  ///
  /// - Parameters:
  ///   - address: `nil` for a peer without a numeric address.
  ///   - scopes: The buckets to take from, if the request is counted in two steps.
  ///   - now: Milliseconds of a monotonic clock.
  /// - Returns: `nil` if the request is admitted; otherwise the seconds until the tokens are
  ///   available, at least 1.
  package func take(
    _ kind: RequestKind, from address: PeerAddress?, bodyByteCount: Int = 0,
    of scopes: [RateScope] = RateScope.allCases, at now: Int64
  ) -> Int? {
    let tokens = RequestRates.tokens(bodyByteCount)
    return table.withLock {
      $0.take(tokens, kind, .network(address?.network), of: scopes, at: now * 1_000_000)
    }
  }

  /// Takes the tokens for a request with a right API key from the key's bucket, which nobody else
  /// uses.
  package func take(
    _ kind: RequestKind, ofKey id: String, bodyByteCount: Int = 0, at now: Int64
  ) -> Int? {
    let tokens = RequestRates.tokens(bodyByteCount)
    return table.withLock {
      $0.take(tokens, kind, .key(id), of: [.sender], at: now * 1_000_000)
    }
  }

  private static func tokens(_ bodyByteCount: Int) -> Int {
    max(1, (bodyByteCount + bytesPerToken - 1) / bytesPerToken)
  }

  /// How long an address has to wait for a token of its bucket, in seconds; `nil` if there is one.
  /// Takes none, and does not look at the server's bucket.
  package func wait(_ kind: RequestKind, from address: PeerAddress?, at now: Int64) -> Int? {
    table.withLock { $0.wait(kind, from: address, at: now * 1_000_000) }
  }

  /// Takes a token from the bucket of an address after ``wait(_:from:at:)`` returned `nil`.
  package func charge(_ kind: RequestKind, to address: PeerAddress?, at now: Int64) {
    table.withLock { $0.charge(kind, to: address, at: now * 1_000_000) }
  }

  /// The number of refused requests by kind.
  package var refusals: [RequestKind: Int] { table.withLock { $0.refusals } }

  /// The number of token buckets in memory.
  var bucketCount: Int { table.withLock { $0.bucketCount } }
}

/// The buckets that may not be full; a full bucket need not be stored.
///
/// Buckets are in two generations, each as long as the slowest refill. A bucket that was not used
/// for a whole generation is full, so the older generation can be dropped as a whole. Addresses
/// that exceed `bucketsMax` share one bucket per kind; keys never do, and the key file limits them.
private struct Table: Sendable {
  enum Sender: Hashable, Sendable {
    /// `nil` for the shared bucket.
    case network(PeerNetwork?)
    case key(String)
  }

  private struct Key: Hashable, Sendable {
    let kind: RequestKind
    let sender: Sender
  }

  var limits: RateLimits
  private var buckets: [Key: TokenBucket] = [:]
  private var olderBuckets: [Key: TokenBucket] = [:]
  private var generationStart: Int64 = .min
  private var totals = [TokenBucket](repeating: TokenBucket(), count: RequestKind.allCases.count)
  private(set) var refusals: [RequestKind: Int] = [:]

  init(_ limits: RateLimits) { self.limits = limits }

  var bucketCount: Int { buckets.count + olderBuckets.count }

  mutating func take(
    _ tokens: Int, _ kind: RequestKind, _ sender: Sender, of scopes: [RateScope], at now: Int64
  ) -> Int? {
    startGeneration(at: now, refill: limits.refillNanoseconds)
    let key = key(kind, sender)
    let rate = limits[kind]
    let totalRate = rate.times(limits.fullRateAddresses)
    var bucket = buckets[key] ?? olderBuckets[key] ?? TokenBucket()
    let waits: [Int64] = scopes.map { scope in
      switch scope {
      case .sender: bucket.wait(for: tokens, at: now, rate)
      case .total: totals[kind.rawValue].wait(for: tokens, at: now, totalRate)
      }
    }
    let wait = waits.max() ?? 0
    guard wait == 0 else {
      refusals[kind, default: 0] += 1
      return Int((wait + 999_999_999) / 1_000_000_000)
    }
    if scopes.contains(.total) { totals[kind.rawValue].take(tokens, at: now, totalRate) }
    guard scopes.contains(.sender) else { return nil }
    bucket.take(tokens, at: now, rate)
    buckets[key] = bucket
    return nil
  }

  mutating func wait(
    _ kind: RequestKind, from address: PeerAddress?, at now: Int64
  ) -> Int? {
    startGeneration(at: now, refill: limits.refillNanoseconds)
    let key = key(kind, .network(address?.network))
    let bucket = buckets[key] ?? olderBuckets[key] ?? TokenBucket()
    let wait = bucket.wait(at: now, limits[kind])
    guard wait > 0 else { return nil }
    refusals[kind, default: 0] += 1
    return Int((wait + 999_999_999) / 1_000_000_000)
  }

  mutating func charge(
    _ kind: RequestKind, to address: PeerAddress?, at now: Int64
  ) {
    startGeneration(at: now, refill: limits.refillNanoseconds)
    let key = key(kind, .network(address?.network))
    var bucket = buckets[key] ?? olderBuckets[key] ?? TokenBucket()
    bucket.take(at: now, limits[kind])
    buckets[key] = bucket
  }

  private mutating func startGeneration(at now: Int64, refill: Int64) {
    guard generationStart == .min || now - generationStart >= refill else { return }
    olderBuckets = generationStart != .min && now - generationStart < 2 * refill ? buckets : [:]
    buckets = [:]
    generationStart = now
  }

  private func key(_ kind: RequestKind, _ sender: Sender) -> Key {
    let key = Key(kind: kind, sender: sender)
    if case .key = sender { return key }
    if buckets[key] != nil || olderBuckets[key] != nil || bucketCount < limits.bucketsMax {
      return key
    }
    return Key(kind: kind, sender: .network(nil))
  }
}
