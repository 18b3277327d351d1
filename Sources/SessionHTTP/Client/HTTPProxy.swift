/// A proxy through which a client reaches all servers. It also looks up their names, so that no query for them leaves
/// this machine.
public struct HTTPProxy: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// SOCKS 5, with names.
    case socks5h
    /// HTTP, with CONNECT.
    case http
  }

  /// Why a text names no proxy.
  public enum Mistake: Error, Hashable, Sendable {
    /// It looks names up on this machine, where others would see them.
    case leaksNames
    /// The user or password are in the URL, where other users of this machine may see them.
    case password
    case other
  }

  public let kind: Kind
  /// A name, or an address without brackets.
  public let host: String
  public let port: UInt16
  public var user: String?
  public var password: String?

  /// Parses `socks5h://HOST:PORT` or `http://HOST:PORT`.
  public init(parsing text: String) throws(Mistake) {
    guard let colon = text.firstRange(of: "://") else { throw .other }
    let scheme = text[..<colon.lowerBound].lowercased()
    guard !["socks5", "socks4", "socks"].contains(scheme) else { throw .leaksNames }
    guard let kind = Kind(rawValue: scheme) else { throw .other }
    var rest = text[colon.upperBound...]
    if rest.hasSuffix("/") { rest = rest.dropLast() }
    guard !rest.contains("@") else { throw .password }
    guard let last = rest.lastIndex(of: ":"), let port = UInt16(rest[rest.index(after: last)...]), port > 0
    else { throw .other }
    var host = rest[..<last]
    let isLiteral = host.hasPrefix("[") && host.hasSuffix("]")
    if isLiteral { host = host.dropFirst().dropLast() }
    let allowed: (Character) -> Bool = { character in
      character.isASCII && (character.isLetter || character.isNumber || character == "." || character == "-")
        || isLiteral && character == ":"
    }
    guard !host.isEmpty, host.allSatisfy(allowed) else { throw .other }
    self.kind = kind
    self.host = String(host)
    self.port = port
  }

  /// As libcurl takes it.
  var url: String { "\(kind.rawValue)://\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}

extension HTTPProxy: CustomStringConvertible {
  /// Without the user and password.
  public var description: String { url }
}
