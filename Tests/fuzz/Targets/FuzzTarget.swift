/// A part of the core that takes bytes from outside, and what must hold whatever they are.
///
/// libFuzzer calls a target with bytes of its own making (Tests/fuzz/Run), FuzzTests with the
/// committed corpus.
package enum FuzzTarget: String, CaseIterable, Sendable {
  /// The bytes are a WebSocket message and a request body.
  case messages
  /// The bytes are a definition, as JSON.
  case definitions
  /// The bytes are what happens to a hub, one event after the other.
  case events

  /// - Throws: ``FuzzFailure`` if something is not true that always must be.
  package func run(_ input: [UInt8]) throws(FuzzFailure) {
    switch self {
    case .messages: try MessagesTarget.run(input)
    case .definitions: try DefinitionsTarget.run(input)
    case .events: try EventsTarget.run(input)
    }
  }

  /// Whether an input of ``definitions`` is a definition that makes a picker.
  package static func makesPicker(_ input: [UInt8]) -> Bool {
    DefinitionsTarget.makesPicker(input)
  }

  /// How many revisions and frames an input of ``events`` makes.
  package static func effect(ofEvents input: [UInt8]) -> (revisions: Int, frames: Int) {
    EventsTarget.effect(of: input)
  }
}

/// A sentence that always must be true and is not.
package struct FuzzFailure: Error, CustomStringConvertible {
  package let description: String

  init(_ sentence: String) { description = sentence }
}

/// Throws unless `holds`.
func require(_ holds: Bool, _ sentence: @autoclosure () -> String) throws(FuzzFailure) {
  if !holds { throw FuzzFailure(sentence()) }
}
