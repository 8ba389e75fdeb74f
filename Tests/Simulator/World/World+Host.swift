import JSONText
import PickerHost
import PickerHub
import PickerSession

/// The backend of a host that decides on confirmations.
///
/// It stores each decision before it sends it, and sends it again until it has an answer: so it
/// survives crashes of the server at every step.
struct SimulatedHost {
  struct Decision {
    let session: SessionID
    let isGranted: Bool
    var answer: Answer?
  }

  enum Answer {
    /// It counted.
    case done
    /// Something else was first: a grant is undone at the host.
    case late
    /// The session has ended.
    case gone
  }

  /// How long it may take; `nil` in a world whose sessions are confirmed at once.
  let seconds: Int?
  var random: RandomSource
  /// By op.
  var decisions: [String: Decision] = [:]

  init(seed: UInt64) {
    random = RandomSource(seed: seed ^ 0x686f_7374)
    seconds = seed % 3 == 1 ? random.pick([1, 5, 60]) : nil
  }

  /// What a session has answered may be lost.
  mutating func forget(_ session: SessionID) {
    for (op, decision) in decisions where decision.session == session {
      decisions[op]?.answer = .gone
    }
  }

  /// The decisions without an answer, in a fixed order.
  var open: [String] { decisions.filter { $0.value.answer == nil }.keys.sorted() }
}

extension World {
  /// The host looks at what waits for it, decides on some of it, and sends what has no answer.
  func actAsHost() {
    for record in records {
      guard let confirmation = replicas[record.id]?.fold.decision.confirmation,
        host.decisions[confirmation.op] == nil, host.random.coin()
      else { continue }
      host.decisions[confirmation.op] = SimulatedHost.Decision(
        session: record.id, isGranted: host.random.coin())
    }
    for op in host.open { send(op) }
    if remainingActs > 0 || !host.open.isEmpty {
      clock.add(.host, at: clock.machine + Int64(host.random.within(50...2000)))
    }
  }

  private func send(_ op: String) {
    guard let decision = host.decisions[op],
      let record = records.first(where: { $0.id == decision.session })
    else { return }
    let settle = Settle(op: op, isGranted: decision.isGranted)
    ask(record) { [self] time in
      let token = record.tokens["owner"].map { Credential.token($0) }
      hub.begin { host throws(HubProblem) in
        try await host.settle(decision.session, settle, token: token, at: time)
      } answer: {
        [unowned self] result in
        requestsUnanswered -= 1
        switch result {
        case .success: note(.done, to: op)
        case .failure(.tooLate): note(.late, to: op)
        case .failure(.noSuchSession): note(.gone, to: op)
        case .failure(.noSuchOp): breach("the session has had a confirmation that it asked for")
        case .failure(.unavailable), .failure(.tooMany): break
        case .failure(.noMemory) where profile.isMemoryShort: break
        case .failure(let problem): breach("a host can decide: \(problem)")
        }
      }
    }
  }

  private func note(_ answer: SimulatedHost.Answer, to op: String) {
    guard let known = host.decisions[op]?.answer else {
      host.decisions[op]?.answer = answer
      return
    }
    switch (known, answer) {
    case (.done, .late), (.late, .done): breach("a decision sent again has the same answer: \(op)")
    case (.done, .done), (.late, .late), (.gone, _), (_, .gone): break
    }
  }

  /// Confirmed if and only if the host has said so, once, and once everything is healed.
  func checkDecisions() {
    for record in records {
      guard let replica = replicas[record.id] else { continue }
      for (op, count) in replica.confirmedOps {
        if count != 1 { breach("a confirmation is confirmed once: \(op)") }
        if host.decisions[op]?.isGranted != true { breach("only the host confirms: \(op)") }
      }
    }
    for (op, decision) in host.decisions {
      guard let replica = replicas[decision.session], let answer = decision.answer else { continue }
      let isConfirmed = replica.confirmedOps[op] != nil
      let isReported = replica.lateOps[op] == 1
      switch answer {
      case .done where isConfirmed != decision.isGranted:
        breach("a decision that was answered is in the log: \(op)")
      case .late where isConfirmed: breach("a late decision does not count: \(op)")
      case .late where isReported != decision.isGranted:
        breach("a late grant is reported once: \(op)")
      case .done, .late, .gone: break
      }
    }
  }
}
