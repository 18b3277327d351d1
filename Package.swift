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
    .library(name: "SessionCore", targets: ["SessionCore"]),
  ],
  targets: [
    .systemLibrary(name: "CLinux", path: "Sources/System/CLinux"),
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

    .target(
      name: "CSessionCore",
      dependencies: ["CSodium", "CNettle", "CZstd", "CJSON", "CProtobuf"],
      path: "CSessionCore",
      exclude: ["src/crypto/words", "src/message/session.proto"],
      sources: ["src"],
      publicHeadersPath: "include",
      cSettings: cSettings),
    .target(name: "SessionCore", dependencies: ["CSessionCore", "CLinux"], swiftSettings: swiftSettings),
    .target(name: "SessionCLI", dependencies: ["SessionCore"], swiftSettings: swiftSettings),
    .executableTarget(name: "session", dependencies: ["SessionCLI"], swiftSettings: swiftSettings),

    .testTarget(
      name: "SessionCoreTests", dependencies: ["SessionCore", "CSessionCore"],
      exclude: ["Messages/Golden"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "SessionCLITests", dependencies: ["SessionCLI", "SessionCore", "session"],
      exclude: ["Golden"],
      swiftSettings: swiftSettings),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c17
)
