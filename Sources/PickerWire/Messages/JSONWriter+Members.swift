import JSONText
import PickerModel
import PickerSession

extension JSONWriter {
  /// `{"id","name","role","color","online","subject"?,"info"?}`.
  mutating func member(_ member: Member, isOnline: Bool) {
    literal("{\"id\":", member.id.text)
    literal(",\"name\":", member.name)
    literal(",\"role\":", member.role.rawValue)
    literal(",\"color\":\"")
    raw(member.color)
    literal("\",\"online\":", isOnline)
    if let subject = member.subject { literal(",\"subject\":", subject) }
    if let info = member.info {
      literal(",\"info\":")
      raw(info)
    }
    literal("}")
  }

  /// An array of all members in the order of joining.
  mutating func members(of session: Session) {
    members(of: session.fold, isOnline: session.isOnline)
  }

  mutating func members(of fold: SessionFold, isOnline: (MemberID) -> Bool) {
    literal("[")
    for (index, member) in fold.membersInOrder.enumerated() {
      if index > 0 { literal(",") }
      self.member(member, isOnline: isOnline(member.id))
    }
    literal("]")
  }

  /// `{"member","column","row"}`, `{"member","date"}` or `{"member"}`, with `"hover":true` for a
  /// pointer.
  mutating func touching(_ member: MemberID, _ touch: Touch) {
    literal("{\"member\":", member.text)
    switch touch {
    case .row(let column, let row, let isHover):
      literal(",\"column\":", column)
      literal(",\"row\":", row)
      if isHover { literal(",\"hover\":true") }
    case .date(let date, let isHover):
      literal(",\"date\":", date.iso)
      if isHover { literal(",\"hover\":true") }
    case .lifted: break
    }
    literal("}")
  }
}
