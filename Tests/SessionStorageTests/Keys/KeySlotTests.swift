import Foundation
import SessionBase
import Testing

@testable import SessionCore
@testable import SessionStorage

@Suite struct KeySlotTests {
  private let folder: Workplace
  private let keys: DatabaseKeys
  private let account: Account

  private static let cost = PassphraseKey.Cost(passes: 1, memory: 8 << 10)

  init() throws {
    folder = try Workplace()
    keys = DatabaseKeys(path: folder.path("db.key"), cost: Self.cost)
    account = try Account.generate()
  }

  private func secret(_ text: String) throws -> SecretBytes { try SecretBytes(copying: text.utf8) }
  private func wrapping(_ byte: UInt8) throws -> SecretBytes {
    try SecretBytes(copying: [UInt8](repeating: byte, count: 32))
  }

  private var text: String { get throws { String(decoding: try folder.read("db.key"), as: UTF8.self) } }

  private func store(_ text: String) throws {
    try folder.write(Array(text.utf8), to: "db.key")
    try folder.setMode(0o600, of: "db.key")
  }

  /// Adds a credential, whose key is 32 times a byte.
  @discardableResult
  private func addCredential(_ byte: UInt8, to key: DatabaseKey, name: String = "session.key") throws
    -> KeySlot
  {
    let wrapping = try wrapping(byte)
    return try keys.add(.kept(.credential(name: name), wrapping), to: key) { (slot) throws(StorageError) in
      try keys.open(slot.id, wrapping: wrapping)
    }
  }

  @Test func theRecoveryPhraseOpensAForgottenPassphrase() throws {
    let key = try keys.create(protecting: .passphrase(try secret("forgotten")), recovering: account)
    #expect(try keys.slots().map(\.kind) == [.passphrase, .recovery])
    expectFailure(.passphraseNeeded) { _ = try keys.load() }
    let other = try Account.generate()
    expectFailure(.slotFailed) { _ = try keys.unlock(recovering: other) }
    #expect(try keys.unlock(recovering: account).secret.equals(key.secret))
    keys.lock()
  }

  @Test func aKeyWithoutRecoveryRefusesThePhrase() throws {
    _ = try keys.create()
    expectFailure(.slotMissing) { _ = try keys.unlock(recovering: account) }
  }

  @Test func eachSlotOpensAlone() throws {
    let key = try keys.create(recovering: account)
    try addCredential(1, to: key)
    let passphrase = try secret("p")
    try keys.add(.passphrase(passphrase), to: key) { (slot) throws(StorageError) in
      try keys.open(slot.id, passphrase: passphrase)
    }
    #expect(try keys.slots().map(\.kind) == [.open, .recovery, .credential, .passphrase])
    #expect(try keys.slots().map(\.id) == [1, 2, 3, 4])
    let opened = [
      try keys.open(1, wrapping: nil), try keys.open(2, recovering: account),
      try keys.open(3, wrapping: try wrapping(1)), try keys.open(4, passphrase: passphrase),
    ]
    #expect(opened.allSatisfy { $0.secret.equals(key.secret) })
    expectFailure(.slotFailed) { _ = try keys.open(3, wrapping: try wrapping(2)) }
    expectFailure(.slotFailed) { _ = try keys.open(3, wrapping: nil) }
    expectFailure(.wrongPassphrase) { _ = try keys.open(4, passphrase: try secret("q")) }
    expectFailure(.slotMissing) { _ = try keys.open(5, wrapping: nil) }
  }

  @Test func wrongPassphrasesOfASlotCount() throws {
    let key = try keys.create()
    let passphrase = try secret("p")
    try keys.add(.passphrase(passphrase), to: key) { (slot) throws(StorageError) in
      try keys.open(slot.id, passphrase: passphrase)
    }
    let id = try #require(try keys.slots().last).id
    for _ in 1...PassphraseAttempts.freeCount {
      expectFailure(.wrongPassphrase) { _ = try keys.open(id, passphrase: try secret("q")) }
    }
    expectFailure(.tooManyAttempts) { _ = try keys.open(id, passphrase: passphrase) }
  }

