import FoundationEssentials
import SessionCore

/// The newest version of a program, as a file server says. It is untrusted input.
public struct PublishedVersion: Hashable, Sendable, Codable {
  public let platform: String
  public let version: String
  /// When the operator wrote it, in milliseconds since 1970; nil if the server does not say.
  public let updatedAt: Int64?

  /// The official apps.
  public static let officialPlatforms = ["desktop", "android", "ios"]
  /// Programs without a screen, on private networks.
  public static let headless = "headless"

  static let maxReply = 256 * 1024
  private static let maxVersion = 64

  /// Throws `transient` for a reply that names no version.
  init(_ platform: String, in body: [UInt8]) throws(NetworkFailure) {
    guard body.count <= Self.maxReply, let reply = try? JSONDecoder().decode(Reply.self, from: Data(body)),
      (1...Self.maxVersion).contains(reply.result.utf8.count),
      reply.result.utf8.allSatisfy(Self.isVersionByte)
    else { throw NetworkFailure(.transient, "the file server sent no version of \(platform)") }
    self.platform = platform
    version = reply.result
    updatedAt = reply.updated.flatMap { $0 > 0 && $0 < 253_402_300_799 ? Int64($0 * 1000) : nil }
  }

  private struct Reply: Decodable {
    let result: String
    let updated: Double?

    private enum CodingKeys: String, CodingKey {
      case result, updated
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      result = try container.decode(String.self, forKey: .result)
      updated = try? container.decode(Double.self, forKey: .updated)
    }
  }

  private static func isVersionByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}

extension FileClient {
  /// Asks our own server for the newest version of a program; nil if it has none. The request is not signed, so that it
  /// tells nothing of who asks.
  public func version(of platform: String) async throws(NetworkFailure) -> PublishedVersion? {
    let isName = platform.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    guard isName, (1...32).contains(platform.utf8.count) else {
      throw NetworkFailure(.rejected, "this is not the name of a platform")
    }
    let request = ServerRequest(.get, "/session_version?platform=\(platform)", body: nil)
    guard let reply = try await found(request, for: .seconds(10)) else { return nil }
    return try PublishedVersion(platform, in: reply.body)
  }
}
