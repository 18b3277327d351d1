import SessionCore
import SessionMessaging

/// Configs as no client of ours writes them.
enum CraftedConfig {
  /// A dump of a config with this data, which was edited and not pushed.
  static func dump(_ name: ConfigName, data: [UInt8], revision: Int = 1) -> ConfigDump {
    let message = Array("d1:#i\(revision)e1:&".utf8) + data + Array("1:<le1:=dee".utf8)
    let head = Array("d1:!i1e1:$\(message.count):".utf8)
    return ConfigDump(name, content: head + message + Array("e".utf8))
  }

  /// The config messages that a device with this data stores.
  static func messages(
    _ account: Account, _ kind: ConfigKind, data: String, at now: MessageTime
  ) throws -> [ConfigMessage] {
    let store = try ConfigStore(
      account, dumps: [dump(ConfigName(kind, of: account.id), data: Array(data.utf8))])
    precondition(store.damaged.isEmpty, "no client writes such data")
    let pushes = store.pendingPushes(at: now).flatMap(\.pushes)
    return pushes.flatMap(\.messages).map { ConfigMessage(hash: "crafted", stored: $0, storedAt: now) }
  }
}
