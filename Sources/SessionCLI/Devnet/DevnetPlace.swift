import Glibc

/// Where the private network of a user is, unless they say where.
enum DevnetPlace {
  static func folder(_ environment: [String: String]) -> String {
    guard let folder = environment["XDG_RUNTIME_DIR"], !folder.isEmpty else {
      return "/tmp/session-devnet-\(geteuid())"
    }
    return folder + "/session-devnet"
  }

  static func networkFile(_ environment: [String: String]) -> String {
    folder(environment) + "/network.json"
  }
}
