import SessionCore
import Testing

@testable import SessionStorage

@Suite struct KeyCrashTests {
  private struct Lock: Hashable {
    /// Nil where the key is kept openly.
    let passphrase: String?
  }

  private static func keys(_ place: Workplace) -> DatabaseKeys {
    DatabaseKeys(path: place.path("db.key"), cost: .init(passes: 1, memory: 8192))
  }

  private static func secret(_ text: String) throws -> SecretBytes { try SecretBytes(copying: text.utf8) }

  /// After each step of setting, changing and removing a passphrase, the key is there, under the old one or the new one,
  /// and once it was said to be done, under the new one alone.
  @Test func passphrasesAreChangedAsAWhole() throws {
    let place = try Workplace(inMemory: true)
    let keys = Self.keys(place)
    let key = try keys.create()
    let trial = try CrashTrial(place, from: Lock(passphrase: nil))
    try trial.commit {
      try keys.setPassphrase(try Self.secret("one"))
    } then: {
      Lock(passphrase: "one")
    }
    try trial.commit {
      try keys.test(try Self.secret("one"))
    } then: {
      Lock(passphrase: "one")
    }
    try trial.commit {
      try keys.changePassphrase(from: try Self.secret("one"), to: try Self.secret("two"))
    } then: {
      Lock(passphrase: "two")
    }
    try trial.commit {
      try keys.removePassphrase(try Self.secret("two"))
    } then: {
      Lock(passphrase: nil)
    }
    try trial.commit {
      try keys.setPassphrase(try Self.secret("three"))
    } then: {
      Lock(passphrase: "three")
    }
    try trial.explore { copy, allowed in
      let found = try Self.lock(of: Self.keys(copy), key)
      guard allowed.contains(found) else { throw NotSurvived("\(found) is not one of \(allowed)") }
    }
  }

  /// After each step of adding, moving and removing slots, one of those that were there before or are there afterwards
  /// opens the key.
  @Test func slotsAreChangedAsAWhole() throws {
    let place = try Workplace(inMemory: true)
    let keys = Self.keys(place)
    let account = try Account.generate()
    let key = try keys.create(recovering: account)
    let wrapping = try SecretBytes(copying: [UInt8](repeating: 7, count: 32))
    func works(_ kind: KeySlot.Kind, _ keys: DatabaseKeys, _ slot: KeySlot) throws -> Bool {
      switch kind {
      case .open: try keys.open(slot.id, wrapping: nil).secret.equals(key.secret)
      case .recovery: try keys.open(slot.id, recovering: account).secret.equals(key.secret)
      case .credential: try keys.open(slot.id, wrapping: wrapping).secret.equals(key.secret)
      default: false
      }
    }
    func kinds(_ keys: DatabaseKeys) throws -> [String] {
      try keys.slots().map { slot in
        guard let kind = slot.kind, try works(kind, keys, slot) else {
          throw NotSurvived("slot \(slot.id) fails")
        }
        return slot.kindName
      }
    }
    let trial = try CrashTrial(place, from: try kinds(keys))
    try trial.commit {
      try keys.add(.kept(.credential(name: "c"), wrapping), to: key) { (slot) throws(StorageError) in
        try keys.open(slot.id, wrapping: wrapping)
      }
    } then: {
      ["open", "recovery", "credential"]
    }
    try trial.commit {
      try keys.remove { $0.kind == .open }
    } then: {
      ["recovery", "credential"]
    }
    try trial.commit {
      try keys.add(.open, to: key) { (slot) throws(StorageError) in try keys.open(slot.id, wrapping: nil) }
    } then: {
      ["recovery", "credential", "open"]
    }
    try trial.commit {
      try keys.remove { $0.kind == .credential || $0.kind == .recovery }
    } then: {
      ["open"]
    }
    try trial.explore { copy, allowed in
      let found = try kinds(Self.keys(copy))
      guard allowed.contains(found) else { throw NotSurvived("\(found) is not one of \(allowed)") }
    }
  }

  /// The lock that opens the key. Throws if the key is not the original one.
  private static func lock(of keys: DatabaseKeys, _ key: DatabaseKey) throws -> Lock {
    if try keys.protection() == .open {
      guard try keys.load().secret.equals(key.secret) else { throw NotSurvived("it is another key") }
      return Lock(passphrase: nil)
    }
    for passphrase in ["one", "two", "three"] {
      do {
        let found = try keys.unlock(try secret(passphrase))
        keys.lock()
        guard found.secret.equals(key.secret) else { throw NotSurvived("it is another key") }
        return Lock(passphrase: passphrase)
      } catch StorageError.Code.wrongPassphrase {
        continue
      }
    }
    throw NotSurvived("no passphrase opens the key")
  }
}