  @Test func aSlotThatDoesNotOpenTheKeyIsTakenBack() throws {
    let key = try keys.create()
    expectFailure(.slotFailed) {
      try keys.add(.kept(.credential(name: "lost"), try wrapping(1)), to: key) {
        (slot) throws(StorageError) in
        throw StorageError(.slotFailed, "the place lost it")
      }
    }
    expectFailure(.slotFailed) {
      let other = try DatabaseKey.random()
      try keys.add(.kept(.credential(name: "other"), try wrapping(1)), to: key) {
        (slot) throws(StorageError) in other
      }
    }
    #expect(try keys.slots().map(\.kind) == [.open])
    #expect(try keys.load().secret.equals(key.secret))
  }

  @Test func theLastSlotStays() throws {
    let key = try keys.create()
    expectFailure(.lastSlot) { try keys.remove { $0.kind == .open } }
    try addCredential(1, to: key)
    try keys.remove { $0.kind == .open }
    expectFailure(.lastSlot) { try keys.remove { _ in true } }
    expectFailure(.slotMissing) { try keys.remove { $0.kind == .recovery } }
    #expect(try keys.protection() == .elsewhere)
    expectFailure(.passphraseNeeded) { _ = try keys.load() }
    #expect(try keys.open(2, wrapping: try wrapping(1)).secret.equals(key.secret))
  }

  @Test func aKeyHasAtMostEightSlots() throws {
    let key = try keys.create()
    for number in 2...8 { try addCredential(UInt8(number), to: key) }
    expectFailure(.tooLarge) { try addCredential(9, to: key) }
    #expect(try keys.slots().count == 8)
    try keys.remove { $0.id == 4 }
    // A number that is free is used again, and the slot is bound to it.
    #expect(try addCredential(9, to: key).id == 4)
    #expect(try keys.open(4, wrapping: try wrapping(9)).secret.equals(key.secret))
  }

  @Test func aSecondPassphraseOrPhraseIsRefused() throws {
    let key = try keys.create(recovering: account)
    expectFailure(.duplicate) { try keys.add(.recovery(account), to: key) { _ in key } }
    expectFailure(.duplicate) { try keys.add(.open, to: key) { _ in key } }
    try keys.setPassphrase(try secret("p"))
    expectFailure(.passphraseSet) {
      try keys.add(.passphrase(try secret("q")), to: key) { (slot) throws(StorageError) in key }
    }
  }

  @Test func aPassphraseRemovesTheOpenSlotAndKeepsTheOthers() throws {
    let key = try keys.create(recovering: account)
    try addCredential(1, to: key)
    try keys.setPassphrase(try secret("p"))
    #expect(try keys.slots().map(\.kind) == [.recovery, .credential, .passphrase])
    try keys.changePassphrase(from: try secret("p"), to: try secret("q"))
    #expect(try keys.slots().map(\.kind) == [.recovery, .credential, .passphrase])
    // The credential opens without a person, so that no open slot is needed.
    try keys.removePassphrase(try secret("q"), isOpenedOtherwise: true)
    #expect(try keys.slots().map(\.kind) == [.recovery, .credential])
    // An open slot takes its place unless another slot is known to open.
    try keys.setPassphrase(try secret("r"), knowing: key)
    try keys.removePassphrase(try secret("r"))
    #expect(try keys.slots().map(\.kind) == [.recovery, .credential, .open])
    #expect(try keys.load().secret.equals(key.secret))
  }

