internal import CPostgreSQL

/// The code of a failure of a PostgreSQL server: five letters and digits, the first two of which name its class.
struct SQLState: RawRepresentable, Hashable {
  let rawValue: String

  static let wrongPassword = SQLState(rawValue: "28P01")
  static let noSuchUser = SQLState(rawValue: "28000")
  static let noSuchDatabase = SQLState(rawValue: "3D000")
  static let noPermission = SQLState(rawValue: "42501")
  static let tableExists = SQLState(rawValue: "42P07")
  static let unique = SQLState(rawValue: "23505")
  static let foreignKey = SQLState(rawValue: "23503")
  static let notOrdered = SQLState(rawValue: "40001")
  static let deadlock = SQLState(rawValue: "40P01")
  static let noLock = SQLState(rawValue: "55P03")
  static let cancelled = SQLState(rawValue: "57014")
  static let tooManyConnections = SQLState(rawValue: "53300")
  static let readOnly = SQLState(rawValue: "25006")

  /// The first two characters.
  var family: Substring { rawValue.prefix(2) }

  /// True if the same transaction may succeed when it is run again: others were in the way, or the server ends or begins.
  /// Two processes may both add a row that neither has seen.
  var isSetback: Bool {
    switch self {
    case .notOrdered, .deadlock, .unique, .tooManyConnections: true
    default: isEnd
    }
  }

  /// True if the server has ended the connection, or does not take one yet.
  private var isEnd: Bool { family == "08" || rawValue.hasPrefix("57P0") }

  fileprivate var code: StorageError.Code {
    switch self {
    case .wrongPassword, .noSuchUser, .noSuchDatabase, .noPermission: .denied
    case .unique: .duplicate
    case .foreignKey: .reference
    case .notOrdered, .deadlock, .noLock, .cancelled, .tooManyConnections: .busy
    case .readOnly: .readOnly
    case .tableExists: .foreign
    default:
      switch family {
      case "22": .value
      case "23": .constraint
      case "53": .full
      case "58", "XX": .io
      default: isEnd ? .unreachable : .statement
      }
    }
  }
}

extension StorageError {
  /// A failure of a statement, with the words of the server, which hold no values.
  init(_ state: SQLState, said: String) {
    self.init(state.code, "PostgreSQL says: \(said) (\(state.rawValue))")
  }

  /// The reason why there is no connection, or none any more; what to do about it where that is known.
  init(connecting connection: OpaquePointer?, to address: PostgreSQLAddress) {
    guard let connection else {
      self.init(.noMemory, "there is not enough memory")
      return
    }
    let said = String(cString: PQerrorMessage(connection))
    // Failures before there is a connection have their code in the text alone.
    func has(_ state: SQLState) -> Bool { said.contains(" \(state.rawValue): ") }
    if PQconnectionNeedsPassword(connection) != 0 {
      self.init(
        .denied,
        """
        \(address) needs a password; write HOST:PORT:NAME:USER:PASSWORD into a file that only you can read, and append \
        ?passfile=FILE to the address or set PGPASSFILE
        """)
    } else if has(.wrongPassword) {
      self.init(
        .denied, "\(address) refuses the password; check the file that PGPASSFILE or the address names")
    } else if has(.noSuchDatabase) {
      self.init(
        .denied,
        "there is no such database at \(address); run: createdb --template template0 --encoding UTF8 NAME")
    } else if has(.noSuchUser) {
      self.init(.denied, "\(address) refuses the user; create it with createuser, or allow it in pg_hba.conf")
    } else {
      let line = said.split(separator: "\n").first.map { String($0) } ?? "no reply"
      self.init(
        .unreachable, "cannot reach the database at \(address): \(line); is PostgreSQL running there?")
    }
  }
}
