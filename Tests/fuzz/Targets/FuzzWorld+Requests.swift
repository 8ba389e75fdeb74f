import JSONText
import PickerHost
import PickerHub
import PickerSession
import PickerWire

/// HTTP requests.
extension FuzzWorld {
  private static let definitions = [
    #"{"kind":"columns","columns":[["a","b","c"],["x","y","z","1","2","3","4"]]}"#,
    #"{"kind":"calendar","months":{"from":"2026-10","through":"2026-12"}}"#,
    #"{"kind":"date","min":"2026-01-30","max":"2027-03-05"}"#,
    #"{"kind":"slot","leadMinutes":20,"stepMinutes":10,"days":2,"timeZone":"America/Havana"}"#,
    #"{"kind":"calendar","selection":"single","min":"today","weeks":"fit"}"#,
    #"{"kind":"calendar","maxDays":3,"minDays":2,"blocked":[{"weekdays":[1]}],"months":"#
      + #"{"from":"thisMonth","through":"thisMonth+P2M"}}"#,
    #"{"kind":"cascade","nodes":[{"text":"a","children":[{"text":"b"}]},{"text":"c"}]}"#,
    #"{"kind":"date","min":"today","onParentChange":"first","locale":"zh-Hans"}"#,
    #"{"kind":"none"}"#,
  ]

  private func definition(_ number: Int) -> String {
    FuzzWorld.definitions[number % FuzzWorld.definitions.count]
  }

  /// Creates a session, possibly with a time to live of a minute or with `openTap`.
  func create(_ choice: Int) {
    let ttl = choice & 16 != 0 ? 60 : 86_400
    let openTap = choice & 32 != 0 ? "owner" : "shared"
    let body =
      #"{"definition":\#(definition(choice % 16)),"ttlSeconds":\#(ttl),"openTap":"\#(openTap)"}"#
    guard let request = try? CreateRequest(Array(body.utf8)) else {
      return fail("a creation can be read: \(body)")
    }
    hub.begin(
      { [self] host throws(HubProblem) in
        try await host.create(request, socketBase: "ws://here", at: now)
      },
      answer: answer { [unowned self] result in
        if case .success(let created) = result { note(created) }
      })
  }

  func check(_ choice: Int) {
    guard let tree = try? JSONTree.parse(Array(definition(choice).utf8)) else { return }
    _ = try? hub.host.check(tree, at: now)
  }

  func read(_ source: inout ByteSource) {
    let (session, token) = (session(&source), token(&source))
    let locale = source.pick([nil, "zh-Hans", "x"])
    let isFull = source.number(below: 2) == 1
    hub.begin(
      { [self] host throws(HubProblem) in
        try await host.read(
          session, token: token.map { .token($0) }, locale: locale, isFull: isFull, at: now)
      }, answer: answer())
  }

  func readLog(_ source: inout ByteSource) {
    hub.logLines(
      session(&source), token: token(&source).map { .token($0) },
      after: source.pick([0, 1, 5, -1, .max]), at: now,
      answer: answer())
  }

  func delete(_ source: inout ByteSource) {
    let (session, token) = (session(&source), token(&source))
    hub.begin(
      { [self] host throws(HubProblem) in
        try await host.delete(session, token: token.map { .token($0) }, at: now)
      }, answer: answer())
  }

  func addMember(_ source: inout ByteSource) {
    guard let request = try? MemberRequest(Array(#"{"name":"Bo"}"#.utf8)) else { return }
    hub.addMember(
      to: session(&source), request, token: token(&source).map { .token($0) }, at: now,
      answer: answer { [unowned self] result in
        guard let body = try? result.get(), let welcome = try? JSONTree.parse(body),
          let id = welcome["member"]?["id"]?.string,
          let secret = welcome["member"]?["secret"]?.string
        else { return }
        posting.append((id, secret))
      })
  }

  /// A command of a member that was added.
  func post(_ source: inout ByteSource) {
    let number = source.number(below: posting.count + 1)
    let member = number < posting.count ? posting[number] : (id: "nobody", secret: "")
    let fields = Message.commandFields(&source)
    let body =
      #"{"member":"\#(member.id)","secret":"\#(member.secret)","ref":\#(source.byte()),\#(fields)}"#
    guard let request = try? CommandRequest(Array(body.utf8)) else { return }
    hub.post(
      request, to: session(&source), token: token(&source).map { .token($0) }, locale: nil, at: now,
      answer: answer())
  }

  func watch(_ source: inout ByteSource) {
    var request = WatchRequest()
    request.token = token(&source).map { .token($0) }
    request.locale = source.pick([nil, "en", "zh-Hans"])
    if source.number(below: 2) == 1 {
      request.seen = (epochMark: "A", revision: source.number(below: 5))
    }
    watch(source.number(below: connections.count), session(&source), request)
  }
}
