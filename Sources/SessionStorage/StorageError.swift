public import SessionBase

/// Why the storage failed: a code to branch on, and a message a person can act on.
///
///     do { … }
///     catch StorageError.Code.wrongKey { … }
///
/// The message never holds a key or a text of a message, so it may be logged.
public struct StorageError: CodedError, Sendable {
  public let code: Code
  /// One sentence without a full stop.
  public let message: String
  /// The number the engine gave, where it was the engine that failed.
  public let engineCode: Int32?

  public init(_ code: Code, _ message: String, engineCode: Int32? = nil) {
    self.code = code
    self.message = message
    self.engineCode = engineCode
  }
}

extension StorageError {
  /// One name for each failure that callers may need to distinguish.
  public struct Code: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The key does not open the file, or the first page is damaged.
    public static let wrongKey = Code(rawValue: "wrongKey")
    /// The file is not a database.
    public static let notADatabase = Code(rawValue: "notADatabase")
    /// The file is a database that is not encrypted.
    public static let notEncrypted = Code(rawValue: "notEncrypted")
    /// The file is the database of another program.
    public static let foreign = Code(rawValue: "foreign")
    /// The file was written by a later version of this program.
    public static let newerSchema = Code(rawValue: "newerSchema")
    /// The tables are not those that this program made.
    public static let alteredSchema = Code(rawValue: "alteredSchema")
    /// A part of the file is damaged.
    public static let corrupt = Code(rawValue: "corrupt")
    /// The disk or the user's quota is full.
    public static let full = Code(rawValue: "full")
    /// The file or its folder may not be written.
    public static let readOnly = Code(rawValue: "readOnly")
    /// The file is on a network file system, which SQLite does not support.
    public static let networkFileSystem = Code(rawValue: "networkFileSystem")
    /// A file is missing.
    public static let missing = Code(rawValue: "missing")
    /// The file cannot be opened: it is not a file, or belongs to another user.
    public static let cannotOpen = Code(rawValue: "cannotOpen")
    /// Reading or writing failed.
    public static let io = Code(rawValue: "io")
    /// Another process writes, or everything is in use, and that did not change in time.
    public static let busy = Code(rawValue: "busy")
    /// More waits than may wait.
    public static let overloaded = Code(rawValue: "overloaded")
    /// There is a row of that key already.
    public static let duplicate = Code(rawValue: "duplicate")
    /// A row refers to one that is not there, or is referred to.
    public static let reference = Code(rawValue: "reference")
    /// A row breaks another rule of its table.
    public static let constraint = Code(rawValue: "constraint")
    /// A row contains an unreadable value.
    public static let value = Code(rawValue: "value")
    /// A value is too large to store.
    public static let tooLarge = Code(rawValue: "tooLarge")
    /// A transaction was started inside another one.
    public static let nested = Code(rawValue: "nested")
    /// The database was closed.
    public static let closed = Code(rawValue: "closed")
    /// The work was interrupted.
    public static let interrupted = Code(rawValue: "interrupted")
    /// The database needs to be migrated, which has to be confirmed.
    public static let unconfirmed = Code(rawValue: "unconfirmed")
    /// A migration failed, and left everything as it was.
    public static let migration = Code(rawValue: "migration")
    /// The key is missing.
    public static let keyMissing = Code(rawValue: "keyMissing")
    /// The key file is damaged, or of another version.
    public static let keyDamaged = Code(rawValue: "keyDamaged")
    /// Other users can read or change the key file.
    public static let keyExposed = Code(rawValue: "keyExposed")
    /// The key is protected by a passphrase, and none was given.
    public static let passphraseNeeded = Code(rawValue: "passphraseNeeded")
    public static let wrongPassphrase = Code(rawValue: "wrongPassphrase")
    /// Too many wrong passphrases; further ones are refused for a while.
    public static let tooManyAttempts = Code(rawValue: "tooManyAttempts")
    /// There is a passphrase already.
    public static let passphraseSet = Code(rawValue: "passphraseSet")
    /// There is no passphrase.
    public static let passphraseNotSet = Code(rawValue: "passphraseNotSet")
    /// The key has no such slot.
    public static let slotMissing = Code(rawValue: "slotMissing")
    /// A slot does not open the key.
    public static let slotFailed = Code(rawValue: "slotFailed")
    /// Without this slot nothing would open the key.
    public static let lastSlot = Code(rawValue: "lastSlot")
    /// Another process works on the account.
    public static let locked = Code(rawValue: "locked")
    /// The database server cannot be reached, or ended the connection.
    public static let unreachable = Code(rawValue: "unreachable")
    /// The database server refuses the user, the password or the database.
    public static let denied = Code(rawValue: "denied")
    /// There is not enough memory.
    public static let noMemory = Code(rawValue: "noMemory")
    /// A statement is wrong: a defect of the program.
    public static let statement = Code(rawValue: "statement")

    /// All of them.
    public static let all: [Code] = [
      .wrongKey, .notADatabase, .missing, .notEncrypted, .foreign, .newerSchema, .alteredSchema, .corrupt,
      .full,
      .readOnly, .networkFileSystem, .cannotOpen, .io, .busy, .overloaded, .duplicate, .reference,
      .constraint, .value, .tooLarge, .nested, .closed, .interrupted, .unconfirmed, .migration,
      .keyMissing, .keyDamaged, .keyExposed, .passphraseNeeded, .wrongPassphrase, .tooManyAttempts,
      .passphraseSet, .passphraseNotSet, .slotMissing, .slotFailed, .lastSlot, .locked, .unreachable, .denied,
      .noMemory, .statement,
    ]
  }
}

extension StorageError.Code: CustomStringConvertible {
  public var description: String { rawValue }
}

extension StorageError: CustomStringConvertible {
  public var description: String { message }
}

extension StorageError.Code {
  public static func ~= (code: Self, error: StorageError) -> Bool { error.code == code }
  public static func ~= (code: Self, error: any Error) -> Bool { (error as? StorageError)?.code == code }
}

extension StorageError {
  /// True if the file itself is damaged: nothing more may be written.
  package var isDamage: Bool {
    switch code {
    case .corrupt, .wrongKey, .notADatabase: true
    default: false
    }
  }
}
