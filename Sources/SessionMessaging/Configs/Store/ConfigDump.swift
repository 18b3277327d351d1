public import SessionCore

/// One config of an account or of a group.
public struct ConfigName: Hashable, Sendable {
  /// The account or group whose swarm stores it.
  public let owner: SessionID
  public let kind: ConfigKind

  public init(_ kind: ConfigKind, of owner: SessionID) {
    self.owner = owner
    self.kind = kind
  }
}

extension ConfigName: CustomStringConvertible {
  public var description: String { "\(kind) of \(owner)" }
}

/// The saved state of a config, from which it can be restored. It holds secrets: store it encrypted.
public struct ConfigDump: Sendable {
  public let name: ConfigName
  public let content: [UInt8]
  /// The stored parts of large messages that are not complete yet, in order.
  public let parts: [HeldConfigPart]

  public init(_ name: ConfigName, content: [UInt8], parts: [HeldConfigPart] = []) {
    self.name = name
    self.content = content
    self.parts = parts
  }
}

extension ConfigDump: CustomStringConvertible, CustomReflectable {
  public var description: String { "ConfigDump(\(name), \(content.count) bytes, \(parts.count) parts)" }
  public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}
