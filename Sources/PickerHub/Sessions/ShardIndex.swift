import PickerSession

/// The index that the hubs of a server share; each call locks it.
package protocol ShardIndex: AnyObject {
  func use<Answer: Sendable>(_ body: (inout SessionIndex) -> Answer) -> Answer
}

/// The index of a hub that is alone.
final class OwnIndex: ShardIndex {
  private var index = SessionIndex()

  func use<Answer: Sendable>(_ body: (inout SessionIndex) -> Answer) -> Answer { body(&index) }
}
