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

  /// What a setting of blocked hosts is, if it names none.
  static let expectedHosts = "a list of names of sites such as example.org, separated by blanks"

  /// Hosts as they stand in a list: separated by blanks or commas.
  static func hosts(in text: String) -> [String] {
    text.split { $0 == "," || $0.isWhitespace }.map { host in
      let host = host.lowercased()
      return host.hasPrefix("*.") ? String(host.dropFirst(2)) : host
    }
  }

  /// The hosts of a list in the form that addresses have; nil if one can be none, as it would block nothing.
  static func blockedHosts(in text: String) -> [String]? {
    var blocked: [String] = []
    for entry in hosts(in: text) {
      guard let host = plainHost(entry) else { return nil }
      blocked.append(host)
    }
    return blocked
  }

  private static func plainHost(_ entry: String) -> String? {
    var host = entry[...]
    while host.hasPrefix(".") { host = host.dropFirst() }
    while host.hasSuffix(".") { host = host.dropLast() }
    // Names of these letters are the same in every form, and need no parser.
    let isPlain = host.unicodeScalars.allSatisfy { letter in
      switch letter {
      case "a"..."z", "0"..."9", "-", ".", "_": true
      default: false
      }
    }
    guard !isPlain else { return host.isEmpty || host.contains("..") ? nil : String(host) }
    do throws(HTTPError) {
      let url = try PageURL(parsing: "https://\(host)/")
      return url.text == "https://\(url.host)/" ? url.host : nil
    } catch {
      // Without the parser no site is contacted either.
      return error == .url ? nil : String(host)
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
