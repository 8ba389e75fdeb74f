import CivilTime
import JSONText
import PickerModel
import PickerSession

/// A value with a stored JSON.
protocol Stored: SendableMetatype {
  var tree: JSONTree { get }
  /// Reads what ``tree`` wrote; `nil` for anything else.
  init?(tree: JSONTree)
  /// The value of a field that is missing; `nil` if it must be there.
  static var absent: Self? { get }
}

extension Stored { static var absent: Self? { nil } }

/// A member of the stored JSON of `Root`.
struct StoredField<Root, Value: Stored & Equatable>: Sendable {
  let name: String
  let value: @Sendable (Root) -> Value

  init(_ name: String, _ value: @escaping @Sendable (Root) -> Value) {
    (self.name, self.value) = (name, value)
  }

  fileprivate func add(of root: Root, to members: inout [JSONTree.Member]) {
    let value = value(root)
    if value != Value.absent { members.append(.init(name, value.tree)) }
  }

  fileprivate func read(_ tree: JSONTree) throws(UnreadableField) -> Value {
    guard let value = tree[name].map(Value.init(tree:)) ?? Value.absent else {
      throw UnreadableField()
    }
    return value
  }
}

private struct UnreadableField: Error {}

/// The table of the fields of a type, which is read in both directions: one for the writer and the
/// reader.
struct StoredFields<Root>: Sendable {
  let members: @Sendable (Root) -> [JSONTree.Member]
  private let make: @Sendable (JSONTree, Root?) -> Root?

  /// - Parameter value: Has what the table does not have, if it does not make values itself.
  /// - Returns: `nil` if a field is missing or has another form.
  func read(_ tree: JSONTree, into value: Root? = nil) -> Root? {
    tree.members == nil ? nil : make(tree, value)
  }

  /// - Parameter make: Makes the value of its fields, in their order; `nil` if they do not fit
  ///   together.
  init<each Value: Stored & Equatable>(
    _ field: repeat StoredField<Root, each Value>,
    make: @escaping @Sendable (repeat each Value) -> Root?
  ) {
    members = { root in
      var members: [JSONTree.Member] = []
      repeat (each field).add(of: root, to: &members)
      return members
    }
    self.make = { tree, _ in
      do {
        return make(repeat try (each field).read(tree))
      } catch {
        return nil
      }
    }
  }
}

extension StoredFields {
  typealias Path<Value> = any WritableKeyPath<Root, Value> & Sendable

  /// The table of a type whose values are changed field by field.
  init<each Value: Stored & Equatable>(_ field: repeat (String, Path<each Value>)) {
    members = { root in
      var members: [JSONTree.Member] = []
      repeat StoredFields.field(each field).add(of: root, to: &members)
      return members
    }
    make = { tree, value in
      guard var root = value else { return nil }
      do {
        repeat try StoredFields.read(each field, of: tree, into: &root)
      } catch {
        return nil
      }
      return root
    }
  }

  private static func field<Value: Stored & Equatable>(
    _ field: (String, Path<Value>)
  ) -> StoredField<Root, Value> {
    let path = field.1
    return StoredField(field.0) { root in root[keyPath: path] }
  }

  private static func read<Value: Stored & Equatable>(
    _ field: (String, Path<Value>), of tree: JSONTree, into root: inout Root
  ) throws(UnreadableField) {
    root[keyPath: field.1] = try self.field(field).read(tree)
  }
}

/// A type that is stored as an object with the members of a table.
protocol StoredObject: Stored {
  static var fields: StoredFields<Self> { get }
}

extension StoredObject {
  var tree: JSONTree { .object(Self.fields.members(self)) }

  init?(tree: JSONTree) {
    guard let value = Self.fields.read(tree) else { return nil }
    self = value
  }
}

extension JSONTree: Stored {
  var tree: JSONTree { self }
  init?(tree: JSONTree) { self = tree }
}

extension Int: Stored {
  var tree: JSONTree { .integer(self) }

  init?(tree: JSONTree) {
    guard let value = tree.integer else { return nil }
    self = value
  }
}

extension Bool: Stored {
  static let absent: Bool? = false
  var tree: JSONTree { .bool(self) }

  init?(tree: JSONTree) {
    guard let value = tree.bool else { return nil }
    self = value
  }
}

extension String: Stored {
  var tree: JSONTree { .string(self) }

  init?(tree: JSONTree) {
    guard let value = tree.string else { return nil }
    self = value
  }
}

extension Int64: Stored {
  var tree: JSONTree { .integer(Int(self)) }

  init?(tree: JSONTree) {
    guard let value = tree.integer else { return nil }
    self.init(value)
  }
}

/// Milliseconds since 1970.
extension Instant: Stored {
  var tree: JSONTree { .integer(Int(milliseconds)) }

  init?(tree: JSONTree) {
    guard let value = tree.integer.flatMap(Instant.init(stored:)) else { return nil }
    self = value
  }
}

extension MemberID: Stored {
  var tree: JSONTree { .string(text) }

  init?(tree: JSONTree) {
    guard let text = tree.string else { return nil }
    self.init(text)
  }
}

/// A string of hexadecimal digits.
extension SecretHash: Stored {
  var tree: JSONTree { .string(Hexadecimal.encode(bytes)) }

  init?(tree: JSONTree) {
    guard let bytes = tree.string.flatMap(Hexadecimal.decode) else { return nil }
    self.init(bytes)
  }
}

/// A string, because it is stored as it was written.
extension VerbatimJSON: Stored {
  var tree: JSONTree { .string(text) }

  init?(tree: JSONTree) {
    guard let text = tree.string else { return nil }
    self.init(stored: text)
  }
}

extension Stored where Self: RawRepresentable<String> {
  var tree: JSONTree { .string(rawValue) }

  init?(tree: JSONTree) {
    guard let value = tree.string.flatMap(Self.init(rawValue:)) else { return nil }
    self = value
  }
}

extension Role: Stored {}
extension SessionStatus: Stored {}

extension Optional: Stored where Wrapped: Stored {
  static var absent: Wrapped?? { .some(nil) }
  var tree: JSONTree { self?.tree ?? .null }

  init?(tree: JSONTree) {
    guard let value = Wrapped(tree: tree) else { return nil }
    self = value
  }
}

extension Array: Stored where Element: Stored {
  static var absent: [Element]? { [] }
  var tree: JSONTree { .array(map(\.tree)) }

  init?(tree: JSONTree) {
    guard let trees = tree.array else { return nil }
    self = trees.compactMap(Element.init(tree:))
    if count != trees.count { return nil }
  }
}
