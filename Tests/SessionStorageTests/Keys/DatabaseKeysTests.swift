import Glibc
import SessionBase
import Synchronization
import Testing

@testable import SessionCore
@testable import SessionStorage

@Suite struct DatabaseKeysTests {
  private let folder: Workplace
  private let keys: DatabaseKeys

  /// Cheap, so that tests are fast.
  private static let cost = PassphraseKey.Cost(passes: 1, memory: 8 << 10)

  init() throws {
    folder = try Workplace()
    keys = DatabaseKeys(path: folder.path("db.key"), cost: Self.cost)
  }

  private func passphrase(_ text: String) throws -> SecretBytes { try SecretBytes(copying: text.utf8) }

  @Test func aFreshKeyIsKeptOpenly() throws {
    #expect(try keys.protection() == .none)
    let key = try keys.create()
    #expect(try keys.protection() == .open)
    #expect(try keys.load().secret.equals(key.secret))
    #expect(try folder.mode("db.key") == 0o600)
    expectFailure(.duplicate) { _ = try keys.create() }
  }

  @Test func withoutAKeyNothingIsMadeUp() throws {
    expectFailure(.keyMissing) { _ = try keys.load() }
    expectFailure(.keyMissing) { try keys.setPassphrase(try passphrase("a")) }
    #expect(try folder.names == [])
  }

  @Test func aPassphraseProtectsTheKeyAndTheKeyStaysTheSame() throws {
    let key = try keys.create()
    try keys.setPassphrase(try passphrase("correct horse"))
    #expect(try keys.protection() == .passphrase)
    expectFailure(.passphraseNeeded) { _ = try keys.load() }
    expectFailure(.wrongPassphrase) { try keys.test(try passphrase("battery")) }
    try keys.test(try passphrase("correct horse"))
    #expect(try keys.unlock(try passphrase("correct horse")).secret.equals(key.secret))
    keys.lock()
  }

  @Test func accountsOfTheSameNameInTwoPlacesHaveKeysOfTheirOwn() throws {
    let here = DatabaseKeys(path: folder.path("here.key"), cost: Self.cost)
    let there = DatabaseKeys(path: folder.path("there.key"), cost: Self.cost)
    for keys in [here, there] {
      _ = try keys.create()
      try keys.setPassphrase(try passphrase("correct horse"))
    }
    let key = try here.unlock(try passphrase("correct horse"))
    expectFailure(.passphraseNeeded) { _ = try there.load() }
    #expect(try !there.unlock(try passphrase("correct horse")).secret.equals(key.secret))
    for keys in [here, there] { keys.lock() }
  }

  @Test func noPartOfTheKeyIsOnTheDiskUnderAPassphrase() throws {
    let key = try keys.create().secret.reveal()
    try keys.setPassphrase(try passphrase("p"))
    let text = String(decoding: try folder.read("db.key"), as: UTF8.self)
    for start in stride(from: 0, to: key.count, by: 8) {
      #expect(!text.contains(key[start..<start + 8].hex))
    }
    #expect(try folder.names == ["db.key"])
    #expect(try folder.mode("db.key") == 0o600)
  }

  @Test func aPassphraseIsChangedAndRemoved() throws {
    let key = try keys.create()
    try keys.setPassphrase(try passphrase("old"))
    expectFailure(.passphraseSet) { try keys.setPassphrase(try passphrase("other")) }
    expectFailure(.wrongPassphrase) {
      try keys.changePassphrase(from: try passphrase("wrong"), to: try passphrase("new"))
    }
    try keys.changePassphrase(from: try passphrase("old"), to: try passphrase("new"))
    expectFailure(.wrongPassphrase) { try keys.test(try passphrase("old")) }
    expectFailure(.wrongPassphrase) { try keys.removePassphrase(try passphrase("old")) }
    try keys.removePassphrase(try passphrase("new"))
    #expect(try keys.protection() == .open)
    #expect(try keys.load().secret.equals(key.secret))
    expectFailure(.passphraseNotSet) { try keys.test(try passphrase("new")) }
  }

  /// A kernel without keyrings, as in some containers, asks for the passphrase each time.
  private static let kernelKeepsKeys: Bool = {
    let entry = KeyringEntry(name: "test of the kernel")
    guard let secret = try? SecretBytes.random(count: 48) else { return false }
    entry.write(secret, lifetime: .seconds(10))
    defer { entry.remove() }
    return entry.read() != nil
  }()

  @Test(.enabled(if: kernelKeepsKeys, "this kernel keeps no keys"))
  func keyringReplacesThePassphraseUntilLocked() throws {
    let key = try keys.create()
    try keys.setPassphrase(try passphrase("p"))
    _ = try keys.unlock(try passphrase("p"))
    #expect(try keys.load().secret.equals(key.secret))
    keys.lock()
    expectFailure(.passphraseNeeded) { _ = try keys.load() }
  }

  @Test func aChangedPassphraseIsAskedForAgain() throws {
    _ = try keys.create()
    try keys.setPassphrase(try passphrase("p"))
    _ = try keys.unlock(try passphrase("p"))
    try keys.changePassphrase(from: try passphrase("p"), to: try passphrase("q"))
    expectFailure(.passphraseNeeded) { _ = try keys.load() }
  }

  @Test func theKeyringNeverMakesAWrongPassphraseRight() throws {
    _ = try keys.create()
    try keys.setPassphrase(try passphrase("p"))
    _ = try keys.unlock(try passphrase("p"))
    expectFailure(.wrongPassphrase) { _ = try keys.unlock(try passphrase("q")) }
    expectFailure(.wrongPassphrase) { try keys.test(try passphrase("q")) }
    keys.lock()
  }

