public import SessionCore

/// The key of one account's database, and what protects it.
///
/// The key itself never changes with its protection: the file that keeps it is replaced, in one step, so that after a
/// crash either the old passphrase is right or the new one, and never neither.
public struct DatabaseKeys: Sendable {
  public enum Protection: String, Sendable {
    /// There is no key yet.
    case none
    /// The file has the key itself.
    case open
    case passphrase
    /// The key is kept elsewhere, and no passphrase opens it.
    case elsewhere
  }

  /// The warning to show when a key is stored openly.
  public static let openWarning =
    "the key of the database is kept without a passphrase: anyone who can read this disk can read the messages"
  /// Longer passphrases are rejected.
  public static let passphraseByteLimit = 1024
  /// How long an unused key stays in the kernel's keyring.
  public static let keyringLifetime: Duration = .seconds(8 * 3600)

  let path: String
  private let cost: PassphraseKey.Cost
  private let attempts: PassphraseAttempts
  private let keyring: KeyringEntry

  /// `path` is that of the file, by which the keyring knows the key, too; `cost` is for passphrases that are set from now
  /// on. Wrong passphrases count for all keys of this path in the process, or as `attempts` says.
  public init(
    path: String, cost: PassphraseKey.Cost = .standard, attempts: PassphraseAttempts? = nil
  ) {
    self.path = path
    self.cost = cost
    self.attempts = attempts ?? .of(path)
    keyring = KeyringEntry(name: path)
  }

  private var file: KeyFile { KeyFile(path: path) }

  public func protection() throws(StorageError) -> Protection {
    do {
      switch try file.read() {
      case .open: return .open
      case .wrapped: return .passphrase
      case .slots(let slots):
        // A slot that does not open protects nothing, and hides nothing.
        guard !slots.isOpen else { return .open }
        return slots.has(.passphrase) ? .passphrase : .elsewhere
      }
    } catch StorageError.Code.keyMissing {
      return .none
    }
  }

  /// True if a passphrase can open the key.
  public func hasPassphrase() throws(StorageError) -> Bool {
    switch try file.read() {
    case .open: false
    case .wrapped: true
    case .slots(let slots): !slots.all(.passphrase).isEmpty
    }
  }

  /// Creates and stores the key of a new database. With an account its recovery phrase opens the key, too. Throws
  /// `duplicate` if there is a key.
  public func create(
    protecting new: NewKeySlot = .open, recovering account: Account? = nil
  ) throws(StorageError) -> DatabaseKey {
    guard try protection() == .none else {
      throw StorageError(.duplicate, "there is already a key in \(path), which a database may need")
    }
    let key = try StorageError.keys("cannot create a key") { () throws(SessionError) in
      try DatabaseKey.random()
    }
    var slots = try KeySlots(for: key, id: new.keyID)
    try add(new, key, to: &slots)
    if let account { try add(.recovery(account), key, to: &slots) }
    try file.write(.slots(slots))
    return key
  }

  // MARK: - Opening

  /// The key, from the key file or the keyring. Throws `passphraseNeeded` if neither has it.
  public func load() throws(StorageError) -> DatabaseKey {
    switch try file.read() {
    case .open(let key): return key
    case .wrapped: return try remembered { _ in true }
    case .slots(let slots):
      var failures: [String] = []
      for slot in slots.all(.open) {
        do throws(StorageError) { return try slots.open(slot, wrapping: nil) } catch {
          failures.append(error.message)
        }
      }
      do throws(StorageError) { return try remembered { slots.isFor($0) } } catch {
        guard slots.slots.contains(where: { $0.lock != nil && $0.lock != .open }) else {
          throw StorageError(
            .keyDamaged,
            "no slot of \(path) can be used: \((failures + [slots.failures]).filter { !$0.isEmpty }.joined(separator: "; "))"
          )
        }
        throw error
      }
    }
  }

  private func remembered(_ isRight: (DatabaseKey) -> Bool) throws(StorageError) -> DatabaseKey {
    if let secret = keyring.read(), let key = try? DatabaseKey(secret), isRight(key) {
      keyring.prolong(Self.keyringLifetime)
      return key
    }
    throw StorageError(
      .passphraseNeeded, "the key of the database is protected, and there is no terminal to prompt on")
  }

  /// The key with this passphrase, even if the keyring has it; afterwards this login session needs no passphrase.
  public func unlock(_ passphrase: SecretBytes) throws(StorageError) -> DatabaseKey {
    try unlock(.passphrase(passphrase))
  }

