package import JSONText
package import PickerModel

/// The maximum nesting of a body. It exceeds that of any valid tree.
package let bodyDepthMax = 128

/// The maximum length of a string in a body, in bytes with escapes. All valid strings are much
/// shorter.
private let bodyStringBytesMax = 65_536

/// Parses a body that must be an object without other fields than `fields`.
///
/// - Parameter valuesMax: The maximum number of JSON values; parsing stops when it is exceeded.
package func parseBody(
  _ body: [UInt8], fields: [String], valuesMax: Int = .max
) throws(BadMessage) -> JSONTree {
  let tree: JSONTree
  do throws(JSONError) {
    tree = try JSONTree.parse(
      body, depthMax: bodyDepthMax, valuesMax: valuesMax, stringBytesMax: bodyStringBytesMax)
  } catch {
    if fields.contains("definition"),
      let problem = DefinitionProblem(error, in: ["definition"])
    {
      throw BadMessage(problem)
    }
    throw BadMessage(error.bodyProblem)
  }
  guard let members = tree.members else { throw BadMessage("the body must be a JSON object") }
  if let unknown = members.first(where: { !fields.contains($0.key) }) {
    throw BadMessage(unknownField: unknown.key, fields)
  }
  return tree
}

extension BadMessage {
  init(unknownField name: String, _ fields: [String]) {
    self.init(
      "the field \(name.quoted) is unknown; the fields are \(fields.joined(separator: ", "))",
      pointer: JSONPointer.reference(to: name))
  }
}
