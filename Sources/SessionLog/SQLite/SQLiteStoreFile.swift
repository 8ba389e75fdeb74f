import CSQLite
import Foundation

/// Read-only access of the tools to a store, which a server may be using.
enum SQLiteStoreFile {
  /// Opens a store for reading. Each transaction sees the state of its beginning.
  ///
  /// - Throws: ``StoreProblem`` for a file that is missing, not a store, damaged, or of a newer
  ///   version.
  static func openForReading(_ path: String) throws(StoreProblem) -> SQLiteConnection {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw StoreProblem("there is no file \(path)")
    }
    if isFolder.boolValue { throw StoreProblem("\(path) is a folder, not a store file") }
    do {
      let store = try SQLiteConnection(path, isReadOnly: true)
      guard try SQLSchema.version(store, of: path) > 0 else {
        throw StoreProblem("\(path) is not a pickerd store")
      }
      try SQLSchema.check(store, of: path)
      return store
    } catch let problem as StoreProblem {
      throw problem
    } catch let error as SQLiteError where error.code == SQLITE_NOTADB {
      throw StoreProblem("\(path) is not a pickerd store: \(error)")
    } catch {
      throw StoreProblem("cannot read \(path): \(error)")
    }
  }
}
