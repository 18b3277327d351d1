public import SessionCore
public import SessionNodeCore

/// The announcement that a node sends to the registry of its network, signed by its key.
///
/// It is text: the signature in base64 on the first line, and then what is signed, a name and a value a line, always
/// the same names in the same order.
public struct NodeAnnouncement: Hashable, Sendable {
  public enum State: String, Sendable {
    case serving
    /// It wants no swarm, and hands its messages over.
    case leaving
    /// It is not to be listed any more.
    case gone
  }

  static let maxBytes = 64 * 1024
  /// The number of nodes that may be reported as unreachable.
  static let maxUnreachable = 500
  /// The allowed difference of the clocks of node and registry, in milliseconds.
  static let slack: UInt64 = 60_000

  public let key: [UInt8]
  /// Its IPv4 address for others.
  public let address: NetworkAddress
  /// 0 where it has none.
  public let httpsPort: UInt16
  public let version: [UInt16]
  public let state: State
  /// The height of its list; 0 for none.
  public let height: UInt64
  /// When it announced this: milliseconds since 1970. Later announcements have later times.
  public let time: UInt64
  /// The nodes of its list that it has not reached for some time.
  public let unreachable: [[UInt8]]

  public init(
    key: [UInt8], address: NetworkAddress, httpsPort: UInt16, version: [UInt16], state: State, height: UInt64,
    time: UInt64, unreachable: [[UInt8]]
  ) {
    self.key = key
    self.address = address
    self.httpsPort = httpsPort
    self.version = version
    self.state = state
    self.height = height
    self.time = time
    self.unreachable = unreachable
  }
}

// MARK: - As it travels

extension NodeAnnouncement {
  private static let title = "session node announcement 1"
  private static let names = [
    "key", "address", "https", "version", "state", "height", "time", "unreachable",
  ]

  private var values: [String] {
    [
      key.hex, "\(address)", "\(httpsPort)", version.map(String.init).joined(separator: "."), state.rawValue,
      "\(height)", "\(time)", unreachable.map(\.hex).joined(separator: ","),
    ]
  }

  /// The announcement, signed by the node's keys.
  public func signed(by keys: NodeKeys) throws(SessionError) -> [UInt8] {
    let lines = [Self.title] + zip(Self.names, values).map { "\($0) \($1)" }
    let text = lines.joined(separator: "\n") + "\n"
    return Array("\(try keys.sign(text.utf8).base64)\n\(text)".utf8)
  }

  /// Parses an announcement. Nil for an invalid one, or one without the node's signature.
  public init?(verifying bytes: [UInt8]) {
    guard bytes.count <= Self.maxBytes, let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
      let signature = try? [UInt8](base64: bytes[..<end]),
      let text = String(validating: bytes[(end + 1)...], as: UTF8.self),
      let announcement = NodeAnnouncement(parsing: text),
      (try? Signature.verify(signature, of: text.utf8, by: announcement.key)) != nil
    else { return nil }
    self = announcement
  }

  private init?(parsing text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count == Self.names.count + 2, lines.first == Self.title[...], lines.last == "" else {
      return nil
    }
    var values: [Substring] = []
    for (name, line) in zip(Self.names, lines.dropFirst()) {
      guard line.hasPrefix(name + " ") else { return nil }
      values.append(line.dropFirst(name.count + 1))
    }
    let version = values[3].split(separator: ".").compactMap { UInt16($0) }
    let unreachable = values[7].split(separator: ",").compactMap { Self.key($0) }
    guard let key = Self.key(values[0]), let address = try? NetworkAddress(parsing: String(values[1])),
      address.hostBytes.count == 4, address.port > 0, address.hostBytes != [0, 0, 0, 0],
      let httpsPort = UInt16(values[2]), version.count == 3, let state = State(rawValue: String(values[4])),
      let height = UInt64(values[5]), let time = UInt64(values[6]),
      unreachable.count <= Self.maxUnreachable
    else { return nil }
    self.init(
      key: key, address: address, httpsPort: httpsPort, version: version, state: state, height: height,
      time: time, unreachable: unreachable)
    // One form only: what is read is what would be written.
    guard self.values == values.map(String.init) else { return nil }
  }

  private static func key(_ text: Substring) -> [UInt8]? {
    guard let key = try? [UInt8](hex: text.utf8), key.count == 32 else { return nil }
    return key
  }
}
