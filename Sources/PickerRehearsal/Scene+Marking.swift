import JSONText

/// Scenes about an `availability`.
extension Scene {
  private static let hours = """
    {"kind":"availability","dates":{"from":"2026-11-23","through":"2026-11-24"},\
    "stepMinutes":60,"hours":[{"from":"09:00","until":"13:00"}],"length":2,\
    "closes":"2026-11-23T11:00"}
    """
  private static let hidden = """
    {"kind":"availability","dates":{"from":"2026-11-23","through":"2026-11-29"},\
    "results":"counts"}
    """

  static let marking = [
    Scene("marks", "members mark, also while the connection is lost, and clear", hours) {
      stage in
      try stage.begin()
      stage.others(#""type":"mark","grade":"yes","cells":[[0,3],[5,6]],"generation":1"#)
      try stage.expectState(.marks)
      try stage.mark(#""grade":"maybe","cells":[[1,4]]"#, generation: 1)
      try stage.expectState(.marks)
      stage.cut()
      stage.others(
        #""type":"mark","grade":null,"cells":[[1,2]],"generation":1"#,
        #""type":"mark","grade":"no","cells":[[2,3]],"generation":1"#)
      _ = try stage.resumes()
      try stage.expectState(.resume)
      stage.others(#""type":"clear""#)
      try stage.expectState(.marks)
      try stage.mark(#""grade":null,"cells":[[0,8]]"#, generation: 1)
      try stage.expectState(.marks)
    },
    Scene("cells", "the host changes the hours: the cells are numbered anew", hours) { stage in
      try stage.begin()
      stage.others(#""type":"mark","grade":"yes","cells":[[0,6]],"generation":1"#)
      try stage.mark(#""grade":"no","cells":[[2,8]]"#, generation: 1)
      try stage.expectState(.marks)
      stage.redefine(#"{"hours":[{"from":"10:00","until":"15:00"}]}"#)
      try stage.expectState(.cells)
      try stage.mark(#""grade":"yes","cells":[[9,10]]"#, generation: 2)
      try stage.expectState(.marks)
    },
    Scene("past-cells", "time passes: cells are past, and marks cannot be changed", hours) {
      stage in
      try stage.begin()
      try stage.mark(#""grade":"yes","cells":[[0,4]]"#, generation: 1)
      try stage.expectState(.result)
      stage.clock("2026-11-23T10:30:00Z")
      try stage.expectState(.fold)
      stage.clock("2026-11-23T11:00:00Z")
      try stage.expectState(.fold)
      try stage.mark(#""grade":"no","cells":[[5,6]]"#, generation: 1)
      try stage.expectState(.answer)
    },
    Scene("hidden-marks", "the host hides the results, and shows them again", hidden) { stage in
      // The owner sees everything.
      stage.joinOther()
      try stage.begin()
      stage.others(#""type":"mark","grade":"yes","cells":[[0,3]],"generation":1"#)
      try stage.mark(#""grade":"no","cells":[[2,4]]"#, generation: 1)
      let member = stage.onLoop { $0.member ?? "" }
      let own = try! JSONTree.parse(
        Array(#"[{"member":"\#(member)","runs":[[2,4,"no"]]}]"#.utf8))
      try stage.expectState(.marks) {
        $0.with(own, at: "snapshot", "availability", "marks")
      }
      stage.redefine(#"{"results":"owner"}"#)
      try stage.expectState(.snapshot) {
        $0.with(own, at: "snapshot", "availability", "marks")
      }
      stage.redefine(#"{"results":"everyone"}"#)
      try stage.expectState(.snapshot)
    },
  ]
}

extension Stage {
  /// Makes the client's user mark, and checks the generation of the cells that it saw.
  fileprivate func mark(_ fields: String, generation: Int) throws {
    let sent = try act(#""type":"mark",\#(fields)"#)
    guard sent["generation"] == .integer(generation) else {
      throw Breach(
        .marks, "the user saw cells of generation \(generation): \(sent.text)")
    }
  }
}
