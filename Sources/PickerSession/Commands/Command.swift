package import PickerModel

/// A member's command. Its ref (command number) makes repeats idempotent.
///
/// - Source: web/client/api/asyncapi.json.
package enum Command: Hashable, Sendable {
  case select(Selection)
  case tap(TapTarget)
  case clear
  case undo
  case redo
  case confirm
  /// Confirms the window of an `availability` that starts at a cell.
  case confirmWindow(cell: Int, generation: Int)
  case cancel
  case reopen
  /// Marks cells of an `availability`, or removes marks.
  indirect case mark(CellMark)
  /// Marks cells of a member as its calendar says. Of the host.
  indirect case importMarks(MarkImport)
  /// The member's name from now on. It makes no revision.
  case rename(String)
  /// A command with a type that this server does not know. It is refused.
  case unknown(type: String)

  /// A row of a column, and the generation of the rows that the member saw when it selected the
  /// row.
  package struct Selection: Hashable, Sendable {
    package let column: Int
    /// The row's index, used if `generation` is the column's current one.
    package let row: Int
    package let generation: Int
    /// The row's key, used if the column has had other rows since `generation`.
    package let key: String?

    package init(column: Int, row: Int, generation: Int, key: String?) {
      self.column = column
      self.row = row
      self.generation = generation
      self.key = key
    }

    package var withoutKey: Selection {
      Selection(column: column, row: row, generation: generation, key: nil)
    }
  }

  /// The command without the key of a select.
  var withoutKey: Command {
    if case .select(let selection) = self { .select(selection.withoutKey) } else { self }
  }

  /// The name on the wire.
  package var type: String {
    switch self {
    case .select: "select"
    case .tap: "tap"
    case .clear: "clear"
    case .undo: "undo"
    case .redo: "redo"
    case .confirm, .confirmWindow: "confirm"
    case .cancel: "cancel"
    case .reopen: "reopen"
    case .mark: "mark"
    case .importMarks: "import"
    case .rename: "rename"
    case .unknown(let type): type
    }
  }

  /// The lowest role that may send this command.
  package var roleNeeded: Role {
    switch self {
    case .select, .tap, .clear, .undo, .redo, .mark: .editor
    case .confirm, .confirmWindow, .cancel, .reopen, .importMarks: .owner
    case .rename, .unknown: .viewer
    }
  }

  /// Whether the command applies to pickers of `kind`.
  func fits(_ kind: PickerKind) -> Bool {
    switch self {
    case .select: kind.hasColumns
    case .tap: kind.showsMonths
    case .clear: !kind.hasColumns
    case .mark, .importMarks, .confirmWindow: kind == .availability
    case .undo, .redo: kind != .availability
    case .confirm, .cancel, .reopen, .rename, .unknown: true
    }
  }
}

/// What the author of a command had seen when it gave the command. If the session has moved on, the
/// command is refused with `stale`.
package enum Precondition: Hashable, Sendable {
  /// The newest revision that the author had applied: since then nobody else has changed the value
  /// or the status.
  case at(Int)
  /// The hits of the range, for a tap.
  case hits(Int)
}
