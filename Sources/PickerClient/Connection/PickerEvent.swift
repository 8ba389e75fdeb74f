/// An event of a connection, see ``PickerConnection/events``.
///
/// ```swift
/// let events = picker.events
/// let ref = picker.send(.clear)
/// for await event in events {
///   if case .answered(ref: ref, .failure(let failure)) = event { print(failure) }
/// }
/// ```
public enum PickerEvent: Hashable, Sendable {
  /// Something that the app may want to announce to the user.
  case notice(PickerNotice)
  /// The answer to a command of this member: the revision at which it is done, or why it is not.
  case answered(ref: Int, Result<Int, PickerFailure>)
  /// The answer to a search of this member, which ``PickerConnection/find(_:in:limit:)`` returns.
  case found(id: Int, Result<PickerFound, PickerFailure>)
  /// A new state. It follows the notices and answers of the message that caused it.
  case state(PickerState)
}
