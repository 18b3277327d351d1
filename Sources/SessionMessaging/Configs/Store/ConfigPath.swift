import SessionCore

/// The keys that lead to a changed record. A value outside of records has its own path.
struct ConfigPath: Hashable {
  let keys: [[UInt8]]
  /// True if the mark for old-style blinding of a contact was added or removed.
  fileprivate(set) var touchesOldBlinding = false
  /// True if the priority of a conversation changed.
  fileprivate(set) var touchesPriority = false

  /// The key at a depth as text; empty if there is none.
  func text(_ depth: Int) -> String {
    depth < keys.count ? String(decoding: keys[depth], as: UTF8.self) : ""
  }

  /// The id at a depth; nil for anything else.
  func id(_ depth: Int, _ kind: SessionID.Kind) -> SessionID? {
    guard depth < keys.count, let id = try? SessionID(bytes: keys[depth]), id.kind == kind else { return nil }
    return id
  }

  /// The room, in a section of communities.
  var room: (server: String, room: String)? {
    keys.count > 3 && text(2) == "R" ? (text(1), text(3)) : nil
  }

  /// The server of a server key, in a section of communities.
  var serverOfKey: String? {
    keys.count == 3 && text(2) == "#" ? text(1) : nil
  }
}

/// Collects the paths of all changed values, in ascending order, and keeps one for each record.
struct ConfigPaths {
  private let kind: ConfigKind
  private(set) var paths: [ConfigPath] = []

  init(of kind: ConfigKind, changes: [[[UInt8]]]) {
    self.kind = kind
    for keys in changes { note(keys) }
  }

  private mutating func note(_ keys: [[UInt8]]) {
    let record = keys.prefix(kind.recordDepth(in: keys.first?.first))
    // Otherwise the value belongs to the previous record.
    if paths.isEmpty || paths[paths.count - 1].keys != Array(record) {
      paths.append(ConfigPath(keys: Array(record)))
    }
    guard keys.count > record.count else { return }
    switch keys[record.count] {
    case [UInt8(ascii: "y")]: paths[paths.count - 1].touchesOldBlinding = true
    case [UInt8(ascii: "+")]: paths[paths.count - 1].touchesPriority = true
    default: break
    }
  }

}

extension ConfigKind {
  /// The number of keys that lead to a record in a section of this kind of config. Some configs are a single record.
  fileprivate func recordDepth(in section: UInt8?) -> Int {
    switch (self, section) {
    case (.profile, _), (.groupInfo, _): 0
    // Section, server, rooms, room.
    case (.contacts, UInt8(ascii: "b")), (.conversations, UInt8(ascii: "o")),
      (.userGroups, UInt8(ascii: "o")):
      4
    default: 2
    }
  }
}

extension ConfigMark {
  /// The changed records, in ascending order.
  func changes(in config: borrowing ConfigHandle, of kind: ConfigKind) -> [ConfigPath] {
    ConfigPaths(of: kind, changes: changes(in: config)).paths
  }
}
