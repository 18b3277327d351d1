internal import CSessionCore

/// The address of an uploaded file: on a file server, or in the room of a community.
public struct FileURL: Hashable, Sendable {
  public enum Scheme: String, Sendable, CaseIterable {
    case http, https

    var defaultPort: UInt16 { self == .http ? 80 : 443 }
  }

  public let scheme: Scheme
  /// An IPv6 address keeps its brackets.
  public let host: String
  public let port: UInt16
  /// The room, for a file of a community.
  public let room: String?
  public let fileID: String
  /// True if the file is encrypted as a stream.
  public let isStream: Bool
  /// The server's Ed25519 key, 32 bytes, unless it is the default one.
  public let serverKey: [UInt8]?

  public init(
    _ scheme: Scheme, host: String, port: UInt16? = nil, room: String? = nil, fileID: String,
    isStream: Bool = false, serverKey: [UInt8]? = nil
  ) throws(SessionError) {
    let port = port ?? scheme.defaultPort
    let isPossible =
      Self.isHost(host) && port > 0 && Self.isName(fileID) && room.map(Self.isName) ?? true
      && serverKey.map { $0.count == Int(SC_KEY_BYTES) } ?? true
    try MessageRule.fileURL.require(isPossible)
    self.scheme = scheme
    self.host = host
    self.port = port
    self.room = room
    self.fileID = fileID
    self.isStream = isStream
    self.serverKey = serverKey
  }

  /// What old clients know the file by; 0 unless its id is a number.
  public var number: UInt64 { fileID.utf8.allSatisfy(\.isDigit) ? UInt64(fileID) ?? 0 : 0 }
}

extension FileURL: LosslessStringConvertible {
  public init?(_ description: String) {
    guard let url = try? FileURL(parsing: description) else { return nil }
    self = url
  }

  public init(parsing text: String) throws(SessionError) {
    let halves = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let parts = halves[0].split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count > 4, parts[1].isEmpty, parts[0].last == ":",
      let scheme = Scheme(rawValue: parts[0].dropLast().lowercased()),
      let (host, port) = Self.authority(parts[2]), let (room, fileID) = Self.path(parts[3...])
    else { throw SessionError(.fileURL) }
    let parameters = halves.count > 1 ? halves[1].split(separator: "&") : []
    try self.init(
      scheme, host: host, port: port, room: room, fileID: fileID,
      isStream: parameters.contains { $0 == "d" || $0.hasPrefix("d=") },
      serverKey: Self.serverKey(in: parameters))
  }

  public var description: String {
    let port = port == scheme.defaultPort ? "" : ":\(port)"
    let path = room.map { "/room/\($0)/file/" } ?? "/file/"
    let parameters = [serverKey.map { "p=" + $0.hex }, isStream ? "d" : nil].compactMap(\.self)
    let fragment = parameters.isEmpty ? "" : "#" + parameters.joined(separator: "&")
    return "\(scheme)://\(host)\(port)\(path)\(fileID)\(fragment)"
  }

  private static func authority(_ text: Substring) -> (host: String, port: UInt16?)? {
    let afterAddress = text.lastIndex(of: "]") ?? text.startIndex
    guard let colon = text[afterAddress...].firstIndex(of: ":") else { return (String(text), nil) }
    let digits = text[text.index(after: colon)...]
    guard digits.utf8.allSatisfy(\.isDigit), let port = UInt16(digits) else { return nil }
    return (String(text[..<colon]), port)
  }

  private static func path(_ segments: ArraySlice<Substring>) -> (room: String?, fileID: String)? {
    switch segments.count {
    case 2 where ["file", "files"].contains(segments[segments.startIndex]):
      return segments.last.map { (nil, String($0)) }
    case 4 where segments[segments.startIndex] == "room" && segments[segments.startIndex + 2] == "file":
      return segments.last.map { (String(segments[segments.startIndex + 1]), String($0)) }
    default:
      return nil
    }
  }

  private static func serverKey(in parameters: [Substring]) -> [UInt8]? {
    guard let parameter = parameters.first(where: { $0.hasPrefix("p=") }),
      let key = try? [UInt8](hex: parameter.dropFirst(2).utf8), key.count == Int(SC_KEY_BYTES)
    else { return nil }
    return key
  }

  private static func isHost(_ text: String) -> Bool {
    let isAddress = text.hasPrefix("[") && text.hasSuffix("]")
    let name = isAddress ? text.dropFirst().dropLast() : text[...]
    return !name.isEmpty
      && name.utf8.allSatisfy {
        $0.isDigit || $0.isLetter || $0 == UInt8(ascii: ".")
          || $0 == UInt8(ascii: isAddress ? ":" : "-") || ($0 == UInt8(ascii: "_") && !isAddress)
      }
  }

  private static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy(\.isNameCharacter)
  }
}

extension UInt8 {
  var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
  var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
  /// Letters, digits, `_` and `-`: what names of rooms and ids of files are made of.
  var isNameCharacter: Bool { isDigit || isLetter || self == UInt8(ascii: "_") || self == UInt8(ascii: "-") }
}
