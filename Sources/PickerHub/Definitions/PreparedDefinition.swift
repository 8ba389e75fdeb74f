import PickerModel

/// A definition made by a ``DefinitionMaker``, or the problem of its document.
package struct PreparedDefinition: Sendable {
  /// The digest of its document.
  let digest: [UInt8]
  let made: Result<Definition, DefinitionProblem>
}
