/// The state of a config, to be kept and to make it from again. It holds secrets: keep it as one.
public struct ConfigDump: Sendable {
  public let name: ConfigName
  public let content: [UInt8]

  public init(_ name: ConfigName, content: [UInt8]) {
    self.name = name
    self.content = content
  }
}

extension ConfigDump: CustomStringConvertible, CustomReflectable {
  public var description: String { "ConfigDump(\(name), \(content.count) bytes)" }
  public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}
