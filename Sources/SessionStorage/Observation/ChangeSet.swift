/// The changes of one commit, or of several.
public struct ChangeSet: Sendable {
  /// The kinds of change of a row; there may be several.
  public struct Kind: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let inserted = Kind(rawValue: 1)
    public static let updated = Kind(rawValue: 2)
    public static let deleted = Kind(rawValue: 4)
  }

  /// The limit of keys in a set; beyond it only topics are reported.
  public static let maxKeys = 1024

  /// The changed keys; empty with `isExternal`, when anything may have changed.
  public private(set) var changes: [ObservationKey: Kind] = [:]
  /// True if another process committed unknown changes.
  public private(set) var isExternal = false
  /// Which commit of this process was the last; 0 for none.
  public internal(set) var number: UInt64 = 0

  init() {}

  /// The changes of another process.
  static var external: ChangeSet {
    var changes = ChangeSet()
    changes.isExternal = true
    return changes
  }

  public var isEmpty: Bool { changes.isEmpty && !isExternal }

  /// True if this key may have changed.
  public func concerns(_ key: ObservationKey) -> Bool {
    guard !isExternal else { return true }
    guard key.subject != nil else { return changes.keys.contains { $0.topic == key.topic } }
    return changes[key] != nil || changes[key.whole] != nil
  }

  mutating func note(_ kind: Kind, _ key: ObservationKey) {
    changes[key, default: []].formUnion(kind)
    if changes.count > Self.maxKeys { coarsen() }
  }

  /// Adds later changes.
  mutating func append(_ later: ChangeSet) {
    isExternal = isExternal || later.isExternal
    number = max(number, later.number)
    changes.merge(later.changes) { $0.union($1) }
    if changes.count > Self.maxKeys { coarsen() }
  }

  /// The changes of any of the keys; nil if there are none.
  func narrowed(to keys: Set<ObservationKey>) -> ChangeSet? {
    guard !isExternal else { return self }
    var rest = self
    rest.changes = changes.filter { change in
      keys.contains(change.key) || keys.contains(change.key.whole)
        || (change.key.subject == nil && keys.contains { $0.overlaps(change.key) })
    }
    return rest.changes.isEmpty ? nil : rest
  }

  /// Replaces single keys by their topics.
  private mutating func coarsen() {
    changes = Dictionary(changes.map { ($0.key.whole, $0.value) }) { $0.union($1) }
  }
}
