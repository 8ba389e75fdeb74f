import JSONText

/// Which fields an object of a definition may have, and the objects inside them.
indirect enum FieldShape: Sendable {
  case value
  case fields([String: FieldShape])
  case each(FieldShape)
  /// An object with names of the host's.
  case eachMember(FieldShape)
  /// A node of a tree, with nodes as its children.
  case node

  private var resolved: FieldShape {
    guard case .node = self else { return self }
    return .fields(["text": .value, "key": .value, "children": .each(.node)])
  }

  /// Finds the first field that nothing here knows: outer before inner, then in document order.
  ///
  /// What is ill-typed is passed over; whoever reads it says so.
  func unknownField(in tree: JSONTree) -> DefinitionProblem? {
    var level = [Place(shape: self, tree: tree, above: nil)]
    while !level.isEmpty {
      var next: [Place] = []
      for place in level {
        switch (place.shape.resolved, place.tree) {
        case (.fields(let known), .object(let members)):
          if let stranger = members.first(where: { known[$0.key] == nil }) {
            return place.problem(at: stranger.key, known: known.keys.sorted())
          }
          for member in members {
            next.append(place.below(known[member.key]!, member.value, .field(member.key)))
          }
        case (.each(let shape), .array(let elements)):
          for (index, element) in elements.enumerated() {
            next.append(place.below(shape, element, .element(index)))
          }
        case (.eachMember(let shape), .object(let members)):
          for member in members {
            next.append(place.below(shape, member.value, .field(member.key)))
          }
        case (.fields, _), (.each, _), (.eachMember, _), (.value, _), (.node, _): break
        }
      }
      level = next
    }
    return nil
  }

  /// Where the search has come to; the way back makes the pointer.
  private final class Place {
    enum Step { case field(String), element(Int) }

    let shape: FieldShape
    let tree: JSONTree
    private let above: (place: Place, step: Step)?

    init(shape: FieldShape, tree: JSONTree, above: (place: Place, step: Step)?) {
      self.shape = shape
      self.tree = tree
      self.above = above
    }

    func below(_ shape: FieldShape, _ tree: JSONTree, _ step: Step) -> Place {
      Place(shape: shape, tree: tree, above: (self, step))
    }

    func problem(at field: String, known: [String]) -> DefinitionProblem {
      let detail = "unknown field; known here are \(known.joined(separator: ", "))"
      var problem = DefinitionProblem(detail).under(field)
      var place = self
      while let (above, step) = place.above {
        switch step {
        case .field(let name): problem = problem.under(name)
        case .element(let index): problem = problem.under(index)
        }
        place = above
      }
      return problem
    }
  }
}
