import Foundation
import GRDB

/// A store's file as tools see it: they only read, whoever serves it.
enum SQLiteStoreFile {
  /// Opens a store for reading. What a server writes meanwhile is seen by the next transaction.
  ///
  /// - Throws: ``StoreProblem`` for a file that is not there, no store, damaged, or newer.
  static func openForReading(_ path: String) throws(StoreProblem) -> DatabaseQueue {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw StoreProblem("there is no file \(path)")
    }
    if isFolder.boolValue { throw StoreProblem("\(path) is a folder, not a store's file") }
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
      guard isStore else { throw StoreProblem("\(path) is no store of pickerd") }
      if isNewer {
        throw StoreProblem("\(path) was written by a newer pickerd; use that one's command")
      }
      return store
    } catch let problem as StoreProblem {
      throw problem
    } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
      throw StoreProblem("\(path) is no store of pickerd: \(error.storeText)")
    } catch {
      throw StoreProblem("cannot read \(path): \(error.storeText)")
    }
  }
}
