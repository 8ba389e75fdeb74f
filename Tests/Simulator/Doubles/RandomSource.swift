/// A random source that returns the same numbers for the same seed on every machine.
///
/// It does not use the standard library's functions for ranges and elements, whose algorithms can
/// change between versions.
/// - Source: Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014.
package struct RandomSource: RandomNumberGenerator, Sendable {
  private var state: UInt64
  /// The first choices.
  private var bytes: ArraySlice<UInt8>
  /// Whether the first choices were given, and have been made.
  private(set) var isExhausted = false

  package init(seed: UInt64, bytes: [UInt8] = []) { (state, self.bytes) = (seed, bytes[...]) }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number in 0 ..< `bound`.
  package mutating func below(_ bound: Int) -> Int {
    guard !bytes.isEmpty else { return Int(next() % UInt64(bound)) }
    var choice = 0
    for _ in 0..<(bound > 65_536 ? 4 : bound > 256 ? 2 : 1) {
      choice = choice << 8 | Int(bytes.popFirst() ?? 0)
    }
    isExhausted = bytes.isEmpty
    return choice % bound
  }

  mutating func within(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + below(range.count)
  }

  /// `true` with the probability 1 / `count`.
  mutating func once(in count: Int) -> Bool { below(count) == 0 }

  mutating func coin() -> Bool { once(in: 2) }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

  /// A number in 0 ..< 1.
  mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// A new source, independent of this one.
  mutating func split() -> RandomSource { RandomSource(seed: next()) }
}
