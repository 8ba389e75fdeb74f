// An echo server on SocketLoop for the tests of the transport.
// Arguments are `name=value`: a limit of SocketLoopConfiguration, `host`, `port`, `descriptor` (a
// listening socket to use instead of these), `proxy` (the address of a trusted proxy), `proxied=1`
// (connections begin with a PROXY protocol header), `tls` (a file with certificate and key),
// `loops=2`: requests with `over` go to the second loop, `node` (the port of a listener for
// relayed connections), or `owner`: the server of connections that begin with a request with `far`
// in its path (its address, `here`, `nowhere`, `unknown`, or `silent`: it is never found). Prints
// `listening PORT` when it is ready; SIGTERM and SIGINT drain it, within `drain` milliseconds.
import Glibc
import PickerSession
import WebSocketTransport

var configuration = SocketLoopConfiguration()
configuration.subprotocols = ["echo.v1", "echo.v2"]
configuration.log = { isError, line in
  writeLine("\(isError ? "error" : "warning"): \(line)", to: 2)
}
var host = "127.0.0.1"
var port: UInt16 = 0
var descriptor: CInt?
var isProxied = false
var isDouble = false
var certificate: String?
var nodePort: UInt16?
var drainMilliseconds = 3_000

let limits: [String: WritableKeyPath<SocketLoopConfiguration, Int>] = [
  "connectionsMax": \.connectionsMax, "messageBytesMax": \.messageBytesMax,
  "fragmentsMax": \.fragmentsMax, "assemblyMilliseconds": \.assemblyMilliseconds,
  "lookupsMax": \.lookupsMax, "bodyBytesMax": \.bodyBytesMax,
  "headerMilliseconds": \.headerMilliseconds,
  "addressConnectionsMax": \.addressConnectionsMax,
  "bodyMilliseconds": \.bodyMilliseconds, "answerMilliseconds": \.answerMilliseconds,
  "idleSeconds": \.idleSeconds, "pingMilliseconds": \.pingMilliseconds,
  "pongMilliseconds": \.pongMilliseconds, "closeMilliseconds": \.closeMilliseconds,
]
for argument in CommandLine.arguments.dropFirst() {
  let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
  guard parts.count == 2 else { fatalError("not name=value: \(argument)") }
  if parts[0] == "host" {
    host = parts[1]
  } else if parts[0] == "port" {
    port = UInt16(parts[1])!
  } else if parts[0] == "descriptor" {
    descriptor = CInt(parts[1])!
  } else if argument == "proxied=1" {
    isProxied = true
  } else if parts[0] == "tls" {
    certificate = parts[1]
    configuration.hasTLS = true
  } else if argument == "loops=2" {
    isDouble = true
  } else if parts[0] == "proxy" {
    let proxy = parts[1]
    configuration.isProxy = { $0 == proxy }
  } else if parts[0] == "drain" {
    drainMilliseconds = Int(parts[1])!
  } else if parts[0] == "node" {
    nodePort = UInt16(parts[1])!
  } else if parts[0] == "owner" {
    let found: SessionOwner? =
      switch parts[1] {
      case "here": .here
      case "nowhere": .node(2, address: nil)
      case "unknown": .unavailable
      case "silent": nil
      default: .node(2, address: NodeAddress(parts[1])!)
      }
    configuration.owners = SessionOwners(
      isHere: { _ in false }, find: { _, completion in if let found { completion(found) } })
  } else if let limit = limits[parts[0]] {
    configuration[keyPath: limit] = Int(parts[1])!
  } else {
    fatalError("no limit is called \(parts[0])")
  }
}

if isDouble {
  configuration.connections = ConnectionCount(
    connectionsMax: configuration.connectionsMax,
    addressConnectionsMax: configuration.addressConnectionsMax)
}

do {
  let loop = try SocketLoop(configuration)
  let handler = EchoHandler(loop)
  loop.handler = handler
  let second = isDouble ? try SocketLoop(configuration) : nil
  if let second {
    second.handler = EchoHandler(second)
    handler.other = second
  }
  if let certificate { loop.use(try TLSCertificate(certificate: certificate, key: certificate)) }
  let listening = Listening(isTLS: certificate != nil, isProxied: isProxied)
  if let descriptor {
    try loop.listen(on: descriptor, listening)
  } else {
    port = try loop.listen(host: host, port: port, listening)
  }
  if let nodePort {
    _ = try loop.listen(host: host, port: nodePort, Listening(isRelayed: true))
  }
  writeLine("listening \(port)", to: 1)
  drainOnSignals([loop, second].compactMap { $0 }, within: drainMilliseconds)
  let thread = second.map(start)
  loop.run()
  if let thread { pthread_join(thread, nil) }
  writeLine("stopped", to: 1)
} catch {
  writeLine("\(error)", to: 2)
  exit(1)
}

/// Runs a loop on a thread of its own.
func start(_ loop: SocketLoop) -> pthread_t {
  var thread = pthread_t()
  pthread_create(
    &thread, nil,
    { argument in
      Unmanaged<SocketLoop>.fromOpaque(argument!).takeRetainedValue().run()
      return nil
    }, Unmanaged.passRetained(loop).toOpaque())
  return thread
}

/// Waits for the signals on a dedicated thread; all other threads block them.
func drainOnSignals(_ loops: [SocketLoop], within milliseconds: Int) {
  var signals = sigset_t()
  sigemptyset(&signals)
  sigaddset(&signals, SIGTERM)
  sigaddset(&signals, SIGINT)
  pthread_sigmask(SIG_BLOCK, &signals, nil)
  var thread = pthread_t()
  let argument = Unmanaged.passRetained(Loops(loops, milliseconds)).toOpaque()
  pthread_create(
    &thread, nil,
    { argument in
      let draining = Unmanaged<Loops>.fromOpaque(argument!).takeRetainedValue()
      let milliseconds = draining.milliseconds
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGTERM)
      sigaddset(&signals, SIGINT)
      var number: CInt = 0
      sigwait(&signals, &number)
      for loop in draining.loops {
        loop.post {
          (loop.handler as? EchoHandler)?.closeAll()
          loop.drain(withinMilliseconds: milliseconds)
        }
      }
      return nil
    }, argument)
  pthread_detach(thread)
}

/// Boxes the values to pass them through a pointer.
final class Loops {
  let loops: [SocketLoop]
  let milliseconds: Int

  init(_ loops: [SocketLoop], _ milliseconds: Int) {
    self.loops = loops
    self.milliseconds = milliseconds
  }
}

@Sendable func writeLine(_ line: String, to descriptor: CInt) {
  let bytes = Array("\(line)\n".utf8)
  _ = write(descriptor, bytes, bytes.count)
}
