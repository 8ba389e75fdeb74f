/// The tables of pickerd that a database has.
///
/// The number of a schema is `version` in the table `store`. Builds from before the first release
/// have no such column: their numbers mean nothing here.
enum FoundSchema: Equatable {
  case none
  /// A table of another program that has the name of pickerd's.
  case foreign
  /// Those of a build from before the first release.
  case unreleased
  case version(Int)

  /// - Parameters:
  ///   - columns: The names of the columns of the table `store`; none if there is no such table.
  ///   - own: A column that tables of other programs with this name and a `version` do not have.
  ///   - version: Reads the column `version`.
  init<Problem>(
    _ columns: [String], own: String, version: () throws(Problem) -> Int?
  ) throws(Problem) {
    if columns.isEmpty {
      self = .none
    } else if columns.contains("version"), columns.contains(own) {
      self = .version(try version() ?? 0)
    } else {
      self = columns.contains("batch") || columns.contains("schema") ? .unreleased : .foreign
    }
  }

  /// Why a program whose newest schema is `newest` cannot use the database; `nil` if it can, or if
  /// the database has no tables of pickerd.
  func problem(of location: String, newest: Int) -> StoreProblem? {
    switch self {
    case .foreign:
      StoreProblem(
        "\(location) is a database of another program. Give --store one of pickerd's own")
    case .version(let version) where version < 1:
      StoreProblem(
        "\(location) is damaged (its schema has no valid number): restore a backup, or begin with "
          + "a new store")
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
