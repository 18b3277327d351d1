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
    .systemLibrary(
      name: "CNGTCP2", path: "Sources/System/CNGTCP2", pkgConfig: "libngtcp2",
      providers: [.apt(["libngtcp2-dev"])]),
    .systemLibrary(
      name: "CNGTCP2Crypto", path: "Sources/System/CNGTCP2Crypto", pkgConfig: "libngtcp2_crypto_gnutls",
      providers: [.apt(["libngtcp2-crypto-gnutls-dev"])]),
    .systemLibrary(
      name: "CGnuTLS", path: "Sources/System/CGnuTLS", pkgConfig: "gnutls",
      providers: [.apt(["libgnutls28-dev"])]),

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
