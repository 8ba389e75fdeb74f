// swift-tools-version: 6.1
import PackageDescription

let swiftSettings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

/// A target of the list in ARCHITECTURE.md: it imports targets above it.
func line(
  _ name: String, _ dependencies: [Target.Dependency], _ settings: [SwiftSetting] = []
) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: swiftSettings + settings)
}

/// For the targets with operations of the host: they run on the thread of their hub.
let onHub: [SwiftSetting] = [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies, swiftSettings: swiftSettings)
}

/// Linked with libFuzzer, which has the `main`: built by Tests/fuzz/fuzz.sh only.
let fuzzer: [Target] =
  Context.environment["PICKERD_FUZZ"] == nil
  ? []
  : [
    .executableTarget(
      name: "PickerFuzz", dependencies: ["FuzzTargets"], path: "Tests/fuzz/Run",
      swiftSettings: swiftSettings + [.unsafeFlags(["-parse-as-library"])])
  ]

let package = Package(
  name: "pickerd",
  // For apps that use PickerClient; the server is for Linux.
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .executable(name: "pickerd", targets: ["pickerd"]),
    .library(name: "PickerClient", targets: ["PickerClient"]),
    .executable(name: "picker-simulator", targets: ["PickerSimulatorRun"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
  ],
  targets: [
    // The pure core: values in, values out. No Foundation, no clock, no random of its own.
    line("CivilTime", []),
    line("JSONText", []),
    line("PickerModel", ["CivilTime", "JSONText"]),
    line(
      "PickerSession",
      [
        "PickerModel", "CivilTime", "JSONText",
        .product(name: "DequeModule", package: "swift-collections"),
      ]),
    line("PickerWire", ["PickerSession", "PickerModel", "CivilTime", "JSONText"]),
    line(
      "PickerHub",
      [
        "PickerWire", "PickerSession", "PickerModel", "CivilTime", "JSONText",
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "HeapModule", package: "swift-collections"),
      ], onHub),

    line(
      "PickerHost",
      ["PickerHub", "PickerWire", "PickerSession", "PickerModel", "CivilTime", "JSONText"], onHub),

    // The shell.
    line("BackgroundWork", [.product(name: "DequeModule", package: "swift-collections")]),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    // Needs the headers of libpq-dev; the library is loaded for a PostgreSQL store only.
    .target(name: "CLibPQ", cSettings: [.unsafeFlags(["-Wall", "-Wextra", "-Werror"])]),
    line(
      "SessionLog",
      [
        "BackgroundWork", "CLibPQ", "PickerHub", "PickerWire", "PickerSession", "PickerModel",
        "CSQLite", "CivilTime", "JSONText",
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "HeapModule", package: "swift-collections"),
      ]),
    .systemLibrary(
      name: "CLibWebSockets", pkgConfig: "libwebsockets",
      providers: [.apt(["libwebsockets-dev", "libuv1-dev"])]),
    .target(
      name: "CWebSocketLoop", dependencies: ["CLibWebSockets"],
      cSettings: [.headerSearchPath("."), .unsafeFlags(["-Wall", "-Wextra", "-Werror"])],
      linkerSettings: [
        .linkedLibrary("uv"), .linkedLibrary("ssl"), .linkedLibrary("crypto"),
      ]),
    .target(
      name: "CCertificates", cSettings: [.unsafeFlags(["-Wall", "-Wextra", "-Werror"])],
      linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
    .target(
      name: "CMachine", cSettings: [.unsafeFlags(["-Wall", "-Wextra", "-Werror"])],
      linkerSettings: [.linkedLibrary("crypto"), .linkedLibrary("z")]),
    line("Machine", ["CMachine"]),
    .target(
      name: "CSignatures", cSettings: [.unsafeFlags(["-Wall", "-Wextra", "-Werror"])],
      linkerSettings: [.linkedLibrary("crypto")]),
    line(
      "WebSocketTransport",
      [
        "CCertificates", "CMachine", "Machine", "CWebSocketLoop", "BackgroundWork", "PickerHub",
        "PickerWire", "PickerSession", "PickerModel", "CivilTime",
        .product(name: "DequeModule", package: "swift-collections"),
      ]),
    .systemLibrary(
      name: "CLibYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
    line(
      "PickerServer",
      [
        "CLibYAML", "CMachine", "Machine", "WebSocketTransport", "SessionLog", "PickerHost",
        "PickerHub", "PickerWire", "PickerSession", "PickerModel", "CivilTime", "JSONText",
        "CSignatures",
        .product(name: "Logging", package: "swift-log"),
      ], onHub),
    // Needs the headers of libcurl4-openssl-dev; the server never loads the library.
    .target(
      name: "CHTTPClient", cSettings: [.unsafeFlags(["-Wall", "-Wextra", "-Werror"])]),
    line(
      "PickerTools",
      [
        "CHTTPClient", "CMachine", "CSignatures", "Machine", "PickerServer", "SessionLog",
        "PickerWire", "PickerSession", "PickerModel", "CivilTime", "JSONText",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "HeapModule", package: "swift-collections"),
        .product(name: "Logging", package: "swift-log"),
      ]),
    line(
      "PickerRehearsal",
      [
        "CMachine", "Machine", "WebSocketTransport", "SessionLog", "PickerHost", "PickerHub",
        "PickerWire", "PickerSession", "PickerModel", "CivilTime", "JSONText",
      ]),
    .executableTarget(
      name: "pickerd",
      dependencies: [
        "PickerServer", "PickerTools", "PickerClient", "PickerTerminal", "PickerRehearsal",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: swiftSettings),

    // The other end of the wire: what an app adds, and a terminal on it. Nothing of the server.
    .target(
      name: "CWebSocketClient", dependencies: ["CLibWebSockets"],
      linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
    line(
      "PickerClient",
      [
        "CivilTime", "JSONText",
        .target(name: "CWebSocketClient", condition: .when(platforms: [.linux])),
      ]),
    line("PickerTerminal", ["PickerClient", "JSONText"]),

    tests("CivilTimeTests", ["CivilTime"]),
    tests("JSONTextTests", ["JSONText"]),
    tests("PickerModelTests", ["PickerModel", "CivilTime", "JSONText"]),
    tests("PickerSessionTests", ["PickerSession", "PickerModel", "CivilTime", "JSONText"]),
    tests(
      "PickerWireTests", ["PickerWire", "PickerSession", "PickerModel", "CivilTime", "JSONText"]),
    tests(
      "PickerHubTests",
      [
        "PickerHost", "PickerHub", "PickerWire", "PickerSession", "PickerModel", "CivilTime",
        "JSONText",
      ]),
    tests(
      "SessionLogTests",
      [
        "SessionLog", "BackgroundWork", "PickerHub", "PickerWire", "PickerSession", "PickerModel",
        "CivilTime", "CSQLite", "JSONText",
      ]),
    // The whole world, from a seed.
    .target(
      name: "PickerSimulator",
      dependencies: [
        "PickerClient", "SessionLog", "PickerHost", "PickerHub", "PickerWire", "PickerSession",
        "PickerModel", "CivilTime", "JSONText",
        .product(name: "HeapModule", package: "swift-collections"),
      ],
      path: "Tests/Simulator", swiftSettings: swiftSettings),
    .executableTarget(
      name: "PickerSimulatorRun", dependencies: ["PickerSimulator"],
      path: "Tests/SimulatorRun", swiftSettings: swiftSettings),
    tests("PickerSimulatorTests", ["PickerSimulator"]),
    tests(
      "PickerClientTests",
      [
        "PickerClient", "SessionLog", "PickerHost", "PickerHub", "PickerWire", "PickerSession",
        "PickerModel",
        "CivilTime", "JSONText",
      ]),
    tests(
      "PickerToolsTests",
      ["PickerTools", "PickerServer", "JSONText"]),
    tests("PickerTerminalTests", ["PickerTerminal", "PickerClient", "JSONText"]),
    tests(
      "PickerServerTests",
      [
        "Machine", "CWebSocketLoop", "PickerServer", "PickerTools", "WebSocketTransport",
        "SessionLog", "BackgroundWork", "PickerHub", "PickerWire", "PickerSession", "PickerModel",
        "CivilTime", "JSONText",
        .product(name: "Logging", package: "swift-log"),
      ]),
    tests("PickerRehearsalTests", ["PickerRehearsal", "PickerClient", "JSONText"]),
    .executableTarget(
      name: "SocketEcho",
      dependencies: ["CMachine", "WebSocketTransport", "PickerHub", "PickerWire", "PickerSession"],
      path: "Tests/SocketEcho", swiftSettings: swiftSettings),
    .executableTarget(
      name: "ClientDial", dependencies: ["PickerClient"], path: "Tests/ClientDial",
      swiftSettings: swiftSettings),
    .executableTarget(
      name: "StoreBench",
      dependencies: [
        "SessionLog", "PickerHost", "PickerHub", "PickerWire", "PickerSession", "PickerModel",
        "CivilTime",
      ],
      path: "Tests/StoreBench", swiftSettings: swiftSettings),
    .target(name: "AllocationCount", path: "Tests/AllocationCount"),
    .executableTarget(
      name: "MicroBench",
      dependencies: [
        "AllocationCount", "PickerHost", "PickerHub", "PickerWire", "PickerSession", "PickerModel",
        "CivilTime", "JSONText",
      ],
      path: "Tests/MicroBench", swiftSettings: swiftSettings),
    .target(
      name: "FuzzTargets",
      dependencies: ["PickerSimulator", "PickerWire", "PickerModel", "CivilTime", "JSONText"],
      path: "Tests/fuzz/Targets", swiftSettings: swiftSettings),
    tests("FuzzTests", ["FuzzTargets", "PickerSimulator"]),
  ] + fuzzer
)
