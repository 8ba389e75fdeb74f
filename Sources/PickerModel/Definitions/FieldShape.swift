import JSONText

/// The field names that a value of a definition may have, at every level.
///
/// Only names are checked, so that a misspelt optional field is an error instead of being ignored.
/// Types and values are checked where the fields are read.
indirect enum FieldShape: Sendable {
  /// Anything; not searched.
  case value
  /// An object with these fields at most.
  case fields([String: FieldShape])
  /// An array of such elements.
  case each(FieldShape)
  /// An object whose member names the host chooses, such as ids or dates.
  case eachMember(FieldShape)
  /// A node of a tree, whose `children` are nodes.
  case node

  private var resolved: FieldShape {
    if case .node = self { FieldShape.nodeFields } else { self }
  }

  private static let nodeFields = FieldShape.fields([
    "text": .value, "key": .value, "terms": .value, "children": .each(.node),
  ])

  /// Finds the first unknown field: outer objects before inner ones, then in document order.
  ///
  /// A value of the wrong type is skipped; its reader reports it.
  func unknownField(in tree: JSONTree) -> DefinitionProblem? {
    var level = [Visit(shape: self, tree: tree, above: nil)]
    while !level.isEmpty {
      var next: [Visit] = []
      for visit in level {
        switch (visit.shape.resolved, visit.tree) {
        case (.fields(let known), .object(let members)):
          for member in members {
            guard let shape = known[member.key] else {
              return visit.problem(at: member.key, known: known.keys.sorted())
            }
            // Most fields of a row.
            if case .value = shape { continue }
            next.append(visit.below(shape, member.value, .field(member.key)))
          }
        case (.each(let shape), .array(let elements)):
          for (index, element) in elements.enumerated() {
            next.append(visit.below(shape, element, .element(index)))
          }
        case (.eachMember(let shape), .object(let members)):
          for member in members {
            next.append(visit.below(shape, member.value, .field(member.key)))
          }
        case (.fields, _), (.each, _), (.eachMember, _), (.value, _), (.node, _): break
        }
      }
      level = next
    }
    return nil
  }

  /// Where the search has come to; the way back makes the pointer.
  private final class Visit {
    enum Step { case field(String), element(Int) }

    let shape: FieldShape
    let tree: JSONTree
    private let above: (visit: Visit, step: Step)?

    init(shape: FieldShape, tree: JSONTree, above: (visit: Visit, step: Step)?) {
      self.shape = shape
      self.tree = tree
      self.above = above
    }

    func below(_ shape: FieldShape, _ tree: JSONTree, _ step: Step) -> Visit {
      Visit(shape: shape, tree: tree, above: (self, step))
    }

    func problem(at field: String, known: [String]) -> DefinitionProblem {
      let detail = "unknown field; known here are \(known.joined(separator: ", "))"
      var problem = DefinitionProblem(detail).under(field)
      var visit = self
      while let (above, step) = visit.above {
        switch step {
        case .field(let name): problem = problem.under(name)
        case .element(let index): problem = problem.under(index)
        }
        visit = above
      }
      return problem
    }
  }
}
