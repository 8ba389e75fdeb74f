import CivilTime
import JSONText
import PickerModel
import Testing

@Suite struct DefinitionTests {
  private static let now = Instant("2018-07-25T10:00:00Z")

  /// The pointer of the problem or `nil`, validated at the current time and without a time.
  private func pointers(
    _ json: String, limits: DefinitionLimits = DefinitionLimits()
  ) throws -> [String?] {
    try [DefinitionTests.now, nil].map { now in
      do {
        _ = try Picker(Definition.make(json, now: now, limits: limits), now: DefinitionTests.now)
        return nil
      } catch let problem as DefinitionProblem {
        #expect(problem.detail.count > 10)
        return problem.pointer
      }
    }
  }

  @Test(arguments: [
    ("[]", ""), ("7", ""), ("null", ""), ("{}", "/kind"), (#"{"kind":7}"#, "/kind"),
    (#"{"kind":null}"#, "/kind"), (#"{"kind":"Date"}"#, "/kind"),
    (#"{"kind":"wheel","colour":1}"#, "/kind"), (#"{"colour":1}"#, "/kind"),
    (#"{"kind":"date","colour":1}"#, "/colour"), (#"{"a/b~c":1,"kind":"date"}"#, "/a~1b~0c"),
    (#"{"kind":"date","onParentChange":"first"}"#, "/onParentChange"),
    (#"{"kind":"columns","onParentChange":"first","columns":[["a"]]}"#, "/onParentChange"),
    (#"{"kind":"calendar","days":3}"#, "/days"), (#"{"kind":"slot","min":"today"}"#, "/min"),
    (#"{"kind":"date","min":7,"x":1}"#, "/x"),
    (#"{"kind":"date","timeZone":"Mars/Olympus"}"#, "/timeZone"),
    (#"{"kind":"date","timeZone":8}"#, "/timeZone"),
    (#"{"kind":"date","timeZone":""}"#, "/timeZone"),
    (#"{"kind":"date","locale":"zh_Hans"}"#, "/locale"),
    (#"{"kind":"date","locale":""}"#, "/locale"),
    (#"{"kind":"date","locale":null}"#, "/locale"), (#"{"kind":"date","locale":"e"}"#, "/locale"),
    (#"{"kind":"date","locale":"en-"}"#, "/locale"),
    (#"{"kind":"date","locale":"en-x"}"#, "/locale"),
    (#"{"kind":"date","locale":"x","timeZone":"no"}"#, "/locale"),
    (#"{"kind":"date","timeZone":"no","locale":"x"}"#, "/timeZone"),
  ])
  func `problems of all kinds have a pointer`(_ json: String, _ pointer: String) throws {
    #expect(try pointers(json) == [pointer, pointer])
  }

  @Test(arguments: [
    (#""min":"2019-01-01""#, "/min"), (#""min":"2018-07-26","max":"today""#, "/min"),
    (#""max":"1949-12-31""#, "/max"), (#""max":"2018-01-01","min":"2018-01-02""#, "/min"),
    (#""min":"2018-02-30""#, "/min"), (#""min":"today+1""#, "/min"), (#""min":"Today""#, "/min"),
    (#""min":"today-P9000Y""#, "/min"), (#""max":"today+P9000Y""#, "/max"),
    (#""initial":"today+P9999Y""#, "/initial"), (#""initial":"now""#, "/initial"),
    (#""max":7.5"#, "/max"), (#""max":null"#, "/max"), (#""min":["2018-01-01"]"#, "/min"),
    (#""max":"2018-01-01","initial":"x","min":"2019-01-01""#, "/initial"),
    (#""max":"2018-01-01","min":"2019-01-01","initial":"x""#, "/min"),
    (#""rememberDay":1"#, "/rememberDay"), (#""rememberDay":null"#, "/rememberDay"),
    (#""min":"thisMonth""#, "/min"), (#""min":"today+P1DT1H""#, "/min"), (#""min":"""#, "/min"),
  ])
  func `problems of dates have a pointer`(_ fields: String, _ pointer: String) throws {
    #expect(try pointers(#"{"kind":"date",\#(fields)}"#) == [pointer, pointer])
  }

  /// Regression: the details named dates that the definition did not have, without saying so.
  @Test(arguments: [
    (#""kind":"date","min":"2030-01-01""#, "which is 2018-07-25 by default (today)"),
    (#""kind":"date","max":"1800-01-01""#, "min is 1950-01-01 by default, after"),
    (
      #""kind":"calendar","min":"2030-01-01","months":{"from":"2018-07","through":"2018-09"}"#,
      "which is 2018-09-30, the last day"
    ),
    (
      #""kind":"calendar","max":"1800-01-01","months":{"from":"2018-07","through":"2018-09"}"#,
      "min is 2018-07-01, the first day of the list, after"
    ),
    (
      #""kind":"calendar","min":"1799-01-01","max":"1800-01-01","#
        + #""months":{"from":"2018-07","through":"2018-09"}"#,
      "which is 1800-01-01; it must"
    ),
  ])
  func `a problem says that a limit is the default`(_ fields: String, _ part: String) throws {
    let problem = try #require(throws: DefinitionProblem.self) {
      try Definition.make("{\(fields)}", now: DefinitionTests.now)
    }
    #expect(problem.detail.contains(part), "\(problem.detail)")
  }

  @Test func `with a time problems of relative dates are reported in document order`() throws {
    let json = #"{"kind":"date","min":"today+P1D","max":"today","initial":"x"}"#
    #expect(try pointers(json) == ["/min", "/initial"])
  }

  @Test(arguments: [
    (#""stepMinutes":7"#, "/stepMinutes"), (#""stepMinutes":0"#, "/stepMinutes"),
    (#""stepMinutes":-10"#, "/stepMinutes"), (#""stepMinutes":120"#, "/stepMinutes"),
    (#""stepMinutes":10.0"#, "/stepMinutes"), (#""stepMinutes":"10""#, "/stepMinutes"),
    (#""stepMinutes":-9223372036854775808"#, "/stepMinutes"),
    (#""leadMinutes":-1"#, "/leadMinutes"), (#""leadMinutes":525601"#, "/leadMinutes"),
    (#""leadMinutes":99999999999999999999"#, "/leadMinutes"), (#""days":0"#, "/days"),
    (#""days":367"#, "/days"), (#""days":true"#, "/days"), (#""days":null"#, "/days"),
    (#""onParentChange":"stay""#, "/onParentChange"), (#""onParentChange":1"#, "/onParentChange"),
    (#""days":0,"leadMinutes":-1"#, "/days"), (#""leadMinutes":-1,"days":0"#, "/leadMinutes"),
    (#""minutes":0"#, "/minutes"), (#""minutes":1441"#, "/minutes"),
    (#""minutes":null"#, "/minutes"),
    (#""bufferMinutes":-1"#, "/bufferMinutes"), (#""bufferMinutes":1441"#, "/bufferMinutes"),
    (#""hours":{}"#, "/hours"), (#""hours":[7]"#, "/hours/0"), (#""hours":[{}]"#, "/hours/0/from"),
    (#""hours":[{"from":"09:00"}]"#, "/hours/0/until"),
    (#""hours":[{"from":"9:00","until":"10:00"}]"#, "/hours/0/from"),
    (#""hours":[{"from":"09:60","until":"10:00"}]"#, "/hours/0/from"),
    (#""hours":[{"from":"24:00","until":"24:00"}]"#, "/hours/0/from"),
    (#""hours":[{"from":"٠٩:٠٠","until":"10:00"}]"#, "/hours/0/from"),
    (#""hours":[{"from":"09:00","until":"24:01"}]"#, "/hours/0/until"),
    (#""hours":[{"from":"09:00","until":"25:00"}]"#, "/hours/0/until"),
    (#""hours":[{"from":"09:00","until":"09:00"}]"#, "/hours/0/until"),
    (#""hours":[{"until":"08:00","from":"09:00"}]"#, "/hours/0/until"),
    (#""hours":[{"until":"8","from":"9"}]"#, "/hours/0/until"),
    (#""hours":[{"from":"09:00","until":"10:00","weekdays":[]}]"#, "/hours/0/weekdays"),
    (#""hours":[{"from":"09:00","until":"10:00","weekdays":[0]}]"#, "/hours/0/weekdays/0"),
    (#""hours":[{"from":"09:00","until":"10:00","weekday":[1]}]"#, "/hours/0/weekday"),
    (#""dates":[]"#, "/dates"), (#""dates":{"2026-02-30":[]}"#, "/dates/2026-02-30"),
    (#""dates":{"today":[]}"#, "/dates/today"),
    (#""dates":{"2026-12-24":{}}"#, "/dates/2026-12-24"),
    (#""dates":{"2026-12-24":[[]]}"#, "/dates/2026-12-24/0"),
    (
      #""dates":{"2026-12-24":[{"from":"09:00","until":"08:00"}]}"#, "/dates/2026-12-24/0/until"
    ),
    (
      #""dates":{"x":[],"2026-12-24":[{"weekdays":[1],"from":"1","until":"2"}]}"#,
      "/dates/2026-12-24/0/weekdays"
    ),
    (#""taken":[]"#, "/taken"), (#""taken":{"":{}}"#, "/taken/"),
    (#""taken":{"a/b":7}"#, "/taken/a~1b"),
    (#""taken":{"a":{}}"#, "/taken/a/from"),
    (#""taken":{"a":{"from":"2026-11-23T10:00"}}"#, "/taken/a/until"),
    (#""taken":{"a":{"from":"2026-11-23","until":"2026-11-24"}}"#, "/taken/a/from"),
    (#""taken":{"a":{"from":"2026-11-23T24:00","until":"2026-11-24T10:00"}}"#, "/taken/a/from"),
    (#""taken":{"a":{"from":"2026-11-23T10:00:00","until":"2026-11-24T10:00"}}"#, "/taken/a/from"),
    (#""taken":{"a":{"from":"2026-11-23T10:00","until":"2026-11-23T10:00"}}"#, "/taken/a/until"),
    (
      #""taken":{"a":{"from":"2026-11-23T10:00Z","until":"2026-11-23T11:00"}}"#, "/taken/a/from"
    ),
    (
      #""taken":{"a":{"from":"2026-11-23T10:00","until":"2026-11-23T11:00:00+02:00"}}"#,
      "/taken/a/until"
    ),
    (
      #""timeZone":"Europe/Berlin","#
        + #""taken":{"a":{"from":"2027-03-28T02:10","until":"2027-03-28T02:50"}}"#,
      "/taken/a/until"
    ),
    (#""taken":{"a":{"from":"x","through":"y"}}"#, "/taken/a/through"),
    (#""taken":{"a":{"from":"x"}},"minutes":0"#, "/taken/a/from"),
    (#""minutes":0,"taken":{"a":{"from":"x"}}"#, "/minutes"),
    (
      #""taken":{"a":{"from":"2026-11-23T11:00Z","until":"2026-11-23T12:00"}},"timeZone":"Mars""#,
      "/taken/a/from"
    ),
    (
      #""taken":{"a":{"from":"2026-11-23T11:00","until":"2026-11-23T10:00:00Z"}},"#
        + #""timeZone":"Mars""#, "/timeZone"
    ),
  ])
  func `problems of slots have a pointer`(_ fields: String, _ pointer: String) throws {
    #expect(try pointers(#"{"kind":"slot",\#(fields)}"#) == [pointer, pointer])
  }

  @Test(arguments: [
    (#""kind":"cascade""#, "/nodes"), (#""kind":"cascade","nodes":[]"#, "/nodes"),
    (#""kind":"cascade","nodes":{}"#, "/nodes"), (#""kind":"cascade","nodes":["a"]"#, "/nodes/0"),
    (#""kind":"cascade","nodes":[{}]"#, "/nodes/0/text"),
    (#""kind":"cascade","nodes":[{"text":""}]"#, "/nodes/0/text"),
    (#""kind":"cascade","nodes":[{"text":"a","key":""}]"#, "/nodes/0/key"),
    (#""kind":"cascade","nodes":[{"text":"a","key":1}]"#, "/nodes/0/key"),
    (#""kind":"cascade","nodes":[{"text":"a"},{"text":"a"}]"#, "/nodes/1"),
    (#""kind":"cascade","nodes":[{"text":"a","key":"k"},{"text":"b","key":"k"}]"#, "/nodes/1"),
    (
      #""kind":"cascade","nodes":[{"text":"a","children":[{"text":"b"},{"text":"c","key":"b"}]}]"#,
      "/nodes/0/children/1"
    ),
    (#""kind":"cascade","nodes":[{"children":[{"text":7}]}]"#, "/nodes/0/children/0/text"),
    (#""kind":"cascade","nodes":[{"text":"a","children":{}}]"#, "/nodes/0/children"),
    (
      #""kind":"cascade","nodes":[{"text":1,"children":[{"text":"b","x":1}]}]"#,
      "/nodes/0/children/0/x"
    ),
    (
      #""kind":"cascade","nodes":[{"text":"a","children":[{"text":"b","x":1}]},{"y":1}]"#,
      "/nodes/1/y"
    ),
    (#""kind":"cascade","onParentChange":"no","nodes":[]"#, "/onParentChange"),
    (#""kind":"columns""#, "/columns"), (#""kind":"columns","columns":[]"#, "/columns"),
    (#""kind":"columns","columns":[["a"],[]]"#, "/columns/1"),
    (#""kind":"columns","columns":["a"]"#, "/columns/0"),
    (#""kind":"columns","columns":[["a",""]]"#, "/columns/0/1"),
    (#""kind":"columns","columns":[["a",7]]"#, "/columns/0/1"),
    (#""kind":"columns","columns":[["a","b","a"]]"#, "/columns/0/2"),
    (#""kind":"columns","columns":[["a"],["b",{"text":"c","key":"b"}]]"#, "/columns/1/1"),
    (#""kind":"columns","columns":[[{"key":"a"}]]"#, "/columns/0/0/text"),
    (#""kind":"columns","columns":[[{"text":"a","children":[]}]]"#, "/columns/0/0/children"),
    (#""kind":"columns","columns":[[{"text":"a","terms":"b"}]]"#, "/columns/0/0/terms"),
    (#""kind":"columns","columns":[[{"text":"a","terms":["b",""]}]]"#, "/columns/0/0/terms/1"),
    (#""kind":"columns","columns":[[{"text":"a","terms":["b",null]}]]"#, "/columns/0/0/terms/1"),
    (
      #""kind":"columns","columns":[[{"text":"a","terms":["1","2","3","4","5","6","7","8","9"]}]]"#,
      "/columns/0/0/terms"
    ),
    (
      #""kind":"columns","columns":[[{"text":"a","terms":["\#(String(repeating: "é", count: 65))"]}]]"#,
      "/columns/0/0/terms/0"
    ),
    (
      #""kind":"cascade","nodes":[{"text":"a","children":[{"text":"b","terms":{}}]}]"#,
      "/nodes/0/children/0/terms"
    ),
  ])
  func `problems of rows have a pointer`(_ fields: String, _ pointer: String) throws {
    #expect(try pointers("{\(fields)}") == [pointer, pointer])
  }

  @Test(arguments: [
    (#""months":7"#, "/months"), (#""months":{"from":"x"}"#, "/months/from"),
    (#""months":{"through":1}"#, "/months/through"),
    (#""months":{"from":"2016-01","through":"2016-02","to":1}"#, "/months/to"),
    (#""months":{"from":"2016-13","through":"2016-02"}"#, "/months/from"),
    (#""months":{"through":"today","from":"x"}"#, "/months/through"),
    (#""months":{"through":"0001-01","from":"9999-12"}"#, "/months/through"),
    (#""months":{"through":"0001-01","from":"x"}"#, "/months/through"),
    (#""months":{"from":"x","through":"0001-01"}"#, "/months/from"),
    (#""months":{"from":"thisMonth-P1D","through":"thisMonth"}"#, "/months/from"),
    (#""months":{"from":"thisYear-P1M","through":"thisMonth"}"#, "/months/from"),
    (#""months":{"from":"2016-03","through":"2016-02"}"#, "/months/from"),
    (#""months":{"from":"thisMonth","through":"2016-02"}"#, "/months/from"),
    (#""months":{"from":"0001-01","through":"2016-02"}"#, "/months/from"),
    (#""months":{"from":"2016-01","through":"9999-12"}"#, "/months/through"),
    (#""months":{"from":"2016-01","through":"thisYear+P8000Y"}"#, "/months/through"),
    (#""months":{"from":"1000-01","through":"2000-01"}"#, "/months"),
    (#""firstWeekday":0"#, "/firstWeekday"), (#""firstWeekday":8"#, "/firstWeekday"),
    (#""weeks":"five""#, "/weeks"), (#""selection":"many""#, "/selection"),
    (#""min":"2019-01-01""#, "/min"), (#""max":"2014-12-31""#, "/max"),
    (#""min":"2017-01-02","max":"2017-01-01""#, "/min"), (#""min":3,"max":"2001-01-01""#, "/min"),
    (#""max":"2001-01-01","min":3"#, "/min"), (#""minDays":0"#, "/minDays"),
    (#""maxDays":0"#, "/maxDays"), (#""minDays":3,"maxDays":2"#, "/minDays"),
    (#""maxDays":2,"minDays":3"#, "/minDays"), (#""maxDays":null"#, "/maxDays"),
    (#""allowBlockedInside":"no""#, "/allowBlockedInside"), (#""blocked":{}"#, "/blocked"),
    (#""blocked":[7]"#, "/blocked/0"), (#""blocked":[{}]"#, "/blocked/0"),
    (#""blocked":[{"weekdays":[]}]"#, "/blocked/0/weekdays"),
    (#""blocked":[{"weekdays":[1,8]}]"#, "/blocked/0/weekdays/1"),
    (#""blocked":[{"weekdays":1}]"#, "/blocked/0/weekdays"),
    (#""blocked":[{"weekdays":[1]},{"from":"today"}]"#, "/blocked/1/from"),
    (#""blocked":[{"from":"2016-08-05","through":"2016-08-04"}]"#, "/blocked/0/through"),
    (#""blocked":[{"through":"2016-08-04"}]"#, "/blocked/0/from"),
    (#""blocked":[{"weekdays":[1],"from":"2016-08-04"}]"#, "/blocked/0/from"),
    (#""blocked":[{"days":[1]}]"#, "/blocked/0/days"),
    (#""taken":[]"#, "/taken"), (#""taken":{"a":[]}"#, "/taken/a"),
    (#""taken":{"":{}}"#, "/taken/"),
    (#""taken":{"a":{"through":"2016-08-05"}}"#, "/taken/a/from"),
    (#""taken":{"a":{"from":"2016-08-05","through":"2016-08-04"}}"#, "/taken/a/through"),
    (#""taken":{"a":{"from":"today"}}"#, "/taken/a/from"),
    (#""taken":{"a":{"weekdays":[1]}}"#, "/taken/a/weekdays"),
    (#""unit":"weeks","minDays":1,"minNights":1,"stays":[]"#, "/unit"),
    (#""minNights":0,"unit":"weeks""#, "/minNights"), (#""unit":7,"x":1"#, "/x"),
    (#""minNights":1"#, "/minNights"), (#""unit":"days","stays":[]"#, "/stays"),
    (#""unit":"nights","minDays":1"#, "/minDays"),
    (#""allowBlockedInside":false,"unit":"nights""#, "/allowBlockedInside"),
    (#""unit":"nights","selection":"single""#, "/selection"),
    (#""unit":"nights","minNights":0"#, "/minNights"),
    (#""unit":"nights","maxNights":2,"minNights":3"#, "/minNights"),
    (#""unit":"nights","stays":{}"#, "/stays"), (#""unit":"nights","stays":[7]"#, "/stays/0"),
    (#""unit":"nights","stays":[{},{"through":"2026-12-01"}]"#, "/stays/1/from"),
    (#""unit":"nights","stays":[{"from":"today"}]"#, "/stays/0/from"),
    (
      #""unit":"nights","stays":[{"from":"2026-12-02","through":"2026-12-01"}]"#,
      "/stays/0/through"
    ),
    (#""unit":"nights","stays":[{"minNights":3,"maxNights":2}]"#, "/stays/0/minNights"),
    (#""unit":"nights","stays":[{"maxNights":0}]"#, "/stays/0/maxNights"),
    (#""unit":"nights","stays":[{"weekdays":[]}]"#, "/stays/0/weekdays"),
    (#""unit":"nights","stays":[{"weekdays":[0]}]"#, "/stays/0/weekdays/0"),
    (#""unit":"nights","stays":[{"arrival":"no"}]"#, "/stays/0/arrival"),
    (#""unit":"nights","stays":[{"nights":1}]"#, "/stays/0/nights"),
    (#""currency":"EURO""#, "/currency"), (#""currency":"eur""#, "/currency"),
    (#""months":{"from":"2018-07","through":"2018-09"},"min":"2018-10-01""#, "/min"),
    (#""months":{"from":"2018-07","through":"2018-09"},"max":"2018-06-30""#, "/max"),
    (
      #""months":{"from":"2018-07","through":"2018-09"},"max":"2018-11-02","min":"2018-11-01""#,
      "/min"
    ),
    (#""min":"2018-11-01","months":{"from":"2018-09","through":"2018-07"}"#, "/months/from"),
    (#""unit":"nights","currency":7"#, "/currency"),
  ])
  func `problems of calendars have a pointer`(_ fields: String, _ pointer: String) throws {
    #expect(try pointers(#"{"kind":"calendar",\#(fields)}"#) == [pointer, pointer])
  }

  @Test(arguments: [
    #"{"kind":"date","locale":"zh-Hans","timeZone":"Asia/Shanghai"}"#,
    #"{"kind":"date","min":"today-P18Y","max":"today+P1Y2M3W4D","initial":"2018-07-25"}"#,
    #"{"kind":"slot","stepMinutes":60,"leadMinutes":525600,"days":366,"onParentChange":"keep"}"#,
    #"{"kind":"cascade","nodes":[{"text":"a","key":"k","children":[]},{"text":"b"}]}"#,
    #"{"kind":"cascade","nodes":[{"text":"a","children":[{"text":"a","#
      + #""children":[{"text":"x"}]}]}]}"#,
    #"{"kind":"columns","columns":[["a",{"text":"b","key":"c"}],["a"]]}"#,
    #"{"kind":"date","rememberDay":true}"#,
    #"{"kind":"slot","minutes":45,"hours":[],"dates":{},"taken":{},"bufferMinutes":5}"#,
    #"{"kind":"slot","timeZone":"Europe/Berlin","hours":[{"from":"09:00","until":"24:00"},"#
      + #"{"weekdays":[7,1,7],"from":"00:00","until":"00:01"}],"dates":{"2026-12-24":[],"#
      + #""0001-01-01":[{"from":"23:59","until":"24:00"}]},"taken":{"~a/b":"#
      + #"{"from":"2026-11-23T10:00","until":"2026-11-23t09:00:00.001z"}}}"#,
    #"{"kind":"calendar","taken":{"b":{"from":"2016-08-05"},"#
      + #""a":{"from":"2016-08-05","through":"2016-09-01"}}}"#,
    #"{"kind":"calendar"}"#, #"{"kind":"calendar","blocked":[]}"#,
    #"{"kind":"calendar","blocked":[{"from":"2016-08-05"},{"weekdays":[7,1,7]}],"maxDays":9}"#,
    #"{"kind":"calendar","months":{"from":"0001-02","through":"1001-01"},"max":"0003-01-01"}"#,
    #"{"kind":"calendar","min":"2010-01-01","max":"2030-12-31","selection":"single"}"#,
    #"{"kind":"calendar","months":{"from":"thisMonth-P1Y2M","through":"thisYear+P1Y"}}"#,
    #"{"kind":"calendar","unit":"nights"}"#, #"{"kind":"calendar","unit":"days","currency":"EUR"}"#,
    #"{"kind":"calendar","unit":"nights","minNights":2,"maxNights":14,"currency":"CHF","stays":["#
      + #"{},{"from":"2026-12-24"},{"from":"2026-07-01","through":"2026-08-31","minNights":7},"#
      + #"{"weekdays":[7,1,7],"maxNights":3,"arrival":false,"departure":true}],"#
      + #""blocked":[{"from":"2026-12-24"}],"taken":{"a":{"from":"2026-08-05"}}}"#,
  ])
  func `the document of a definition recreates the same document`(_ json: String) throws {
    let definition = try Definition.make(json, now: DefinitionTests.now)

    let document = definition.document(full: true)
    let again = try Definition.make(from: document, now: DefinitionTests.now, zone: Zones.named)

    #expect(again.document(full: true) == document)
    #expect(definition.document(full: false)["nodes"] == nil)
    #expect(definition.document(full: false)["columns"] == nil)
    #expect(definition.json == definition.document(full: false).serialized())
    #expect(definition.fullJSON == document.serialized())
    #expect(try pointers(json) == [nil, nil])
  }

  @Test func `defaults are filled in`() throws {
    func text(_ json: String) throws -> String {
      String(decoding: try Definition.make(json).document(full: true).serialized(), as: UTF8.self)
    }
    #expect(
      try text(#"{"kind":"date"}"#)
        == #"{"kind":"date","timeZone":"UTC","locale":"en","min":"1950-01-01","max":"today","#
        + #""initial":"today","rememberDay":false}"#)
    #expect(
      try text(#"{"kind":"slot"}"#)
        == #"{"kind":"slot","timeZone":"UTC","locale":"en","leadMinutes":20,"stepMinutes":10,"#
        + #""days":3,"onParentChange":"first","bufferMinutes":0}"#)
    #expect(
      try text(#"{"kind":"calendar","blocked":[{"from":"2016-08-05"}]}"#)
        == #"{"kind":"calendar","timeZone":"UTC","locale":"en","months":{"from":"thisYear-P3Y","#
        + #""through":"thisMonth"},"firstWeekday":1,"weeks":"six","unit":"days","#
        + #""selection":"range","#
        + #""minDays":1,"blocked":[{"from":"2016-08-05","through":"2016-08-05"}],"#
        + #""allowBlockedInside":false}"#)
    #expect(
      try text(#"{"kind":"calendar","months":{}}"#) == text(#"{"kind":"calendar"}"#))
    #expect(
      try text(#"{"kind":"calendar","unit":"nights","stays":[{"from":"2016-08-05"}]}"#)
        == #"{"kind":"calendar","timeZone":"UTC","locale":"en","months":{"from":"thisYear-P3Y","#
        + #""through":"thisMonth"},"firstWeekday":1,"weeks":"six","unit":"nights","#
        + #""selection":"range","minNights":1,"#
        + #""stays":[{"from":"2016-08-05","through":"2016-08-05"}]}"#)
  }

  /// A tree with a single branch of `depth` nodes.
  private func branch(_ depth: Int) -> String {
    var node = #"{"text":"n"}"#
    for _ in 1..<depth { node = #"{"text":"n","children":[\#(node)]}"# }
    return #"{"kind":"cascade","nodes":[\#(node)]}"#
  }

  @Test func `definitions at each maximum are accepted, over it refused`() throws {
    func rows(_ count: Int) -> String { (0..<count).map { #""r\#($0)""# }.joined(separator: ",") }
    let long = String(repeating: "字", count: 200)
    var limits = DefinitionLimits()
    (limits.nodesMax, limits.columnsMax, limits.blockedMax) = (6, 3, 2)

    #expect(try pointers(branch(32)) == [nil, nil])
    let first33 = "/nodes/0" + String(repeating: "/children/0", count: 32)
    #expect(try pointers(branch(33)) == [first33, first33])
    #expect(try pointers(branch(6), limits: limits) == [nil, nil])
    #expect(try pointers(branch(7), limits: limits) == ["/nodes", "/nodes"])
    let columns = #"{"kind":"columns","columns":"#
    #expect(try pointers("\(columns)[[\(rows(6))]]}", limits: limits) == [nil, nil])
    #expect(try pointers("\(columns)[[\(rows(7))]]}", limits: limits)[0] == "/columns")
    #expect(
      try pointers("\(columns)[[\(rows(1))],[\(rows(1))],[\(rows(1))]]}", limits: limits)[0] == nil)
    #expect(
      try pointers("\(columns)[[\"a\"],[\"a\"],[\"a\"],[\"a\"]]}", limits: limits)[0] == "/columns")
    #expect(try pointers("\(columns)[[\"\(long)\"]]}")[0] == nil)
    #expect(try pointers("\(columns)[[\"\(long)x\"]]}")[0] == "/columns/0/0")
    let entry = #"{"weekdays":[1]}"#
    let blocked = #"{"kind":"calendar","blocked":["#
    #expect(try pointers("\(blocked)\(entry),\(entry)]}", limits: limits)[0] == nil)
    #expect(try pointers("\(blocked)\(entry),\(entry),\(entry)]}", limits: limits)[0] == "/blocked")
    try checkMaximaOfTaken()
    #expect(try pointers("\(columns)[[\(rows(20_000))]]}")[0] == nil)
    #expect(try pointers("\(columns)[[\(rows(20_001))]]}")[0] == "/columns")
  }

  @Test func `rows are counted before anything else is read`() throws {
    var limits = DefinitionLimits()
    limits.nodesMax = 2
    let unknown = #"{"children":[{"x":1},{"text":7}]}"#
    #expect(
      try pointers(#"{"kind":"cascade","x":1,"nodes":[\#(unknown)]}"#, limits: limits)[0]
        == "/nodes")
    #expect(
      try pointers(#"{"kind":"columns","x":1,"columns":[[{"x":1},7,7]]}"#, limits: limits)[0]
        == "/columns")
  }

  private func checkMaximaOfTaken() throws {
    func entries(_ count: Int, _ entry: String) -> String {
      (0..<count).map { #""\#($0)":\#(entry)"# }.joined(separator: ",")
    }
    func dates(_ count: Int) -> String {
      (0..<count).map { #""\#(CivilDate(ordinal: 700_000 + $0))":[]"# }.joined(separator: ",")
    }
    func windows(_ count: Int) -> String {
      Array(repeating: #"{"from":"09:00","until":"10:00"}"#, count: count).joined(separator: ",")
    }
    let time = #"{"from":"2026-11-23T10:00","until":"2026-11-23T11:00"}"#
    let slot = #"{"kind":"slot""#
    #expect(try pointers("\(slot),\"taken\":{\(entries(5_000, time))}}")[0] == nil)
    #expect(try pointers("\(slot),\"taken\":{\(entries(5_001, time))}}")[0] == "/taken")
    let stay = #"{"from":"2026-11-23"}"#
    let calendar = #"{"kind":"calendar","taken":"#
    #expect(try pointers("\(calendar){\(entries(5_000, stay))}}")[0] == nil)
    #expect(try pointers("\(calendar){\(entries(5_001, stay))}}")[0] == "/taken")
    func nights(_ count: Int) -> String {
      let rules = Array(repeating: stay, count: count).joined(separator: ",")
      return #"{"kind":"calendar","unit":"nights","stays":[\#(rules)]}"#
    }
    #expect(try pointers(nights(400))[0] == nil)
    #expect(try pointers(nights(401))[0] == "/stays")
    #expect(try pointers("\(slot),\"dates\":{\(dates(1_000))}}")[0] == nil)
    #expect(try pointers("\(slot),\"dates\":{\(dates(1_001))}}")[0] == "/dates")
    #expect(try pointers("\(slot),\"hours\":[\(windows(50))]}")[0] == nil)
    #expect(try pointers("\(slot),\"hours\":[\(windows(51))]}")[0] == "/hours")
    let day = "\(slot),\"dates\":{\"2026-12-24\":["
    #expect(try pointers("\(day)\(windows(50))]}}")[0] == nil)
    #expect(try pointers("\(day)\(windows(51))]}}")[0] == "/dates/2026-12-24")
    let id = String(repeating: "字", count: 64)
    #expect(try pointers("\(slot),\"taken\":{\"\(id)\":\(time)}}")[0] == nil)
    #expect(try pointers("\(slot),\"taken\":{\"\(id)x\":\(time)}}")[0] == "/taken/\(id)x")
  }

  @Test(arguments: [
    "en", "zh-Hans", "zh-Hans-CN", "sl-rozaj-biske", "de-CH-1996", "es-419", "zh-cmn-Hans-CN",
    "en-a-bbb-x-a-ccc", "x-whatever", "i-klingon", "EN-gb-OED", "ar-EG-u-nu-latn", "qaa",
    "abcdefgh",
  ])
  func `a well-formed language tag is accepted`(_ tag: String) throws {
    #expect(try Definition.make(#"{"kind":"date","locale":"\#(tag)"}"#).locale == tag)
  }

  @Test(arguments: [
    "a", "abcdefghi", "en--US", "en-US-", "en-a", "en-a-b", "x", "en-x", "en-US-GB", "12", "é",
    "en-Latn-Latn", "de-419-DE", "en-u-",
  ])
  func `a malformed language tag is refused`(_ tag: String) {
    #expect(throws: DefinitionProblem.self) {
      try Definition.make(#"{"kind":"date","locale":"\#(tag)"}"#)
    }
  }

  /// The figures are the allocated bytes of such a definition; MicroBench measures them.
  @Test(arguments: [
    (3_600, 0, 160_000), (20_000, 0, 941_000), (3_600, 40, 275_000), (20_000, 170, 4_200_000),
  ])
  func `the estimated memory of a list is about the measured one`(
    count: Int, length: Int, measured: Int
  ) throws {
    let filler = String(repeating: "x", count: length)
    let rows = (0..<count).map { #"{"text":"\#(("\($0)-" + filler).prefix(max(length, 8)))"}"# }

    let list = try Definition.make(
      #"{"kind":"cascade","nodes":[\#(rows.joined(separator: ","))]}"#)

    #expect(abs(list.byteCount - measured) < measured / 8, "\(list.byteCount)")
  }

  @Test(arguments: [(4, 504_000), (60, 1_380_000)])
  func `the estimated memory of bookings is at least the measured one`(
    length: Int, measured: Int
  ) throws {
    let filler = String(repeating: "x", count: length)
    let taken = (0..<5_000).map {
      #""\#(("b\($0)-" + filler).prefix(max(length, 6)))":"#
        + #"{"from":"2030-01-01","through":"2030-01-01"}"#
    }

    let bookings = try Definition.make(
      #"{"kind":"calendar","months":{"from":"2030-01","through":"2040-12"},"#
        + #""taken":{\#(taken.joined(separator: ","))}}"#)

    #expect((measured...2 * measured).contains(bookings.byteCount), "\(bookings.byteCount)")
  }
}
