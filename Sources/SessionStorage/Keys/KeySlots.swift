import SessionBase
internal import SessionCore

/// The slots of a key file, each of which opens the same key.
struct KeySlots: Hashable, Sendable {
  /// The most slots of a file.
  static let limit = 8
  private static let version: Int64 = 2
  static let idCount = 16

  /// Names the key in the places that keep something for it. It says nothing about the key.
  let keyID: [UInt8]
  /// Tells the key from any other.
  private let check: [UInt8]
  private(set) var slots: [KeySlot] = []

  /// No slots yet, for a key. `id` names it where a place has it under that name already.
  init(for key: DatabaseKey, id: [UInt8]? = nil) throws(StorageError) {
    let secret = try key.withSalt()
    (keyID, check) = try StorageError.keys("cannot protect the key") { () throws(SessionError) in
      let check = try Self.check(of: secret)
      if let id { return (id, check) }
      return (try SecretBytes.random(count: Self.idCount).reveal(), check)
    }
  }

  private static func check(of secret: SecretBytes) throws(SessionError) -> [UInt8] {
    try secret.key(for: Array("session db key check".utf8), count: 16).reveal()
  }

  /// True if it is the key that the slots are for.
  func isFor(_ key: DatabaseKey) -> Bool {
    guard let secret = try? key.withSalt(), let check = try? Self.check(of: secret) else { return false }
    return check == self.check
  }
}

extension KeySlots {
  init(json: JSONValue, path: String) throws(StorageError) {
    func damaged(_ reason: String) -> StorageError {
      StorageError(.keyDamaged, "\(path) is damaged: \(reason)")
    }
    guard json["v"]?.integer == Self.version else {
      throw StorageError(.keyDamaged, "\(path) is a key file of another version of this program")
    }
    func bytes(_ name: String) throws(StorageError) -> [UInt8] {
      guard let text = json[name]?.string, text.utf8.count == 2 * Self.idCount,
        let bytes = try? [UInt8](hex: text.utf8)
      else { throw damaged("\(name) is not \(Self.idCount) bytes") }
      return bytes
    }
    (keyID, check) = (try bytes("key_id"), try bytes("check"))
    guard case .array(let elements)? = json["slots"], !elements.isEmpty else {
      throw damaged("it has no slots")
    }
    guard elements.count <= Self.limit else { throw damaged("it has more than \(Self.limit) slots") }
    for element in elements {
      guard let slot = KeySlot(json: element) else { throw damaged("a slot has no number or no kind") }
      guard !slots.contains(where: { $0.id == slot.id }) else {
        throw damaged("two slots have the number \(slot.id)")
      }
      slots.append(slot)
    }
  }

  var bytes: [UInt8] {
    let json: JSONValue = [
      "v": .integer(Self.version), "key_id": .string(keyID.hex), "check": .string(check.hex),
      "slots": .array(slots.map(\.json)),
    ]
    return Array(json.description.utf8) + [UInt8(ascii: "\n")]
  }

  subscript(id: UInt8) -> KeySlot? { slots.first { $0.id == id } }

  /// The usable slots of a kind.
  func all(_ kind: KeySlot.Kind) -> [KeySlot] { slots.filter { $0.lock?.kind == kind } }

  func has(_ kind: KeySlot.Kind) -> Bool { slots.contains { $0.kind == kind } }
}

extension KeySlots {
  /// Adds a slot for the key, which is opened with `wrapping`, nil for an open slot.
  @discardableResult
  mutating func add(
    _ lock: KeySlot.Lock, _ key: DatabaseKey, wrapping: SecretBytes?
  ) throws(StorageError) -> KeySlot {
    guard isFor(key) else { throw StorageError(.wrongKey, "the slots are those of another key") }
    guard slots.count < Self.limit, let id = (1...UInt8.max).first(where: { self[$0] == nil }) else {
      throw StorageError(.tooLarge, "a key has at most \(Self.limit) slots: remove one first")
    }
    let secret = try key.withSalt()
    guard let wrapping else {
      let slot = KeySlot(id: id, lock: lock, sealed: secret.reveal())
      slots.append(slot)
      return slot
    }
    let context = context(id, lock.kind.rawValue)
    let sealed = try StorageError.keys("cannot protect the key") { () throws(SessionError) in
      try SealedBox.seal(secret, key: wrapping, for: context)
    }
    let slot = KeySlot(id: id, lock: lock, sealed: sealed)
    slots.append(slot)
    return slot
  }

  /// Binds a slot to its place.
  private func context(_ id: UInt8, _ kind: String) -> [UInt8] {
    Array("session key slot v2".utf8) + keyID + [id] + Array(kind.utf8)
  }

  mutating func remove(where isRemoved: (KeySlot) -> Bool) { slots.removeAll(where: isRemoved) }

  /// The key in a slot. Throws `slotFailed` if `wrapping` does not open it.
  func open(_ slot: KeySlot, wrapping: SecretBytes?) throws(StorageError) -> DatabaseKey {
    if let damage = slot.damage {
      throw StorageError(.slotFailed, "slot \(slot.id) (\(slot.kindName)) fails: \(damage)")
    }
    let failure = StorageError(.slotFailed, "slot \(slot.id) (\(slot.kindName)) has another key")
    let secret: SecretBytes
    do throws(SessionError) {
      if slot.lock == .open {
        secret = try SecretBytes(copying: slot.sealed)
      } else if let wrapping {
        secret = try SealedBox.openSecret(slot.sealed, key: wrapping, for: context(slot.id, slot.kindName))
      } else {
        throw SessionError(.decrypt, "no key")
      }
    } catch {
      guard error.code != .noMemory else {
        throw StorageError(.noMemory, "cannot open the key: \(error.message)")
      }
      throw failure
    }
    let key = try DatabaseKey(secret)
    guard isFor(key) else { throw failure }
    return key
  }

  /// The key that encrypts the slot of a recovery phrase.
  func recoveryKey(of account: Account) throws(StorageError) -> SecretBytes {
    let purpose = Array("session db recovery v1".utf8) + keyID
    return try StorageError.keys("cannot use the recovery phrase") { () throws(SessionError) in
      try account.archiveSeed().key(for: purpose)
    }
  }
}