  @Test func anOpenSlotThatDoesNotOpenHidesNoPassphrase() throws {
    let key = try keys.create(protecting: .passphrase(try secret("p")))
    try keys.add(.open, to: key) { (slot) throws(StorageError) in try keys.open(slot.id, wrapping: nil) }
    #expect(try keys.protection() == .open)
    // Only the key of the open slot has this length.
    let zeros = String(repeating: "00", count: 48)
    try store(try text.replacing(/"wrapped":"[0-9a-f]{96}"/, with: "\"wrapped\":\"\(zeros)\""))
    #expect(try keys.protection() == .passphrase)
    #expect(try keys.hasPassphrase())
    #expect(try keys.unlock(try secret("p")).secret.equals(key.secret))
    keys.lock()
    try keys.removePassphrase(try secret("p"))
    #expect(try keys.slots().map(\.kind) == [.open])
    #expect(try keys.load().secret.equals(key.secret))
    #expect(try !keys.hasPassphrase())
  }

  @Test func aSlotThatIsMovedToAnotherFileOrNumberOpensNothing() throws {
    let key = try keys.create()
    try addCredential(1, to: key)
    let here = try text
    try store(here.replacing(#""id":2,"#, with: #""id":3,"#))
    expectFailure(.slotFailed) { _ = try keys.open(3, wrapping: try wrapping(1)) }
    try store(here.replacing(#""kind":"credential","name":"#, with: #""kind":"secret-service","item":"#))
    expectFailure(.slotFailed) { _ = try keys.open(2, wrapping: try wrapping(1)) }
    let other = DatabaseKeys(path: folder.path("other.key"), cost: Self.cost)
    _ = try other.create()
    let id = try #require(try keys.keyID()?.hex)
    try store(here.replacing(id, with: try #require(try other.keyID()?.hex)))
    expectFailure(.slotFailed) { _ = try keys.open(2, wrapping: try wrapping(1)) }
  }

  @Test func anotherCheckIsAnotherKey() throws {
    _ = try keys.create()
    let here = try text
    let start = try #require(here.firstRange(of: #""check":""#)).upperBound
    let digit = here[start] == "0" ? "1" : "0"
    try store(here[..<start] + digit + here[here.index(after: start)...])
    expectFailure(.slotFailed) { _ = try keys.open(1, wrapping: nil) }
    expectFailure(.keyDamaged) { _ = try keys.load() }
  }

  @Test func theKeyOfAnotherDatabaseIsNotTaken() throws {
    _ = try keys.create(protecting: .passphrase(try secret("p")))
    expectFailure(.wrongKey) { _ = try keys.unlock(.key(try DatabaseKey.random())) }
    expectFailure(.wrongKey) { try keys.writeOldForm(try DatabaseKey.random()) }
    expectFailure(.wrongKey) {
      try keys.add(.open, to: try DatabaseKey.random()) { (slot) throws(StorageError) in
        throw StorageError(.slotFailed, "not reached")
      }
    }
  }

  // MARK: - Damage

  @Test func slotsOfALaterVersionAreKept() throws {
    let key = try keys.create(recovering: account)
    let later = #"{"id":7,"kind":"tpm3","data":{"a":[1,null,"ü"]}}"#
    try store(try text.replacing("]}", with: ",\(later)]}"))
    #expect(try keys.slots().map(\.kindName) == ["open", "recovery", "tpm3"])
    #expect(try keys.slots()[2].damage == "its kind is unknown to this version")
    try addCredential(1, to: key)
    #expect(try text.contains(later))
    #expect(try keys.load().secret.equals(key.secret))
  }

  /// The account still opens with one damaged slot.
  @Test func damagedSlotsLeaveTheOthersUsable() throws {
    let key = try keys.create(recovering: account)
    try addCredential(1, to: key)
    try keys.remove { $0.kind == .open }
    let here = try text
    let nonce = try #require(here.firstRange(of: #""nonce":""#)).upperBound
    for broken in [
      String(here[..<nonce] + here[here.index(nonce, offsetBy: 2)...]),
      here.replacing(#""name":"session.key""#, with: #""name":"""#),
      here.replacing(#""name":"session.key""#, with: #""name":7"#),
    ] {
      try store(broken)
      let usable = try keys.slots().filter { $0.damage == nil }
      #expect(usable.count == 1)
      let opened =
        usable[0].kind == .recovery
        ? try keys.unlock(recovering: account) : try keys.open(usable[0].id, wrapping: try wrapping(1))
      #expect(opened.secret.equals(key.secret))
      keys.lock()
    }
  }

  @Test(arguments: [
    #""slots":[]"#, #""slots":7"#, #""slots":[7]"#, #""slots":[{"id":0,"kind":"open"}]"#,
    #""slots":[{"id":256,"kind":"open"}]"#, #""slots":[{"id":1}]"#, #""slots":[{"id":1,"kind":""}]"#,
    #""slots":[{"id":1,"kind":"x"},{"id":1,"kind":"y"}]"#,
    #""slots":["# + (1...9).map { #"{"id":\#($0),"kind":"x"}"# }.joined(separator: ",") + "]",
    #""slots":[{"id":1,"kind":"x"}],"v":3"#,
  ])
  func filesWithoutValidSlotsAreDamaged(_ slots: String) throws {
    let id = String(repeating: "ab", count: 16)
    let version = slots.contains(#""v":3"#) ? "" : #""v":2,"#
    try store(#"{\#(version)"key_id":"\#(id)","check":"\#(id)",\#(slots)}"#)
    expectFailure(.keyDamaged) { _ = try keys.load() }
    expectFailure(.keyDamaged) { _ = try keys.slots() }
    expectFailure(.keyDamaged) { _ = try keys.create() }
  }

  @Test func costsBeyondReasonAreRefusedBeforeAnyWork() throws {
    _ = try keys.create(protecting: .passphrase(try secret("p")))
    let here = try text
    for (was, becomes) in [
      (#""ops":1,"#, #""ops":1000000000,"#), (#""ops":1,"#, #""ops":0,"#),
      (#""mem":8192"#, #""mem":1099511627776"#), (#""mem":8192"#, #""mem":-1"#),
      (#""mem":8192"#, #""mem":1e3"#),
    ] {
      #expect(here.contains(was))
      try store(here.replacing(was, with: becomes))
      #expect(try keys.slots()[0].damage == "it is damaged")
      expectFailure(.keyDamaged) { _ = try keys.unlock(try secret("p")) }
    }
  }

  /// Wherever a file is cut, it is damaged, and never a key: not even at the length of one.
  @Test func aFileThatIsCutAnywhereIsDamaged() throws {
    _ = try keys.create(protecting: .passphrase(try secret("p")), recovering: account)
    let whole = try folder.read("db.key")
    for count in 0..<whole.count - 2 {
      try folder.write(Array(whole[..<count]), to: "db.key")
      try folder.setMode(0o600, of: "db.key")
      expectFailure(.keyDamaged) { _ = try keys.load() }
      expectFailure(.keyDamaged) { _ = try keys.unlock(try secret("p")) }
      expectFailure(.keyDamaged) { _ = try keys.unlock(recovering: account) }
    }
  }

  /// A changed byte never opens another key.
  @Test func aChangedByteNeverGivesAnotherKey() throws {
    let key = try keys.create(recovering: account)
    try addCredential(1, to: key)
    let whole = try folder.read("db.key")
    for at in whole.indices {
      var changed = whole
      changed[at] ^= 1
      try folder.write(changed, to: "db.key")
      try folder.setMode(0o600, of: "db.key")
      for open in [
        { try keys.load() }, { try keys.unlock(recovering: account) },
        { try keys.open(3, wrapping: try wrapping(1)) },
      ] as [() throws -> DatabaseKey] {
        if let opened = try? open() { #expect(opened.secret.equals(key.secret), "byte \(at)") }
      }
    }
    keys.lock()
  }

  @Test func aFileThatIsTooLongIsRefused() throws {
    let long = #"{"v":2,"slots":["# + String(repeating: " ", count: KeyFile.sizeLimit) + "]}"
    try store(long)
    expectFailure(.keyDamaged) { _ = try keys.load() }
  }

  @Test func commandsAreAbsoluteAndShort() {
    #expect(KeySlot.isCommand(["/usr/bin/pass", "show", "session"]))
    for words in [
      [], ["pass"], ["./pass"], ["/bin/x", "a\0b"], ["/bin/x", String(repeating: "y", count: 1025)],
      Array(repeating: "/x", count: 33),
    ] { #expect(!KeySlot.isCommand(words)) }
  }

  // MARK: - Earlier versions

  /// Writes what versions before the slots wrote under a passphrase.
  private func writeOld(_ key: DatabaseKey, _ passphrase: String) throws {
    let salt = try SecretBytes.random(count: PassphraseKey.saltCount).reveal()
    let wrapping = try PassphraseKey.derive(from: try secret(passphrase), salt: salt, cost: Self.cost)
    let sealed = try SealedBox.seal(key.secret, key: wrapping)
    try store(
      #"{"kdf":"argon2id","mem":\#(Self.cost.memory),"nonce":"\#(sealed.prefix(24).hex)","ops":1,"salt":"\#(salt.hex)","v":1,"wrapped":"\#(sealed.dropFirst(24).hex)"}"#
    )
  }

  @Test func openKeysOfEarlierVersionsAreReadAndNotChanged() throws {
    let key = try DatabaseKey.random()
    try folder.write(key.secret.reveal(), to: "db.key")
    try folder.setMode(0o600, of: "db.key")
    #expect(try keys.protection() == .open)
    #expect(try keys.load().secret.equals(key.secret))
    #expect(try keys.slots().isEmpty)
    #expect(try folder.read("db.key") == key.secret.reveal())
    try keys.add(.recovery(account), to: key) { (slot) throws(StorageError) in
      try keys.open(slot.id, recovering: account)
    }
    #expect(try keys.slots().map(\.kind) == [.open, .recovery])
    try keys.writeOldForm(key)
    #expect(try folder.read("db.key") == key.secret.reveal())
  }

  @Test func passphrasesOfEarlierVersionsAreReadAndChangeTheForm() throws {
    let key = try DatabaseKey.random()
    try writeOld(key, "old")
    let before = try folder.read("db.key")
    #expect(try keys.protection() == .passphrase)
    #expect(try keys.unlock(try secret("old")).secret.equals(key.secret))
    expectFailure(.wrongPassphrase) { _ = try keys.unlock(try secret("new")) }
    #expect(try folder.read("db.key") == before)
    #expect(try keys.needsConversion())
    expectFailure(.passphraseNeeded) { try addCredential(1, to: key) }
    expectFailure(.wrongPassphrase) { try keys.convert(try secret("new")) }
    try keys.convert(try secret("old"))
    #expect(try keys.slots().map(\.kind) == [.passphrase])
    #expect(try keys.unlock(try secret("old")).secret.equals(key.secret))
    try writeOld(key, "old")
    try keys.changePassphrase(from: try secret("old"), to: try secret("new"))
    #expect(try keys.unlock(try secret("new")).secret.equals(key.secret))
    try writeOld(key, "old")
    try keys.removePassphrase(try secret("old"))
    #expect(try keys.slots().map(\.kind) == [.open])
    keys.lock()
  }

  @Test func anOldPassphraseFileThatIsCutIsDamaged() throws {
    try writeOld(try DatabaseKey.random(), "old")
    let whole = try folder.read("db.key")
    for count in whole.indices {
      try folder.write(Array(whole[..<count]), to: "db.key")
      try folder.setMode(0o600, of: "db.key")
      expectFailure(.keyDamaged) { _ = try keys.load() }
    }
  }
}
