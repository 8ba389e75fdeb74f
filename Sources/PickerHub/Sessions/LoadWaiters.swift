/// The requests that wait for a session to be loaded, in order.
final class LoadWaiters {
  var all: [LoadWaiter]

  init(_ first: LoadWaiter) { all = [first] }
}
