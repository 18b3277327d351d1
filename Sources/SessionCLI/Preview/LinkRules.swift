import SessionHTTP

/// The sites that may be asked for a preview: named ones of the internet, over HTTPS.
struct LinkRules: Sendable {
  /// Why a site is not asked.
  struct Refusal: Error, Hashable {
    let reason: String
  }

  /// Names that belong to this machine, its network, or networks of their own.
  private static let localSuffixes = [
    "onion", "loki", "local", "internal", "home.arpa", "localhost", "lan", "intranet", "test", "invalid",
  ]
  private static let port: UInt16 = 443

  /// Hosts that are never asked, with all that are below them.
  var blocked: [String] = []

  /// Blocked hosts as they stand in a setting: separated by blanks or commas.
  static func hosts(in text: String) -> [String] {
    text.split { $0 == " " || $0 == "," || $0 == "\n" }.map { host in
      let host = host.lowercased()
      return host.hasPrefix("*.") ? String(host.dropFirst(2)) : host
    }
  }

  /// Reads an address, of a link, of an image or of where a site sends requests.
  func check(_ url: PageURL) throws(Refusal) {
    guard url.text.utf8.count <= LinkInText.maxBytes else { throw Refusal(reason: "the address is too long") }
    guard url.isSecure else { throw Refusal(reason: "the address is not https") }
    guard url.port == Self.port else { throw Refusal(reason: "the address has another port than 443") }
    guard !url.isLiteral else { throw Refusal(reason: "the address has no name of a host") }
    var host = url.host[...]
    while host.hasSuffix(".") { host = host.dropLast() }
    // No name of the internet ends in a number, but a proxy may take it for an address.
    guard host.split(separator: ".").last?.first?.isNumber == false else {
      throw Refusal(reason: "the address has no name of a host")
    }
    guard host.contains("."), !Self.localSuffixes.contains(where: { Self.lies(host, below: $0) }) else {
      throw Refusal(reason: "\(host) is no host of the internet")
    }
    guard !blocked.contains(where: { Self.lies(host, below: $0) }) else {
      throw Refusal(reason: "\(host) is blocked in the settings")
    }
  }

  private static func lies(_ host: Substring, below name: String) -> Bool {
    host == name || host.hasSuffix("." + name)
  }
}
