import JSONText
package import PickerModel
package import PickerSession

/// Presence updates, encoded once in parts from which the copy of each member is assembled.
///
/// A member's copy leaves out the parts about that member, except a change of its role.
package struct EncodedPresence {
  private struct Part {
    let member: MemberID
    let bytes: [UInt8]
  }

  private let lists: [(name: String, parts: [Part])]
  /// The members whose role changed, each for its own copy.
  private let ownRoles: [Part]
  private let mentioned: Set<MemberID>

  /// Encodes updates with the current state of the members that they mention.
  package init(_ updates: PresenceUpdates, in session: Session) {
    func write(_ member: MemberID, _ body: (inout JSONWriter) -> Void) -> Part {
      var writer = JSONWriter(capacity: 128)
      body(&writer)
      return Part(member: member, bytes: writer.bytes)
    }
    func parts(of members: [MemberID]) -> [Part] {
      members.compactMap { session.fold.members[$0] }.map { member in
        write(member.id) { $0.member(member, isOnline: session.isOnline(member.id)) }
      }
    }
    lists = [
      ("joined", parts(of: updates.joined)), ("changed", parts(of: updates.changed)),
      ("left", updates.left.map { member in write(member) { $0.string(member.text) } }),
      (
        "touching",
        updates.touching.map { touching in
          write(touching.member) { $0.touching(touching.member, touching.touch) }
        }
      ),
    ]
    ownRoles = parts(of: updates.roleChanged)
    mentioned = Set(lists.flatMap { $0.parts.map(\.member) })
  }

  /// Whether any part is about `member`, so that it needs its own copy.
  package func mentions(_ member: MemberID) -> Bool { mentioned.contains(member) }

  /// The copy for `member`, or, with `nil`, for all members that are not mentioned; `nil` if the
  /// copy is empty.
  package func frame(for member: MemberID? = nil) -> Frame? {
    var writer = JSONWriter(capacity: 1024)
    writer.literal("{\"type\":\"presence\"")
    var isEmpty = true
    for (name, parts) in lists {
      var isFirst = true
      let own = name == "changed" ? ownRoles.filter { $0.member == member } : []
      for part in parts.filter({ $0.member != member }) + own {
        if isFirst {
          writer.literal(",\"")
          writer.raw(name)
          writer.literal("\":[")
        } else {
          writer.literal(",")
        }
        isFirst = false
        writer.raw(part.bytes)
      }
      if !isFirst {
        writer.literal("]")
        isEmpty = false
      }
    }
    writer.literal("}")
    return isEmpty ? nil : Frame(writer, .presence)
  }
}
