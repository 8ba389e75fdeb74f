/// The commands, a function each. All wait for the server's answer and return the revision at which
/// it is done; what they throw says why it is not.
extension PickerConnection {
  /// Selects a row as ``state`` shows it now.
  @discardableResult
  public func select(row: Int, column: Int) async throws(PickerFailure) -> Int {
    guard let command = state.selecting(row: row, column: column) else { throw .unknownRow }
    return try await perform(command)
  }

  /// Selects the row with a key, among the rows that are known here.
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

  /// Takes the range away.
  @discardableResult
  public func clear() async throws(PickerFailure) -> Int { try await perform(.clear) }

  /// Takes back what was done last, by whomever.
  @discardableResult
  public func undo() async throws(PickerFailure) -> Int { try await perform(.undo) }

  @discardableResult
  public func redo() async throws(PickerFailure) -> Int { try await perform(.redo) }

  /// Ends the session with what is picked; for owners.
  @discardableResult
  public func confirm() async throws(PickerFailure) -> Int { try await perform(.confirm) }

  /// Ends the session without a result; for owners.
  @discardableResult
  public func cancel() async throws(PickerFailure) -> Int { try await perform(.cancel) }

  /// Opens a session again that was confirmed or cancelled; for owners.
  @discardableResult
  public func reopen() async throws(PickerFailure) -> Int { try await perform(.reopen) }
}
