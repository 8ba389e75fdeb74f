extension Hub {
  /// An inventory has changed.
  ///
  /// - Parameters:
  ///   - name: Of the shared definition, with its namespace.
  ///   - number: That of the change.
  package func inventoryChanged(_ name: String, number: Int, at time: HubTime) {
    now = time
  }
}