  /// The key with this secret; afterwards this login session needs none.
  public func unlock(_ secret: KeySecret) throws(StorageError) -> DatabaseKey {
    switch secret {
    case .passphrase(let passphrase):
      let key = try open(with: passphrase).key
      remember(key)
      return key
    case .key(let key):
      // Only slots tell whether it is the right one.
      guard case .slots(let slots) = try file.read() else { return key }
      guard slots.isFor(key) else { throw anotherKey }
      remember(key)
      return key
    }
  }

  private var anotherKey: StorageError {
    StorageError(.wrongKey, "this is the key of another database than the one of \(path)")
  }

  /// The key with the recovery phrase of the account; afterwards this login session needs no passphrase.
  public func unlock(recovering account: Account) throws(StorageError) -> DatabaseKey {
    let key = try open(recovering: account)
    remember(key)
    return key
  }

  /// Locks the keys: the next use needs the passphrase.
  public func lock() { keyring.remove() }

  private func remember(_ key: DatabaseKey) {
    guard let secret = try? key.withSalt() else { return }
    keyring.write(secret, lifetime: Self.keyringLifetime)
  }

  /// Checks the passphrase without changing anything.
  public func test(_ passphrase: SecretBytes) throws(StorageError) { _ = try open(with: passphrase) }

  /// What a passphrase opened. A file of an earlier version has no slots.
  private struct Opened {
    let key: DatabaseKey
    var slot: UInt8?
    var slots: KeySlots?
  }

  private func slots(of opened: Opened) throws(StorageError) -> KeySlots {
    if let slots = opened.slots { return slots }
    return try KeySlots(for: opened.key)
  }

  private func open(with passphrase: SecretBytes) throws(StorageError) -> Opened {
    try Self.checkLength(of: passphrase)
    switch try file.read() {
    case .open: throw notSet
    case .wrapped(let key):
      return Opened(
        key: try attempts.attempt { () throws(StorageError) in try key.open(passphrase: passphrase) })
    case .slots(let slots):
      guard slots.has(.passphrase) else { throw notSet }
      let (key, slot) = try attempts.attempt { () throws(StorageError) in
        try Self.open(slots, with: passphrase, path)
      }
      return Opened(key: key, slot: slot, slots: slots)
    }
  }

  private var notSet: StorageError {
    StorageError(.passphraseNotSet, "the key in \(path) is not protected by a passphrase")
  }

  private static func open(
    _ slots: KeySlots, with passphrase: SecretBytes, _ path: String
  ) throws(StorageError) -> (DatabaseKey, UInt8) {
    let usable = slots.all(.passphrase)
    guard !usable.isEmpty else { throw StorageError(.keyDamaged, "\(path) is damaged: \(slots.failures)") }
    for slot in usable {
      guard case .passphrase(let salt, let cost)? = slot.lock else { continue }
      let wrapping = try wrapping(passphrase, salt, cost)
      if let key = try? slots.open(slot, wrapping: wrapping) { return (key, slot.id) }
    }
    throw StorageError(.wrongPassphrase, "the passphrase is wrong")
  }

  private static func wrapping(
    _ passphrase: SecretBytes, _ salt: [UInt8], _ cost: PassphraseKey.Cost
  ) throws(StorageError) -> SecretBytes {
    do throws(SessionError) {
      return try PassphraseKey.derive(from: passphrase, salt: salt, cost: cost)
    } catch {
      guard error.code == .noMemory else {
        throw StorageError(.keyDamaged, "cannot check the passphrase: \(error)")
      }
      throw StorageError(
        .noMemory, "checking the passphrase takes \(cost.memory >> 20) MiB of memory, which are not available"
      )
    }
  }

  private static func checkLength(of passphrase: SecretBytes) throws(StorageError) {
    guard passphrase.count <= passphraseByteLimit else {
      throw StorageError(.tooLarge, "a passphrase has at most \(passphraseByteLimit) bytes")
    }
  }

  private func open(recovering account: Account) throws(StorageError) -> DatabaseKey {
    guard case .slots(let slots) = try file.read(), slots.has(.recovery) else {
      throw StorageError(
        .slotMissing,
        "the recovery phrase does not open the messages on this machine: there is no slot for it")
    }
    let wrapping = try slots.recoveryKey(of: account)
    for slot in slots.all(.recovery) {
      if let key = try? slots.open(slot, wrapping: wrapping) { return key }
    }
    throw StorageError(.slotFailed, "this is not the recovery phrase of the account, or its slot is damaged")
  }

