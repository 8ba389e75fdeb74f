import PickerModel
import PickerSession

/// What a hub knows of the shared definitions that its sessions in memory follow.
struct SharedFollowing {
  /// What is equal for sessions in one state. It retains their definition.
  struct State: Hashable {
    let version: Int
    let definition: Definition
    let accepted: Int
    let own: OwnPart
  }

  struct OwnPart: Hashable {
    let state: SharedState

    static func == (left: OwnPart, right: OwnPart) -> Bool {
      left.state.own == right.state.own && left.state.ownNotes == right.state.ownNotes
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(state.isPlain)
      if !state.isPlain { hasher.combine(state.own) }
    }
  }

  enum Step {
    case ready(SharedStep)
    /// Another thread makes it; these sessions wait for it.
    case making([HostedSession])
  }

  /// The newest version of each definition that sessions in memory use, as far as it is known, and
  /// of those that have changed while sessions were created or loaded.
  private(set) var newest: [String: SharedDefinition] = [:]
  /// By the state of the sessions.
  private var steps: [State: Step] = [:]
  /// The memory of the definitions that ``steps`` retain, in bytes, an estimate.
  private var stepByteCount = 0
  /// The number of steps, and their memory, at which those that are ready are forgotten: only few
  /// are needed at a time, unless sessions have parts of their own.
  private static let (stepCountMax, stepByteCountMax) = (32, 16_777_216)
  /// Sessions whose definition is being read, to create them.
  var creationCount = 0

  /// Notes a new version.
  ///
  /// - Parameter isNeeded: Whether sessions with a name that is not known are being created or
  ///   loaded, or which names sessions in memory use.
  /// - Returns: Whether it is newer than the known one.
  mutating func note(_ shared: SharedDefinition, isNeeded: (_ name: String) -> Bool) -> Bool {
    guard shared.version > newest[shared.name]?.version ?? 0 else { return false }
    newest[shared.name] = shared
    newest = newest.filter { isNeeded($0.key) }
    forgetSteps()
    return newest[shared.name] != nil
  }

  mutating func forget() {
    newest = [:]
    forgetSteps()
  }

  private mutating func forgetSteps() {
    steps = steps.filter { if case .making = $0.value { true } else { false } }
    stepByteCount = 0
  }

  func step(_ state: State) -> Step? { steps[state] }

  mutating func set(_ step: Step, for state: State) {
    if steps.count >= SharedFollowing.stepCountMax
      || stepByteCount >= SharedFollowing.stepByteCountMax
    {
      forgetSteps()
    }
    steps[state] = step
    if case .ready(let step) = step {
      stepByteCount += state.definition.byteCount + (step.definition?.byteCount ?? 0)
    }
  }
}
