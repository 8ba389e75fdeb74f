import Foundation
import GRDB

/// Read-only access of the tools to a store, which a server may be using.
enum SQLiteStoreFile {
  /// Opens a store for reading. Each transaction sees the state of its beginning.
  ///
  /// - Throws: ``StoreProblem`` for a file that is missing, not a store, damaged, or of a newer
  ///   version.
  static func openForReading(_ path: String) throws(StoreProblem) -> DatabaseQueue {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw StoreProblem("there is no file \(path)")
    }
    if isFolder.boolValue { throw StoreProblem("\(path) is a folder, not a store file") }
    var configuration = Configuration()
    configuration.label = "pickerd.reading"
    configuration.readonly = true
    configuration.busyMode = .timeout(5)
    do {
      let store = try DatabaseQueue(path: path, configuration: configuration)
      let (isStore, isNewer) = try store.read { database in
        (
          try database.tableExists("store") && database.tableExists("session"),
          try SQLiteSchema.migrator.hasBeenSuperseded(database)
        )
      }
      guard isStore else { throw StoreProblem("\(path) is not a pickerd store") }
      if isNewer {
        throw StoreProblem("\(path) was written by a newer pickerd; use that version")
      }
      return store
    } catch let problem as StoreProblem {
      throw problem
    } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
      throw StoreProblem("\(path) is not a pickerd store: \(error.storeText)")
    } catch {
      throw StoreProblem("cannot read \(path): \(error.storeText)")
    }
  }
}
