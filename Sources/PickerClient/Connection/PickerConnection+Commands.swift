/// A function for each command.
///
/// Each suspends until the server has answered, returns the revision at which the command is done,
/// and throws ``PickerFailure`` if it is not:
///
/// ```swift
/// do throws(PickerFailure) {
///   try await picker.select(key: "07", column: 1)
///   try await picker.confirm()
/// } catch {
///   print(error)
/// }
/// ```
extension PickerConnection {
  /// Selects a row by its index in the current ``state``.
  ///
  /// - Throws: ``PickerFailure/unknownRow`` if there is no such column or row.
  @discardableResult
  public func select(row: Int, column: Int) async throws(PickerFailure) -> Int {
    guard let command = state.selecting(row: row, column: column) else { throw .unknownRow }
    return try await perform(command)
  }

  /// Selects the row with a key, if this client has loaded that row. See ``rows(_:of:)``.
  ///
  /// - Throws: ``PickerFailure/unknownRow`` if there is no such column, or no loaded row has the
  ///   key.
  @discardableResult
  public func select(key: String, column: Int) async throws(PickerFailure) -> Int {
    guard let command = state.selecting(key: key, column: column) else { throw .unknownRow }
    return try await perform(command)
  }

  /// Taps a day of a calendar: the first tap begins a range, the second ends it.
  @discardableResult
  public func tap(_ day: PickerDay) async throws(PickerFailure) -> Int {
    try await perform(.tap(day))
  }

  /// Marks cells of an `availability`, or with `nil` removes this member's marks from them.
  ///
  /// - Throws: The failure of the first command that failed; the later ones are not sent.
  public func mark(
    _ cells: some Sequence<Int>, as grade: PickerGrade?
  ) async throws(PickerFailure) {
    for command in state.marking(cells, as: grade) { try await perform(command) }
  }

  /// Clears the range of a calendar, or all marks of this member.
  @discardableResult
  public func clear() async throws(PickerFailure) -> Int { try await perform(.clear) }

  /// Reverts the last select, tap or clear, also one of another member.
  @discardableResult
  public func undo() async throws(PickerFailure) -> Int { try await perform(.undo) }

  /// Reapplies the change that was undone last.
  @discardableResult
  public func redo() async throws(PickerFailure) -> Int { try await perform(.redo) }

  /// Confirms the current result, after which the picker cannot be changed. Owners only.
  @discardableResult
  public func confirm() async throws(PickerFailure) -> Int { try await perform(.confirm) }

  /// Confirms the window of an `availability` that begins at a cell. Owners only.
  ///
  /// - Throws: ``PickerFailure/unknownRow`` for other kinds.
  @discardableResult
  public func confirm(cell: Int) async throws(PickerFailure) -> Int {
    guard let command = state.confirming(cell: cell) else { throw .unknownRow }
    return try await perform(command)
  }

  /// Cancels the session, after which the picker cannot be changed. Owners only.
  @discardableResult
  public func cancel() async throws(PickerFailure) -> Int { try await perform(.cancel) }

  /// Changes this member's own name, in every role and status.
  ///
  /// A member whose token has a name is refused with ``RefusalCode/notAllowed``.
  ///
  /// - Parameter name: 1 … 64 characters.
  /// - Throws: ``PickerFailure/badName`` for other names.
  @discardableResult
  public func rename(_ name: String) async throws(PickerFailure) -> Int {
    try await perform(.rename(name))
  }

  /// Reopens a session that was confirmed or cancelled. Owners only, and only the host if
  /// ``PickerState/isReopenedByHost``.
  @discardableResult
  public func reopen() async throws(PickerFailure) -> Int { try await perform(.reopen) }
}
