// swift-tools-version: 6.3
import PackageDescription

// The core's warnings, the same set that CMake asks for.
let cSettings: [CSetting] = [
  .treatAllWarnings(as: .error),
  .enableWarning("all"),
  .enableWarning("extra"),
  .enableWarning("pedantic"),
  .enableWarning("conversion"),
]

let swiftSettings: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "session",
  products: [
    .executable(name: "session", targets: ["session"]),
    .library(name: "SessionBase", targets: ["SessionBase"]),
    .library(name: "SessionCore", targets: ["SessionCore"]),
    .library(name: "SessionEndpoint", targets: ["SessionEndpoint"]),
    .library(name: "SessionNodeCore", targets: ["SessionNodeCore"]),
    .library(name: "SessionStorage", targets: ["SessionStorage"]),
    .library(name: "SessionHTTP", targets: ["SessionHTTP"]),
    .library(name: "SessionService", targets: ["SessionService"]),
    .library(name: "SessionNode", targets: ["SessionNode"]),
    .library(name: "SessionServers", targets: ["SessionServers"]),
    .library(name: "SessionJobs", targets: ["SessionJobs"]),
    .library(name: "SessionNetworking", targets: ["SessionNetworking"]),
    .library(name: "SessionMessaging", targets: ["SessionMessaging"]),
    .library(name: "SessionDaemon", targets: ["SessionDaemon"]),
    .library(name: "SessionTerminal", targets: ["SessionTerminal"]),
    .library(name: "SessionDesktop", targets: ["SessionDesktop"]),
  ],
  targets: [
    .systemLibrary(name: "CLinux", path: "Sources/System/CLinux"),
    .systemLibrary(name: "CSpawn", path: "Sources/System/CSpawn"),
    .systemLibrary(
      name: "CSodium", path: "Sources/System/CSodium", pkgConfig: "libsodium",
      providers: [.apt(["libsodium-dev"])]),
    .systemLibrary(
      name: "CNettle", path: "Sources/System/CNettle", pkgConfig: "nettle",
      providers: [.apt(["nettle-dev"])]),
    .systemLibrary(
      name: "CZstd", path: "Sources/System/CZstd", pkgConfig: "libzstd",
      providers: [.apt(["libzstd-dev"])]),
    .systemLibrary(
      name: "CJSON", path: "Sources/System/CJSON", pkgConfig: "json-c",
      providers: [.apt(["libjson-c-dev"])]),
    .systemLibrary(
      name: "CProtobuf", path: "Sources/System/CProtobuf", pkgConfig: "libprotobuf-c",
      providers: [.apt(["libprotobuf-c-dev"])]),
    .systemLibrary(
      name: "CNGTCP2", path: "Sources/System/CNGTCP2", pkgConfig: "libngtcp2",
      providers: [.apt(["libngtcp2-dev"])]),
    .systemLibrary(
      name: "CNGTCP2Crypto", path: "Sources/System/CNGTCP2Crypto", pkgConfig: "libngtcp2_crypto_gnutls",
      providers: [.apt(["libngtcp2-crypto-gnutls-dev"])]),
    .systemLibrary(
      name: "CGnuTLS", path: "Sources/System/CGnuTLS", pkgConfig: "gnutls",
      providers: [.apt(["libgnutls28-dev"])]),
    .systemLibrary(
      name: "CSQLCipher", path: "Sources/System/CSQLCipher", pkgConfig: "sqlcipher",
      providers: [.apt(["libsqlcipher-dev"])]),
    .systemLibrary(
      name: "CQREncode", path: "Sources/System/CQREncode", pkgConfig: "libqrencode",
      providers: [.apt(["libqrencode-dev"])]),
    .systemLibrary(
      name: "CEdit", path: "Sources/System/CEdit",
      providers: [.apt(["libedit-dev"])]),
    .systemLibrary(
      name: "CUTF8Proc", path: "Sources/System/CUTF8Proc",
      providers: [.apt(["libutf8proc-dev"])]),

    // Loaded, not linked: setup-debian.sh installs libcurl4-gnutls-dev and libmicrohttpd-dev.
    .target(name: "CHTTP", path: "Sources/System/CHTTP", cSettings: cSettings),
    // Loaded, not linked: setup-debian.sh installs libpq-dev.
    .target(name: "CPostgreSQL", path: "Sources/System/CPostgreSQL", cSettings: cSettings),
    .target(
      name: "CSessionCore",
      dependencies: [
        "CSodium", "CNettle", "CZstd", "CJSON", "CProtobuf", "CNGTCP2", "CNGTCP2Crypto", "CGnuTLS",
      ],
      path: "CSessionCore",
      exclude: ["src/crypto/words", "src/message/session.proto"],
      sources: ["src"],
      publicHeadersPath: "include",
      cSettings: cSettings),
    // Loads libsystemd when a desktop is first used.
    .target(name: "CSystemBus", path: "Sources/System/CSystemBus", cSettings: cSettings),
    .target(name: "SessionBase", dependencies: ["CLinux"], swiftSettings: swiftSettings),
    .target(
      name: "SessionCore", dependencies: ["CSessionCore", "SessionBase"], swiftSettings: swiftSettings),
    .target(
      name: "SessionEndpoint", dependencies: ["CSessionCore", "SessionCore", "SessionBase"],
      swiftSettings: swiftSettings),
    .target(
      name: "SessionNodeCore",
      dependencies: ["CSessionCore", "SessionEndpoint", "SessionCore", "SessionBase"],
      swiftSettings: swiftSettings),
    .target(
      name: "SessionStorage",
      dependencies: ["SessionCore", "SessionBase", "CLinux", "CSQLCipher", "CPostgreSQL", "CUTF8Proc"],
      swiftSettings: swiftSettings),
    .target(
      name: "SessionHTTP",
      dependencies: ["SessionCore", "SessionBase", "CLinux", "CHTTP", "CGnuTLS"],
      swiftSettings: swiftSettings),
    .target(
      name: "SessionService",
      dependencies: [
        "SessionHTTP", "SessionStorage", "SessionNodeCore", "SessionEndpoint", "SessionCore", "SessionBase",
      ],
      swiftSettings: swiftSettings),
    .target(
      name: "SessionNode",
      dependencies: [
        "SessionService", "SessionHTTP", "SessionStorage", "SessionNodeCore", "SessionEndpoint",
        "SessionCore", "SessionBase",
      ],
      swiftSettings: swiftSettings),
    .target(
      name: "SessionServers",
      dependencies: [
        "SessionService", "SessionHTTP", "SessionStorage", "SessionNodeCore", "SessionEndpoint",
        "SessionCore", "SessionBase", "CQREncode", "CSpawn",
      ],
      swiftSettings: swiftSettings),
    .target(
      name: "SessionJobs", dependencies: ["SessionStorage", "SessionCore", "SessionBase"],
      swiftSettings: swiftSettings),
    .target(
      name: "SessionNetworking", dependencies: ["SessionEndpoint", "SessionCore", "SessionBase"],
      swiftSettings: swiftSettings),
    .target(
      name: "SessionMessaging",
      dependencies: ["SessionNetworking", "SessionJobs", "SessionStorage", "SessionCore", "SessionBase"],
      swiftSettings: swiftSettings),
    .target(
      name: "SessionDaemon",
      dependencies: ["SessionMessaging", "SessionStorage", "SessionCore", "SessionBase", "CLinux", "CSpawn"],
      swiftSettings: swiftSettings),
    .target(
      name: "SessionDesktop", dependencies: ["SessionCore", "SessionBase", "CSystemBus"],
      swiftSettings: swiftSettings),
    .target(
      name: "SessionTerminal", dependencies: ["SessionBase", "CUTF8Proc"], swiftSettings: swiftSettings),
    .target(
      name: "SessionCLI",
      dependencies: [
        "SessionTerminal", "SessionDesktop", "SessionDaemon", "SessionMessaging", "SessionNetworking",
        "SessionJobs",
        "SessionServers",
        "SessionStorage",
        "SessionNode", "SessionService", "SessionHTTP", "SessionNodeCore", "SessionEndpoint", "SessionCore",
        "SessionBase",
        "CEdit", "CQREncode", "CSpawn",
        "CUTF8Proc",
      ],
      swiftSettings: swiftSettings),
    .executableTarget(name: "session", dependencies: ["SessionCLI"], swiftSettings: swiftSettings),

    // What `make bench` runs: the printing of the core's benchmarks, the floor, and what is measured against it.
    .target(
      name: "CBench", dependencies: ["CSessionCore"], path: "CSessionCore/bench",
      exclude: ["CMakeLists.txt"], sources: ["bench.c"], publicHeadersPath: ".", cSettings: cSettings),
    .target(
      name: "StorageFloor", dependencies: ["CSQLCipher", "CSodium"], path: "Benchmarks/StorageFloor",
      cSettings: cSettings),
    .target(
      name: "Measuring", dependencies: ["SessionStorage", "SessionCore", "StorageFloor", "CBench"],
      path: "Benchmarks/Measuring", swiftSettings: swiftSettings),
    .executableTarget(
      name: "SessionStorageBench", dependencies: ["Measuring", "SessionStorage", "StorageFloor", "CBench"],
      path: "Benchmarks/SessionStorageBench", swiftSettings: swiftSettings),
    .executableTarget(
      name: "SessionJobsBench",
      dependencies: ["Measuring", "SessionJobs", "SessionStorage", "StorageFloor", "CBench"],
      path: "Benchmarks/SessionJobsBench", swiftSettings: swiftSettings),
    .executableTarget(
      name: "SessionNodeBench",
      dependencies: [
        "Measuring", "SessionNode", "SessionStorage", "SessionNodeCore", "SessionEndpoint", "SessionCore",
        "SessionBase",
        "CSessionCore",
        "StorageFloor", "CBench",
      ],
      path: "Benchmarks/SessionNodeBench", swiftSettings: swiftSettings),
    .executableTarget(
      name: "SessionServersBench",
      dependencies: [
        "Measuring", "SessionServers", "SessionStorage", "SessionCore", "SessionBase", "CSessionCore",
        "CSodium",
        "CBench",
      ],
      path: "Benchmarks/SessionServersBench", swiftSettings: swiftSettings),
    .executableTarget(
      name: "SessionMessagingBench",
      dependencies: [
        "Measuring", "SessionMessaging", "SessionNetworking", "SessionNode", "SessionStorage", "SessionCore",
        "SessionBase", "StorageFloor", "CBench", "TestCommunity",
      ],
      path: "Benchmarks/SessionMessagingBench", swiftSettings: swiftSettings),
    .executableTarget(
      name: "SessionTerminalBench", dependencies: ["Measuring", "SessionTerminal", "CBench"],
      path: "Benchmarks/SessionTerminalBench", swiftSettings: swiftSettings),
    // A home with accounts of a private network, and the programs that are run in it.
    .target(
      name: "Household",
      dependencies: ["Measuring", "SessionNode", "SessionStorage", "CBench"],
      path: "Benchmarks/Household", swiftSettings: swiftSettings),
    // The least that a program in Swift is.
    .executableTarget(name: "empty-program", path: "Benchmarks/EmptyProgram", swiftSettings: swiftSettings),
    .executableTarget(
      name: "SessionCLIBench",
      dependencies: ["Household", "Measuring", "SessionNode", "SessionCore", "CBench"],
      path: "Benchmarks/SessionCLIBench", swiftSettings: swiftSettings),
    .executableTarget(
      name: "SessionDaemonBench",
      dependencies: ["Household", "Measuring", "SessionCore", "SessionBase", "CBench"],
      path: "Benchmarks/SessionDaemonBench", swiftSettings: swiftSettings),

    // A temporary folder for tests.
    .target(name: "Folders", path: "Tests/Support/Folders", swiftSettings: swiftSettings),
    // Programs that tests start, and pipes to them.
    .target(name: "Spawning", path: "Tests/Support/Spawning", swiftSettings: swiftSettings),
    // Message buses of a test's own, and what answers on them.
    .target(
      name: "PrivateBuses", dependencies: ["SessionDesktop", "SessionBase", "Spawning"],
      path: "Tests/Support/PrivateBuses", swiftSettings: swiftSettings),
    // A terminal without a screen.
    .target(
      name: "PseudoTerminals", dependencies: ["Spawning"], path: "Tests/Support/PseudoTerminals",
      swiftSettings: swiftSettings),
    // A proxy on loopback that says what it was asked for.
    .target(
      name: "LoopbackProxy", dependencies: ["SessionBase"], path: "Tests/Support/LoopbackProxy",
      swiftSettings: swiftSettings),
    // Connections of clients that speak no protocol of their own.
    .target(
      name: "RawConnections", dependencies: ["SessionCore"], path: "Tests/Support/RawConnections",
      swiftSettings: swiftSettings),
    // A headless browser, where one is installed.
    .target(
      name: "Browsing", dependencies: ["Folders", "SessionBase", "Spawning"], path: "Tests/Support/Browsing",
      swiftSettings: swiftSettings),
    // Random numbers that tests can repeat.
    .target(name: "SeededNumbers", path: "Tests/Support/SeededNumbers", swiftSettings: swiftSettings),
    // A database whose writes fail when a test says so.
    .target(
      name: "FailingStorage", dependencies: ["SessionStorage"], path: "Tests/Support/FailingStorage",
      swiftSettings: swiftSettings),
    // A community server for tests, in memory and over HTTP on loopback.
    .target(
      name: "TestCommunity",
      dependencies: ["SessionNetworking", "SessionHTTP", "SessionCore", "SessionBase"],
      path: "Tests/Support/TestCommunity", swiftSettings: swiftSettings),
    // A PostgreSQL server for tests.
    .target(
      name: "TestPostgreSQL", dependencies: ["SessionStorage", "Spawning"],
      path: "Tests/Support/TestPostgreSQL",
      swiftSettings: swiftSettings),
    // What tests find out about those who wake tasks.
    .target(name: "Waking", path: "Tests/Support/Waking", swiftSettings: swiftSettings),
    // It redefines calls of the system, so nothing but tests may link it.
    .target(
      name: "CDiskRecorder", path: "Tests/Support/CDiskRecorder", publicHeadersPath: "include",
      cSettings: cSettings),
    .target(
      name: "StorageLedger", dependencies: ["SessionStorage", "SessionCore"],
      path: "Tests/Support/StorageLedger", swiftSettings: swiftSettings),
    .executableTarget(
      name: "storage-writer", dependencies: ["StorageLedger", "SessionStorage"],
      path: "Tests/Support/storage-writer",
      swiftSettings: swiftSettings),
    .executableTarget(
      name: "messenger-resident",
      dependencies: [
        "SessionMessaging", "SessionNetworking", "SessionStorage", "SessionCore", "SessionBase",
      ],
      path: "Tests/Support/messenger-resident", swiftSettings: swiftSettings),
    // The bot of docs/messenger.md.
    .executableTarget(
      name: "echo-bot",
      dependencies: ["SessionMessaging", "SessionNetworking", "SessionStorage", "SessionCore"],
      path: "Tests/Support/echo-bot", swiftSettings: swiftSettings),
    .executableTarget(
      name: "MessengerSoak",
      dependencies: [
        "SessionMessaging", "SessionNetworking", "SessionServers", "SessionNode", "SessionStorage",
        "SessionCore",
      ],
      path: "Tests/MessengerSoak", swiftSettings: swiftSettings),
    .testTarget(
      name: "SessionBaseTests", dependencies: ["SessionBase", "Folders", "Spawning", "Waking"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "SessionCoreTests",
      dependencies: [
        "SessionNode", "SessionNetworking", "SessionNodeCore", "SessionEndpoint", "SessionCore",
        "SessionBase", "CSessionCore",
        "Folders", "Waking",
        "SeededNumbers",
      ],
      exclude: ["Messages/Golden"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "SessionStorageTests",
      dependencies: [
        "SessionStorage", "SessionCore", "SessionBase", "CDiskRecorder", "StorageLedger", "storage-writer",
        "TestPostgreSQL", "Spawning",
      ],
      exclude: ["Golden"],
      swiftSettings: swiftSettings),
    // What can happen to jobs and their runner, at random, beside a model of it.
    .target(
      name: "JobHistories", dependencies: ["SessionJobs", "SessionStorage"], path: "Tests/JobHistories",
      swiftSettings: swiftSettings),
    .executableTarget(
      name: "JobSoak", dependencies: ["JobHistories"], path: "Tests/JobSoak",
      swiftSettings: swiftSettings),
    .testTarget(
      name: "SessionJobsTests",
      dependencies: [
        "SessionJobs", "SessionStorage", "SessionCore", "SessionBase", "JobHistories", "FailingStorage",
      ],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "SessionHTTPTests",
      dependencies: ["SessionHTTP", "SessionCore", "CLinux", "Waking", "LoopbackProxy", "RawConnections"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "SessionServiceTests", dependencies: ["SessionService"],
      swiftSettings: swiftSettings),
    // Accounts that store and retrieve while nodes die and come back.
    .target(
      name: "SwarmTrials",
      dependencies: ["SessionNode", "SessionNodeCore", "SessionEndpoint", "SessionCore", "SessionBase"],
      path: "Tests/SwarmTrials",
      swiftSettings: swiftSettings),
    .executableTarget(
      name: "NodeSoak", dependencies: ["SwarmTrials"], path: "Tests/NodeSoak", swiftSettings: swiftSettings),
    .testTarget(
      name: "SessionNodeTests",
      dependencies: [
        "SessionNode", "SessionService", "SessionStorage", "SessionHTTP", "SessionNodeCore",
        "SessionEndpoint", "SessionCore",
        "SessionBase",
        "CSessionCore", "SwarmTrials",
      ],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "SessionServersTests",
      dependencies: [
        "SessionServers", "SessionNode", "SessionService", "SessionHTTP", "SessionStorage", "SessionNodeCore",
        "SessionEndpoint", "SessionCore", "SessionBase",
        "CSessionCore", "CSQLCipher", "CDiskRecorder", "TestPostgreSQL", "Browsing", "SeededNumbers",
        "RawConnections", "Spawning",
      ],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "SessionNetworkingTests",
      dependencies: ["SessionNetworking", "SessionCore", "SessionBase", "TestCommunity", "SeededNumbers"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "SessionMessagingTests",
      dependencies: [
        "SessionMessaging", "SessionNetworking", "SessionJobs", "SessionStorage", "SessionEndpoint",
        "SessionCore",
        "SessionBase", "CSessionCore", "Folders", "SeededNumbers", "FailingStorage", "TestCommunity",
      ],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "SessionDaemonTests",
      dependencies: [
        "SessionDaemon", "SessionMessaging", "SessionNetworking", "SessionStorage", "SessionCore",
        "SessionBase", "Folders", "SeededNumbers", "Spawning",
      ],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "IntegrationTests",
      dependencies: [
        "SessionMessaging", "SessionNetworking", "SessionServers", "SessionNode", "SessionService",
        "SessionNodeCore", "SessionHTTP", "SessionJobs", "SessionStorage", "SessionCore", "TestCommunity",
        "messenger-resident", "echo-bot", "Spawning",
      ],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "SessionDesktopTests",
      dependencies: [
        "SessionDesktop", "SessionCore", "SessionBase", "CSystemBus", "PrivateBuses", "Spawning",
      ],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "SessionTerminalTests",
      dependencies: ["SessionTerminal", "SessionBase", "SeededNumbers", "PseudoTerminals"],
      exclude: ["Golden"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "SessionCLITests",
      dependencies: [
        "SessionCLI", "SessionTerminal", "PseudoTerminals", "SessionDaemon", "SessionMessaging",
        "SessionServers", "SessionService", "SessionHTTP",
        "SessionNodeCore",
        "SessionEndpoint", "SessionNetworking", "SessionStorage", "SessionCore", "SessionBase",
        "CEdit", "session", "Browsing", "PrivateBuses", "SessionDesktop", "LoopbackProxy",
        "Spawning",
      ],
      exclude: ["Golden"],
      swiftSettings: swiftSettings),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c17
)
