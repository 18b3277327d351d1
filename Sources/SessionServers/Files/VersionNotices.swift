import FoundationEssentials
import Glibc
import SessionBase
import SessionCore
import SessionHTTP

/// The operator's notices of new client versions: JSON files in a folder, one for each platform.
struct VersionNotices: Sendable {
  /// True for the name of a platform: the operator decides which there are.
  static func isPlatform(_ name: String) -> Bool {
    (1...32).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }

  static let channels: Set<String> = ["stable", "prerelease", "alpha"]
  private static let maxBytes = 256 * 1024

  struct Release: Codable {
    struct Asset: Codable {
      let name: String
      let url: String
    }

    /// The version.
    let result: String
    let name: String?
    let notes: String?
    let assets: [Asset]?
  }

  struct Notice: Codable {
    let result: String
    let name: String?
    let notes: String?
    let assets: [Release.Asset]?
    let prerelease: Release?
  }

  struct Reply: Encodable {
    let statusCode = 200
    /// When the operator wrote it: seconds since 1970.
    let updated: Double
    let result: String
    let name: String?
    let notes: String?
    let assets: [Release.Asset]?
    let prerelease: Release?

    enum CodingKeys: String, CodingKey {
      case statusCode = "status_code"
      case updated, result, name, notes, assets, prerelease
    }
  }

  let folder: String

  /// The notice for a platform; nil without one. A channel may have its own file, such as `desktop-alpha.json` in addition
  /// to `desktop.json`.
  func reply(platform: String, channel: String?) -> Reply? {
    let own = channel.flatMap { read("\(folder)/\(platform)-\($0).json") }
    return own ?? read("\(folder)/\(platform).json")
  }

  private func read(_ path: String) -> Reply? {
    var status = stat()
    guard stat(path, &status) == 0, let text = try? OpenFile(reading: path).readAll(upTo: Self.maxBytes),
      let notice = try? JSONDecoder().decode(Notice.self, from: Data(text))
    else { return nil }
    return Reply(
      updated: Double(status.st_mtim.tv_sec), result: notice.result, name: notice.name, notes: notice.notes,
      assets: notice.assets, prerelease: notice.prerelease)
  }
}

extension FileServer {
  func version(_ visit: Visit) async throws -> HTTPResponse {
    let target = visit.request.target
    guard let platform = target[query: "platform"], VersionNotices.isPlatform(platform) else {
      throw ServerRefusal.notFound
    }
    let channel = target[query: "release_channel"]
    guard channel.map(VersionNotices.channels.contains) ?? true else { throw ServerRefusal.badRequest }
    let reply = await WorkerQueue("session.files.versions").run { [versions] in
      versions.reply(platform: platform, channel: channel)
    }
    guard let reply else {
      throw ServerRefusal.badGateway
    }
    return .json(reply)
  }
}
