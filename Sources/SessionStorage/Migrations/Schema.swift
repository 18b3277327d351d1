/// The schema of a kind of database: the migrations from an empty file to the newest version.
public struct Schema: Sendable {
  /// A number in the file that identifies databases of this kind.
  public let applicationID: Int32
  /// In order, numbered from one. Released migrations never change.
  public let migrations: [Migration]
  /// Checks and repairs for the newest tables.
  let upkeep: SchemaUpkeep

  public init(applicationID: Int32, migrations: [Migration], upkeep: SchemaUpkeep = .none) {
    precondition(
      migrations.map(\.number) == Array(1...migrations.count),
      "migrations are numbered from one, without gaps")
    self.applicationID = applicationID
    self.migrations = migrations
    self.upkeep = upkeep
  }

  /// The number of the newest migration.
  public var version: Int { migrations.count }

  /// The schema as it was at an earlier version.
  func upTo(_ version: Int) -> Schema {
    Schema(applicationID: applicationID, migrations: Array(migrations.prefix(version)), upkeep: upkeep)
  }
}

/// One migration. It takes effect as a whole or not at all.
public struct Migration: Sendable {
  public let number: Int
  /// A few words for people.
  public let name: String
  /// True if it deletes data, so that the file is copied first.
  public let isDestructive: Bool
  let body: @Sendable (borrowing WriteTransaction) throws -> Void

  public init(
    _ number: Int, _ name: String, isDestructive: Bool = false,
    _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> Void
  ) {
    self.number = number
    self.name = name
    self.isDestructive = isDestructive
    self.body = body
  }

  /// A step that consists of statements without values, separated by semicolons.
  public init(_ number: Int, _ name: String, isDestructive: Bool = false, sql: SQL) {
    self.init(number, name, isDestructive: isDestructive) { transaction in
      try transaction.statements.connection.run(sql.text)
    }
  }
}

/// The results of opening a database, by their names in JSON.
public enum MigrationOutcome: Hashable, Sendable {
  case ok
  /// The migration has to be confirmed.
  case invalidConfirmation
  /// The key is wrong, or the file is damaged or something else. It is never deleted for that.
  case errorNotADatabase(file: String)
  case errorMigration(file: String, detail: Detail)
  case errorSQL(file: String, text: String)
  /// There is no key, or it is not available.
  case errorKeychain
  case unknown(String)

  public enum Detail: String, Sendable {
    case upgrade
    /// The file is of a later version of the program.
    case downgrade
    case unknown
  }

  /// The outcome for a failure to open a file.
  public init(_ error: StorageError, file: String) {
    self =
      switch error.code {
      case .unconfirmed: .invalidConfirmation
      case .wrongKey, .notADatabase, .notEncrypted, .corrupt: .errorNotADatabase(file: file)
      case .newerSchema: .errorMigration(file: file, detail: .downgrade)
      case .migration: .errorMigration(file: file, detail: .upgrade)
      case .foreign, .alteredSchema: .errorMigration(file: file, detail: .unknown)
      case .keyMissing, .keyDamaged, .keyExposed, .passphraseNeeded, .wrongPassphrase, .tooManyAttempts:
        .errorKeychain
      case .statement, .constraint, .duplicate, .reference, .value: .errorSQL(file: file, text: error.message)
      default: .unknown(error.message)
      }
  }

  /// The name of the outcome, without its details.
  public var name: String {
    switch self {
    case .ok: "ok"
    case .invalidConfirmation: "invalidConfirmation"
    case .errorNotADatabase: "errorNotADatabase"
    case .errorMigration: "errorMigration"
    case .errorSQL: "errorSQL"
    case .errorKeychain: "errorKeychain"
    case .unknown: "unknown"
    }
  }
}
