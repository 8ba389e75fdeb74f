import CSQLite
import Foundation

/// The file of a store: its name, and read-only access of the tools to it, also while a server uses
/// it.
enum SQLiteStoreFile {
  /// Follows symbolic links. A name under which the file is served must be its only one, because
  /// the lock and the journal are files beside it.
  ///
  /// - Throws: ``StoreProblem`` for a file with several hard links, and for a symbolic link to
  ///   nothing.
  static func onlyName(of path: String) throws(StoreProblem) -> String {
    var status = stat()
    guard lstat(path, &status) == 0 else { return path }
    guard let resolved = realpath(path, nil), stat(resolved, &status) == 0 else {
      throw StoreProblem(
        "\(path) is a symbolic link to a file that is not there: remove it, or give --store the "
          + "file itself")
    }
    defer { free(resolved) }
    guard status.st_mode & S_IFMT != S_IFREG || status.st_nlink == 1 else {
      throw StoreProblem(
        "\(path) has another name (a hard link), under which a second server could not be noticed: "
          + "remove one of the two, and start pickerd again")
    }
    return String(cString: resolved)
  }

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