  // MARK: - The passphrase

  /// Sets a passphrase, and removes the open slot. `known` is the key, where another slot opened it. Throws
  /// `passphraseSet` if there is one.
  public func setPassphrase(
    _ passphrase: SecretBytes, knowing known: DatabaseKey? = nil
  ) throws(StorageError) {
    guard try protection() != .passphrase, try !slots().contains(where: { $0.kind == .passphrase }) else {
      throw StorageError(.passphraseSet, "there is already a passphrase: change it instead")
    }
    let key: DatabaseKey
    if let known { key = known } else { key = try load() }
    var slots = try content(for: key)
    slots.remove { $0.kind == .open }
    try add(.passphrase(passphrase), key, to: &slots)
    try write(slots)
  }

  public func changePassphrase(from old: SecretBytes, to new: SecretBytes) throws(StorageError) {
    let opened = try open(with: old)
    var slots = try slots(of: opened)
    slots.remove { $0.id == opened.slot }
    try add(.passphrase(new), opened.key, to: &slots)
    try write(slots)
  }

  /// Removes the passphrase. The key is kept openly from now on, unless `isOpenedOtherwise`: the caller has opened it with a
  /// slot that needs no person.
  public func removePassphrase(
    _ passphrase: SecretBytes, isOpenedOtherwise: Bool = false
  ) throws(StorageError) {
    let opened = try open(with: passphrase)
    var slots = try slots(of: opened)
    slots.remove { $0.kind == .passphrase }
    if !isOpenedOtherwise, !slots.isOpen {
      slots.remove { $0.kind == .open }
      try add(.open, opened.key, to: &slots)
    }
    try write(slots)
  }
}

extension DatabaseKeys {
  // MARK: - Slots

  /// The slots of the key; none in a file of an earlier version.
  public func slots() throws(StorageError) -> [KeySlot] {
    guard case .slots(let slots) = try file.read() else { return [] }
    return slots.slots
  }

  /// Names the key in the places that keep something for it; nil in a file of an earlier version.
  public func keyID() throws(StorageError) -> [UInt8]? {
    guard case .slots(let slots) = try file.read() else { return nil }
    return slots.keyID
  }

  /// The key, opened with one slot alone. `wrapping` is what the place of the slot keeps; nil for an open slot. Throws
  /// `slotMissing` and `slotFailed`.
  public func open(_ id: UInt8, wrapping: SecretBytes?) throws(StorageError) -> DatabaseKey {
    let (slots, slot) = try slot(id)
    return try slots.open(slot, wrapping: wrapping)
  }

  /// The key, opened with the slot of a recovery phrase alone.
  public func open(_ id: UInt8, recovering account: Account) throws(StorageError) -> DatabaseKey {
    let (slots, slot) = try slot(id)
    return try slots.open(slot, wrapping: try slots.recoveryKey(of: account))
  }

  /// The key, opened with the slot of a passphrase alone. Throws `wrongPassphrase`, which counts.
  public func open(_ id: UInt8, passphrase: SecretBytes) throws(StorageError) -> DatabaseKey {
    let (slots, slot) = try slot(id)
    try Self.checkLength(of: passphrase)
    guard case .passphrase(let salt, let cost)? = slot.lock else {
      return try slots.open(slot, wrapping: nil)
    }
    return try attempts.attempt { () throws(StorageError) in
      do throws(StorageError) {
        return try slots.open(slot, wrapping: try Self.wrapping(passphrase, salt, cost))
      } catch {
        guard error.code == .slotFailed else { throw error }
        throw StorageError(.wrongPassphrase, "the passphrase is wrong")
      }
    }
  }

  private func slot(_ id: UInt8) throws(StorageError) -> (KeySlots, KeySlot) {
    guard case .slots(let slots) = try file.read(), let slot = slots[id] else {
      throw StorageError(.slotMissing, "the key has no slot \(id)")
    }
    return (slots, slot)
  }

  /// True if an earlier version set the passphrase: slots can be added once ``convert(_:)`` was called.
  public func needsConversion() throws(StorageError) -> Bool {
    if case .wrapped = try file.read() { true } else { false }
  }

