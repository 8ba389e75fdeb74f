/// The settings of an inventory, a part of a shared definition.
///
/// - Source: web/guide/holds.md.
package struct InventorySettings: Hashable, Sendable {
  /// Units of each key that is not in ``keys``, 0 … 1,000,000.
  package var capacity: Int
  /// Units of single keys, at most 10,000 keys.
  package var keys: [String: Int] = [:]
  /// How many units one session takes of each of its keys, 1 … 1,000.
  package var units = 1...1
  /// Up to this many free units the members see how many, 0 … 1,000.
  package var few = 0
  /// 5 … 86,400, or 0: nobody can hold.
  package var holdSeconds = 300
  /// The longest time from a hold's beginning to its end; `nil`: six times ``holdSeconds``.
  package var longestHoldSeconds: Int?
  /// Units times keys that one holder may hold, be offered or wait for at once in all sessions,
  /// 1 … 100,000; `nil`: any number.
  package var perHolder: Int?
  /// Whether sessions can wait.
  package var isWaiting = false
  /// 5 … 604,800.
  package var offerSeconds = 900

  package init(capacity: Int) { self.capacity = capacity }

  package func capacity(of key: String) -> Int { keys[key] ?? capacity }
}
