import FuzzTargets
import Glibc

/// The target selected by the environment variable FUZZ.
private let target: FuzzTarget = {
  guard let name = getenv("FUZZ"), let target = FuzzTarget(rawValue: String(cString: name)) else {
    let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
    fatalError("FUZZ must name a target: \(names)")
  }
  return target
}()

/// libFuzzer calls this with each input; a trap is a finding.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  do throws(FuzzFailure) {
    try target.run(Array(UnsafeBufferPointer(start: start, count: count)))
  } catch {
    fatalError(error.description)
  }
  return 0
}
