import JSONText
import PickerWire

/// Decodes a message as a WebSocket message and as a request body.
enum MessagesTarget {
  static func run(_ input: [UInt8]) throws(FuzzFailure) {
    _ = try? CreateRequest(input)
    _ = try? MemberRequest(input)
    let request = try? CommandRequest(input)
    // The transport validates UTF-8 before it delivers a text message.
    guard String(validating: input, as: UTF8.self) != nil else {
      return try require(request == nil, "a body of invalid UTF-8 is refused")
    }
    let message = try? ClientMessage.decode(input.span)
    let tree = try? JSONTree.parse(input)
    // A message may have an unknown field twice, which a tree may not.
    try require(message == nil || tree == nil || tree?.members != nil, "a message is an object")
    // A command of the host needs no ref.
    guard let request, request.member != nil else { return }
    guard case .command(let ref, let command, let precondition) = message else {
      throw FuzzFailure("a posted command is a command on a WebSocket, too")
    }
    try require(
      ref == request.ref && command == request.command && precondition == request.precondition,
      "both forms are the same command")
  }
}
