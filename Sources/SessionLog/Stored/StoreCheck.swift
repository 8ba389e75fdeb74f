import Foundation

/// What can be said of a store before a server uses it. Nothing is changed, and a server may be
/// using it.
package enum StoreCheck {
  /// Why this pickerd cannot use a file; `nil` also for a file that is not there, or
  /// cannot be read.
  package static func problem(ofFile path: String) -> StoreProblem? {
    do throws(StoreProblem) { _ = try SQLiteStoreFile.onlyName(of: path) } catch { return error }
    guard FileManager.default.fileExists(atPath: path),
      let store = try? SQLiteConnection(path, isReadOnly: true)
    else { return nil }
    return (try? SQLSchema.problem(store, of: path)) ?? nil
  }

  /// Why this pickerd cannot use the tables of a database; `nil` also for one that cannot be
  /// reached.
  package static func problem(of address: PostgresAddress) -> StoreProblem? {
    guard let store = try? PostgresConnection(address.forReading, name: "pickerd check") else {
      return nil
    }
    return (try? SQLSchema.problem(store, of: address.description)) ?? nil
  }
}
