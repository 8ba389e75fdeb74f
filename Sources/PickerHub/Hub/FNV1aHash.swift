/// The hash FNV-1a of 64 bits: fast, the same in every process, and not cryptographic.
///
/// - Source: draft-eastlake-fnv.
package struct FNV1aHash: Hashable, Sendable {
  package private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  package init() {}

  package mutating func add(_ bytes: [UInt8]) {
    for byte in bytes { combine(UInt64(byte)) }
  }

  package mutating func add(_ text: String) {
    for byte in text.utf8 { combine(UInt64(byte)) }
  }

  /// Adds a number that need not be a byte, such as a separator of 256.
  package mutating func combine(_ number: UInt64) {
    value = (value ^ number) &* 0x0000_0100_0000_01b3
  }
}
