import CivilTime
import JSONText
import PickerModel
import Testing

import PickerHost
@testable import PickerHub
@testable import PickerSession
@testable import PickerWire

private let week =
  #"{"kind":"availability","dates":{"from":"2026-11-20","through":"2026-11-22"},"#
  + #""stepMinutes":60,"hours":[{"from":"10:00","until":"18:00"}],"length":2"#

@Suite struct AvailabilityWorldTests {
  @Test(arguments: 0..<40)
  func `members that mark, leave and resume see what results and their roles permit`(
    _ seed: Int
  ) throws {
    let world = try AvailabilityWorld(seed: UInt64(seed))
    for step in 0..<120 {
      world.step()
      let wrong = world.difference
      #expect(wrong == nil, "seed \(seed), step \(step)")
      if wrong != nil { return }
    }
  }

  @Test func `a mark is encoded once for its author and once for all others`() throws {
    let fixture = try HubFixture(week + "}")
    for raw in 1...20 { fixture.join(UInt64(raw), raw > 10 ? #","timeZone":"UTC""# : "") }
    fixture.forgetAll()
    fixture.send(1, mark(1, "yes", 4, 8))
    // Best windows have texts, which depend on the zone.
    #expect(Set((2...20).map { ObjectIdentifier(fixture.port.frames[$0]![0]) }).count == 2)
    fixture.forgetAll()

    fixture.send(1, mark(2, "no", 20, 21))

    #expect(Set((2...20).map { ObjectIdentifier(fixture.port.frames[$0]![0]) }).count == 1)
    #expect(fixture.port.frames[2]![0] !== fixture.port.frames[1]![0])
  }

  /// Regression: it followed the presence, which may wait, so that a member that had later deltas
  /// resumed after them without ever having had it.
  @Test func `what a new role permits is sent before any later delta`() throws {
    let fixture = try HubFixture(week + #","results":"owner"}"#)
    for raw in 1...3 { fixture.join(UInt64(raw)) }
    fixture.forgetAll()
    let member = fixture.fold.membersInOrder[1].id
    fixture.hub.begin { host throws(HubProblem) in
      try await host.set(
        HostRole(.member(member), .owner), in: fixture.session, token: nil, at: fixture.now)
    } answer: { _ in
    }
    fixture.send(3, mark(1, "yes", 4, 8))

    let types = fixture.received(2).compactMap { $0["type"]?.string }
    #expect(types == ["presence", "snapshot", "delta"])
  }

  @Test func `members from whom marks are hidden share one copy`() throws {
    let fixture = try HubFixture(week + #","results":"owner"}"#)
    for raw in 1...9 { fixture.join(UInt64(raw)) }
    fixture.forgetAll()

    fixture.send(2, mark(1, "yes", 4, 8))

    #expect(Set((3...9).map { ObjectIdentifier(fixture.port.frames[$0]![0]) }).count == 1)
    let shared = fixture.received(3)[0]
    #expect(shared["changes"] == .array([]) && shared["by"] == nil)
    #expect(fixture.received(1)[0]["changes"]?.array?.count == 4)
    #expect(fixture.received(2)[0]["changes"]?.array?.count == 1)
  }
}

private func mark(_ ref: Int, _ grade: String?, _ from: Int, _ until: Int, generation: Int = 1)
  -> String
{
  let grade = grade.map { "\"\($0)\"" } ?? "null"
  return #"{"type":"mark","ref":\#(ref),"grade":\#(grade),"cells":[[\#(from),\#(until)]],"#
    + #""generation":\#(generation)}"#
}

/// A member's client, which folds what it receives.
private struct Client {
  var raw: UInt64?
  var welcome: JSONTree?
  var revision = -1
  var ref = 0
  var fields: [String: JSONTree] = [:]
  var marks: [String: [Int: String]] = [:]
  var heat: [Int: [Int]] = [:]
  var result = JSONTree.null

  var member: MemberID? { welcome?["member"]?["id"]?.string.map(MemberID.init(_:)) }

  mutating func receive(_ message: JSONTree) {
    switch message["type"]?.string {
    case "welcome":
      if welcome == nil { welcome = message }
      ref = max(ref, message["ref"]?.integer ?? 0)
      if let snapshot = message["snapshot"] { show(snapshot, message["revision"]!.integer!) }
    case "snapshot": show(message["snapshot"]!, message["revision"]!.integer!)
    case "delta":
      revision = message["revision"]!.integer!
      for change in message["changes"]!.array! { apply(change) }
    default: break
    }
  }

  private mutating func show(_ snapshot: JSONTree, _ revision: Int) {
    self.revision = revision
    result = snapshot["result"]!
    let state = snapshot["availability"]!
    (marks, heat, fields) = ([:], [:], [:])
    for member in state.members! where member.key != "marks" && member.key != "heat" {
      fields[member.key] = member.value
    }
    for own in state["marks"]!.array! { mark(own) }
    warm(state["heat"]?.array ?? [])
  }

  private mutating func apply(_ change: JSONTree) {
    switch change["change"]?.string {
    case "cells":
      (marks, heat) = ([:], [:])
      for member in change.members! { fields[member.key] = member.value }
    case "past": fields["past"] = change["past"]
    case "closed": fields["closed"] = change["closed"]
    case "marks": mark(change)
    case "heat":
      fields["respondents"] = change["respondents"]
      warm(change["runs"]!.array!)
    case "best": fields["best"] = change["windows"]
    case "result": result = change["result"]!
    default: break
    }
  }

  private mutating func mark(_ change: JSONTree) {
    let member = change["member"]!.string!
    for run in change["runs"]!.array! {
      for cell in run.array![0].integer!..<run.array![1].integer! {
        marks[member, default: [:]][cell] = run.array![2].string
      }
    }
    if marks[member]?.isEmpty == true { marks[member] = nil }
  }

  private mutating func warm(_ runs: [JSONTree]) {
    for run in runs.map({ $0.array!.map { $0.integer! } }) {
      for cell in run[0]..<run[1] {
        heat[cell] = run[2...].allSatisfy { $0 == 0 } ? nil : Array(run[2...])
      }
    }
  }
}

private final class AvailabilityWorld {
  private let fixture: HubFixture
  private var random: CountedRandom
  private var clients: [Client]
  private var nextRaw: UInt64 = 100
  private var results = "everyone"

  init(seed: UInt64) throws {
    fixture = try HubFixture(week + "}")
    random = CountedRandom(state: seed &* 7_919 &+ 1)
    clients = (0..<5).map { _ in Client() }
    for index in clients.indices { connect(index) }
  }

  private func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

  func step() {
    let index = below(clients.count)
    switch below(24) {
    case 0: clients[index].raw == nil ? connect(index) : disconnect(index)
    case 1:
      if let raw = clients[index].raw {
        fixture.send(raw, #"{"type":"leave"}"#)
        take()
        disconnect(index)
      }
    case 2: fixture.wait(Int64(below(4) * 1_800_000))
    case 3: redefine()
    case 4: give(index, #""type":"clear""#)
    case 5: give(index, #""type":"confirm""#)
    case 6, 7: give(index, #""type":"reopen""#)
    case 8:
      give(index, #""type":"confirm","cell":\#(below(24)),"generation":\#(generation(index))"#)
    default: clients[index].raw == nil ? connect(index) : markSomething(index)
    }
    // Presence, and the snapshots that follow it.
    fixture.wait(60)
    take()
  }

  private func markSomething(_ index: Int) {
    let from = below(24)
    clients[index].ref += 1
    let grade = ["yes", "maybe", "no", nil][below(4)]
    let text = mark(
      clients[index].ref, grade, from, from + 1 + below(6), generation: generation(index))
    fixture.send(clients[index].raw!, text)
  }

  private func generation(_ index: Int) -> Int {
    clients[index].fields["generation"]?.integer ?? 1
  }

  private func give(_ index: Int, _ command: String) {
    guard let raw = clients[index].raw else { return }
    clients[index].ref += 1
    fixture.send(raw, #"{"ref":\#(clients[index].ref),\#(command)}"#)
  }

  private func connect(_ index: Int) {
    nextRaw += 1
    let welcome = clients[index].welcome
    let revision = clients[index].revision
    clients[index].raw = nextRaw
    let name = #","name":"member \#(index)""#
    fixture.join(nextRaw, name + (welcome.map { fixture.resume($0, revision: revision) } ?? ""))
  }

  private func disconnect(_ index: Int) {
    if let raw = clients[index].raw { fixture.disconnect(raw) }
    clients[index].raw = nil
  }

  private func redefine() {
    results = ["everyone", "counts", "owner"][below(3)]
    let hours = ["10:00", "11:00"][below(2)]
    let maybe = below(4) > 0
    let patch =
      #"{"results":"\#(results)","maybe":\#(maybe),"hours":[{"from":"\#(hours)","until":"18:00"}]}"#
    let request = DocumentRequest(
      format: .mergePatch, body: Array(patch.utf8), versions: nil, valuesMax: .max)
    fixture.hub.begin { [self] host throws(HubProblem) in
      try await host.change(.definition, of: fixture.session, request, token: nil, at: fixture.now)
    } answer: { _ in
    }
  }

  private func take() {
    for index in clients.indices {
      guard let raw = clients[index].raw else { continue }
      for message in fixture.received(raw) { clients[index].receive(message) }
      if fixture.port.closes[raw] != nil { disconnect(index) }
    }
  }

  /// What differs between a member's client and what it may see; `nil` if nothing does.
  var difference: String? {
    let fold = fixture.fold
    if let sentence = fold.picker._checkInvariants() { return sentence }
    guard let state = fold.picker.availability else { return "the kind" }
    for (index, client) in clients.enumerated() where client.raw != nil {
      guard let member = client.member, let role = fold.members[member]?.role else { continue }
      let sees = results == "everyone" || role == .owner
      if client.revision != fold.revision { return "\(index) is at \(client.revision)" }
      for (name, value) in [
        ("generation", state.generation), ("count", state.cells.count), ("past", state.past),
      ] where client.fields[name] != .integer(value) {
        return "\(index): \(name) is \(client.fields[name] as Any), not \(value)"
      }
      var marks: [String: [Int: String]] = [:]
      for (respondent, own) in state.marks where sees || respondent == member.text {
        for run in own.runs {
          for cell in run.cells { marks[respondent, default: [:]][cell] = "\(run.grade!.name)" }
        }
      }
      if client.marks != marks { return "\(index) sees the marks \(client.marks), not \(marks)" }
      let seesCounts = sees || results == "counts"
      var heat: [Int: [Int]] = [:]
      for (cell, counts) in state.heat.enumerated() where seesCounts && !counts.isZero {
        heat[cell] = [counts.yes, counts.maybe, counts.no]
      }
      if client.heat != heat { return "\(index) sees the heat \(client.heat), not \(heat)" }
      let best = seesCounts ? state.best.map(\.cell) : nil
      if client.fields["best"]?.array?.compactMap({ $0["cell"]?.integer }) != best {
        return "\(index) sees the best windows \(client.fields["best"] as Any)"
      }
      let result: PickerResult =
        seesCounts
        ? fold.picker.result
        : fold.status == .confirmed ? fold.picker.result.withoutCounts : .null
      if client.result != result.tree { return "\(index) sees \(client.result)" }
    }
    return nil
  }
}

/// - Source: Donald E. Knuth, MMIX: a linear congruential generator.
private struct CountedRandom: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ (state >> 29)
  }
}
