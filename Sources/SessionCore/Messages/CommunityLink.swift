internal import CSessionCore

/// The address of a community's room, with the key of its server.
public struct CommunityLink: Hashable, Sendable {
  /// Scheme, host in lower case, and the port unless it is the usual one: `https://example.org`.
  public let server: String
  /// As it was written; rooms are compared in lower case.
  public let room: String
  /// The server's public key, 32 bytes.
  public let serverKey: [UInt8]

  private static let maxServerCharacters = 267
  private static let maxRoomCharacters = 64
}

extension CommunityLink: LosslessStringConvertible {
  /// Nil for anything that is no such address.
  public init?(_ description: String) {
    guard let link = try? CommunityLink(parsing: description) else { return nil }
    self = link
  }

  public init(parsing text: String) throws(SessionError) {
    guard let link = Self.parts(of: text) else { throw SessionError(.invitationURL) }
    self = link
  }

  public var description: String { "\(server)/\(room)?public_key=\(serverKey.hex)" }

  private static func parts(of text: String) -> CommunityLink? {
    let halves = text.split(separator: "?public_key=", omittingEmptySubsequences: false)
    guard halves.count == 2, let key = key(halves[1]) else { return nil }
    var segments = halves[0].split(separator: "/", omittingEmptySubsequences: false)
    guard segments.count > 3, segments[1].isEmpty else { return nil }
    if segments.count > 4, segments[3] == "r" { segments.remove(at: 3) }
    guard segments.count == 4, let server = server(scheme: segments[0], authority: segments[2]),
      isRoom(segments[3])
    else { return nil }
    return CommunityLink(server: server, room: String(segments[3]), serverKey: key)
  }

  private static func server(scheme: Substring, authority: Substring) -> String? {
    guard scheme.hasSuffix(":"), let scheme = FileURL.Scheme(rawValue: scheme.dropLast().lowercased()) else {
      return nil
    }
    let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let host = parts[0].lowercased()
    var port = UInt16(0)
    if parts.count > 1 {
      guard parts[1].utf8.allSatisfy(\.isDigit), let number = UInt16(parts[1]) else { return nil }
      port = number
    }
    let server = "\(scheme)://\(host)" + (port == 0 || port == scheme.defaultPort ? "" : ":\(port)")
    return isHost(host) && server.utf8.count <= maxServerCharacters ? server : nil
  }

  private static func isHost(_ host: String) -> Bool {
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    return host.utf8.count >= 4 && labels.count > 1
      && labels.allSatisfy { label in
        !label.isEmpty && label.utf8.allSatisfy { $0.isNameCharacter && $0 != UInt8(ascii: "_") }
      }
  }

  private static func isRoom(_ room: Substring) -> Bool {
    (1...maxRoomCharacters).contains(room.utf8.count) && room.utf8.allSatisfy(\.isNameCharacter)
  }

  private static func key(_ text: Substring) -> [UInt8]? {
    let size = Int(SC_KEY_BYTES)
    let key: [UInt8]? =
      switch text.utf8.count {
      case 2 * size: try? [UInt8](hex: text.utf8)
      case 52: base32z(text, size: size)
      case 43, 44: try? [UInt8](base64: text.utf8)
      default: nil
      }
    return key?.count == size ? key : nil
  }

  private static func base32z(_ text: Substring, size: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: size)
    let status = Array(text.utf8).withUnsafeBufferPointer { sc_base32z_decode(&bytes, size, sc_bytes($0)) }
    return status == SC_OK ? bytes : nil
  }
}
