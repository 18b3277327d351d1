public import SessionCore

/// One config of an account or of a group.
public struct ConfigName: Hashable, Sendable {
  /// The account or the group whose swarm it is stored in.
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

/// The state of a config, to be kept and to make it from again. It holds secrets: keep it as one.
public struct ConfigDump: Sendable {
  public let name: ConfigName
  public let content: [UInt8]
  /// What waits beside it, in order.
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
