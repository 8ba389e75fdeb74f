/// A shape in an object of its own: copying it copies a pointer.
///
/// It stays a value: if it is changed while another copy exists, the object is copied first.
package struct Boxed<Shape> {
  private final class Storage {
    var shape: Shape

    init(_ shape: Shape) { self.shape = shape }
  }

  private var storage: Storage

  init(_ shape: Shape) { storage = Storage(shape) }

  var shape: Shape {
    @inline(__always) _read { yield storage.shape }
    @inline(__always) _modify {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.shape) }
      yield &storage.shape
    }
  }
}

/// `@unchecked`: an object is changed only while there is one reference to it.
extension Boxed: @unchecked Sendable where Shape: Sendable {}

extension Boxed: Equatable where Shape: Equatable {
  package static func == (left: Boxed, right: Boxed) -> Bool {
    left.storage === right.storage || left.shape == right.shape
  }
}

extension Boxed: Hashable where Shape: Hashable {
  package func hash(into hasher: inout Hasher) { hasher.combine(shape) }
}