  /// Writes the key and passphrase of an earlier version as slots.
  public func convert(_ passphrase: SecretBytes) throws(StorageError) {
    guard try needsConversion() else { return }
    try changePassphrase(from: passphrase, to: passphrase)
  }

  /// Adds a slot, and opens the key again from the file with it alone, as `test` does. If that fails, the slot is removed
  /// again.
  ///
  /// Throws `duplicate` for a second open slot or recovery phrase, `passphraseSet` for a second passphrase.
  @discardableResult
  public func add(
    _ new: NewKeySlot, to key: DatabaseKey, testing test: (KeySlot) throws(StorageError) -> DatabaseKey
  ) throws(StorageError) -> KeySlot {
    var slots = try content(for: key, id: new.keyID)
    if [.open, .recovery, .passphrase, .secretService].contains(new.kind), slots.has(new.kind) {
      throw StorageError(
        new.kind == .passphrase ? .passphraseSet : .duplicate, "there is already a slot \(new.kind.rawValue)")
    }
    let slot = try add(new, key, to: &slots)
    try write(slots)
    do throws(StorageError) {
      guard try test(slot).isSame(as: key) else {
        throw StorageError(.slotFailed, "slot \(slot.id) (\(slot.kindName)) has another key")
      }
    } catch {
      try remove { $0.id == slot.id }
      throw error
    }
    return slot
  }

  /// Removes slots. Throws `slotMissing` if there are none, `lastSlot` if no usable one would be left.
  public func remove(where isRemoved: (KeySlot) -> Bool) throws(StorageError) {
    guard case .slots(var slots) = try file.read(), slots.slots.contains(where: isRemoved) else {
      throw StorageError(.slotMissing, "the key has no such slot")
    }
    slots.remove(where: isRemoved)
    guard slots.slots.contains(where: { $0.lock != nil }) else {
      throw StorageError(.lastSlot, "this is the last slot that opens the key")
    }
    try write(slots)
  }

  /// Keeps the key openly, as versions before the slots read it.
  public func writeOldForm(_ key: DatabaseKey) throws(StorageError) {
    if case .slots(let slots) = try file.read(), !slots.isFor(key) { throw anotherKey }
    try file.write(.open(key))
    lock()
  }

  /// What the file has, or would have if it were one of slots.
  private func content(for key: DatabaseKey, id: [UInt8]? = nil) throws(StorageError) -> KeySlots {
    switch try file.read() {
    case .slots(let slots): return slots
    case .wrapped:
      throw StorageError(
        .passphraseNeeded, "an earlier version set the passphrase, which is needed once more")
    case .open:
      var slots = try KeySlots(for: key, id: id)
      try slots.add(.open, key, wrapping: nil)
      return slots
    }
  }

  private func write(_ slots: KeySlots) throws(StorageError) {
    try file.write(.slots(slots))
    // The keyring may hold the key of an earlier file.
    lock()
  }

  @discardableResult
  private func add(
    _ new: NewKeySlot, _ key: DatabaseKey, to slots: inout KeySlots
  ) throws(StorageError) -> KeySlot {
    switch new {
    case .open: return try slots.add(.open, key, wrapping: nil)
    case .recovery(let account):
      return try slots.add(.recovery, key, wrapping: try slots.recoveryKey(of: account))
    case .kept(let lock, let wrapping): return try slots.add(lock, key, wrapping: wrapping)
    case .passphrase(let passphrase):
      try Self.checkLength(of: passphrase)
      let (salt, wrapping) = try StorageError.keys("cannot protect the key") { () throws(SessionError) in
        let salt = try SecretBytes.random(count: PassphraseKey.saltCount).reveal()
        return (salt, try PassphraseKey.derive(from: passphrase, salt: salt, cost: cost))
      }
      return try slots.add(.passphrase(salt: salt, cost), key, wrapping: wrapping)
    }
  }
}

extension KeySlots {
  /// True if an open slot has the key.
  fileprivate var isOpen: Bool {
    all(.open).contains { slot in (try? open(slot, wrapping: nil)) != nil }
  }

  /// Why slots cannot be used.
  fileprivate var failures: String {
    slots.compactMap { slot in slot.damage.map { "slot \(slot.id) (\(slot.kindName)): \($0)" } }
      .joined(separator: "; ")
  }
}

extension DatabaseKey {
  fileprivate func isSame(as other: DatabaseKey) -> Bool { secret.equals(other.secret) }
}
