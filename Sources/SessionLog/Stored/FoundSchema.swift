/// The tables of pickerd that a database has.
///
/// The number of a schema is `version` in the table `store`. Builds from before the first release
/// have no such column: their numbers mean nothing here.
enum FoundSchema: Equatable {
  case none
  /// Those of a build from before the first release.
  case unreleased
  case version(Int)

  /// - Parameters:
  ///   - columns: The names of the columns of the table `store`; none if there is no such table.
  ///   - version: Reads the column `version`.
  init<Problem>(_ columns: [String], version: () throws(Problem) -> Int?) throws(Problem) {
    if columns.contains("version") {
      self = .version(try version() ?? 0)
    } else {
      self = columns.contains("batch") || columns.contains("schema") ? .unreleased : .none
    }
  }

  /// Why a program whose newest schema is `newest` cannot use the database; `nil` if it can, or if
  /// the database has no tables of pickerd.
  func problem(of location: String, newest: Int) -> StoreProblem? {
    switch self {
    case .version(let version) where version > newest:
      StoreProblem(
        "\(location) was written by a newer pickerd (schema \(version); this one knows schema "
          + "\(newest)): use that version, or another store")
    case .unreleased:
      StoreProblem(
        "\(location) was written by a build from before the first release, which no release can "
          + "read: begin with a new store, or use this one with the build that wrote it")
    case .none, .version: nil
    }
  }
}