  @Test(arguments: [
    "", "{}", "[]", "nonsense",
    #"{"v":2,"kdf":"argon2id","ops":1,"mem":8192,"salt":"","nonce":"","wrapped":""}"#,
  ])
  func damagedKeyFilesAreReportedAndKept(_ text: String) throws {
    try folder.write(Array(text.utf8), to: "db.key")
    try folder.setMode(0o600, of: "db.key")
    expectFailure(.keyDamaged) { _ = try keys.load() }
    expectFailure(.keyDamaged) { _ = try keys.create() }
    expectFailure(.keyDamaged) { _ = try keys.unlock(try passphrase("p")) }
    #expect(try folder.read("db.key") == Array(text.utf8))
  }

  /// Each field cut, made longer, or no hexadecimal digits.
  @Test(arguments: ["salt", "nonce", "wrapped"], ["00", String(repeating: "00", count: 100), "zz"])
  func damagedFieldsAreReported(_ field: String, _ value: String) throws {
    _ = try keys.create()
    try keys.setPassphrase(try passphrase("p"))
    let text = String(decoding: try folder.read("db.key"), as: UTF8.self)
    let start = try #require(text.firstRange(of: "\"\(field)\":\""))
    let end = try #require(text[start.upperBound...].firstIndex(of: "\""))
    let changed = text[..<start.upperBound] + value + text[end...]
    try folder.write(Array(changed.utf8), to: "db.key")
    try folder.setMode(0o600, of: "db.key")
    expectFailure(.keyDamaged) { _ = try keys.unlock(try passphrase("p")) }
  }

  /// A file that somebody changed must not make the program allocate what they like.
  @Test(arguments: ["\"mem\":99999999999", "\"mem\":-1", "\"mem\":0"])
  func aCostBeyondReasonIsRefused(_ mem: String) throws {
    _ = try keys.create()
    try keys.setPassphrase(try passphrase("p"))
    let text = String(decoding: try folder.read("db.key"), as: UTF8.self)
    try folder.write(Array(text.replacing("\"mem\":8192", with: mem).utf8), to: "db.key")
    try folder.setMode(0o600, of: "db.key")
    expectFailure(.keyDamaged) { _ = try keys.unlock(try passphrase("p")) }
  }

  @Test func aKeyFileThatOthersMayReadIsRefused() throws {
    _ = try keys.create()
    try folder.setMode(0o640, of: "db.key")
    expectFailure(.keyExposed) { _ = try keys.load() }
  }

  @Test func aLinkInPlaceOfTheKeyFileIsNotFollowed() throws {
    _ = try keys.create()
    try folder.rename("db.key", to: "elsewhere")
    try folder.link("db.key", to: "elsewhere")
    expectFailure(.cannotOpen) { _ = try keys.load() }
  }

  @Test func longPassphrasesAreRefused() throws {
    _ = try keys.create()
    let long = try passphrase(String(repeating: "x", count: DatabaseKeys.passphraseByteLimit + 1))
    expectFailure(.tooLarge) { try keys.setPassphrase(long) }
    #expect(try keys.protection() == .open)
  }

  /// A file is replaced in one step: wherever a program is ended, one of the two forms is there, whole.
  @Test func concurrentReadersSeeACompleteKeyFile() async throws {
    let key = try keys.create()
    let isOver = Flag()
    defer { isOver.value.withLock { $0 = true } }
    let reader = Task.detached { [keys] in
      var seen = 0
      while !isOver.value.withLock({ $0 }) || seen < 50 {
        let protection = try keys.protection()
        guard protection != .none else { return false }
        seen += 1
      }
      return true
    }
    for _ in 0..<40 {
      try keys.setPassphrase(try passphrase("p"))
      try keys.removePassphrase(try passphrase("p"))
    }
    isOver.value.withLock { $0 = true }
    let wasWhole = try await reader.value
    #expect(wasWhole)
    #expect(try keys.load().secret.equals(key.secret))
  }

  private final class Flag: Sendable {
    let value = Mutex(false)
  }

  @Test func refusalsOfTheFileSystemAreToldApart() async throws {
    expectFailure(.cannotOpen) {
      _ = try DatabaseKeys(path: folder.path("absent/db.key"), cost: Self.cost).create()
    }
    _ = try keys.create()
    let (path, key) = (folder.path(""), folder.path("db.key"))
    // Root may read and write everything, so another user tries.
    await #expect(processExitsWith: .success) { [path = path as String, key = key as String] in
      if geteuid() == 0 {
        for name in [path, key] { try #require(chown(name, 65534, 65534) == 0) }
        try #require(setgid(65534) == 0 && setuid(65534) == 0)
      }
      try #require(chmod(key, 0) == 0 && chmod(path, 0o500) == 0)
      defer { chmod(path, 0o700) }
      expectFailure(.readOnly) { _ = try DatabaseKeys(path: key).load() }
      expectFailure(.readOnly) { _ = try DatabaseKeys(path: path + "/new.key").create() }
    }
    withExtendedLifetime(folder) {}
  }

  @Test(arguments: [
    (ENOSPC, StorageError.Code.full), (EDQUOT, .full), (EACCES, .readOnly), (EPERM, .readOnly),
    (EROFS, .readOnly), (EIO, .io),
  ])
  func failuresToWriteAKeyFileAreReported(number: Int32, code: StorageError.Code) {
    for tried in [FileError.Code.uncreatable, .unwritable] {
      expectFailure(code) {
        try StorageError.files("cannot write the key file") { () throws(FileError) in
          errno = number
          throw .system(tried, "cannot write", "db.key")
        }
      }
    }
  }
}
