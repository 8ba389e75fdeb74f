import CSQLite
import Foundation

/// Read-only access of the tools to a store, which a server may be using.
enum SQLiteStoreFile {
  /// Opens a store for reading. Each transaction sees the state of its beginning.
  ///
  /// - Throws: ``StoreProblem`` for a file that is missing, not a store, damaged, or of a pickerd
  ///   with another schema.
  static func openForReading(_ path: String) throws(StoreProblem) -> SQLiteConnection {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw StoreProblem("there is no file \(path)")
    }
    if isFolder.boolValue { throw StoreProblem("\(path) is a folder, not a store file") }
    do {
      let store = try SQLiteConnection(path, isReadOnly: true)
      let found = try SQLiteSchema.found(store)
      if found == .none || found == .foreign {
        throw StoreProblem("\(path) is not a pickerd store")
      }
      if let problem = found.problem(of: path, newest: SQLiteSchema.steps.count) { throw problem }
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
