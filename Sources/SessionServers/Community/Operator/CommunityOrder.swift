public import FoundationEssentials

/// What an operator has a server do, whether it runs or not.
public enum CommunityOrder: Codable, Hashable, Sendable {
  case listRooms
  case showRoom(String)
  case addRoom(RoomSettings)
  /// Changes the room that the settings name.
  case changeRoom(RoomSettings)
  /// Sets the picture of a room; nil takes it away.
  case setImage(room: String, content: Data?)
  /// Deletes a room with its messages and files.
  case deleteRoom(String)
  /// The people with a role in a room or, for nil, anywhere.
  case listModerators(room: String?)
  case appoint([String], OperatorRole, isHidden: Bool, OperatorScope)
  /// Bans people, for so many milliseconds or without an end. With `deletes` their messages go.
  case ban([String], OperatorScope, span: Int64?, deletes: Bool)
  case unban([String], OperatorScope)
  /// Those who are banned from a room or, for nil, from the server.
  case listBans(room: String?)
  /// Changes what a person may do in a room: for so many milliseconds or from now on.
  case permit(person: String, room: String, PermissionSettings, span: Int64?)
  /// Those who have read a room within so many milliseconds.
  case listMembers(room: String, span: Int64?)
  case deleteMessages(room: String, [Int64])
  /// The former texts of a message that are kept.
  case showHistory(room: String, message: Int64)
  /// The actions of moderators after one, in a room or, for nil, in all.
  case showLog(room: String?, since: Int64, limit: Int)
}

/// The role that an operator gives.
public enum OperatorRole: String, Codable, Sendable {
  case member, moderator, admin
}

/// Where an order about people applies.
public enum OperatorScope: Codable, Hashable, Sendable {
  case server
  case rooms([String])
  case allRooms
}

/// Permissions that are given, taken, or dropped to what holds for everybody.
public struct PermissionSettings: Codable, Hashable, Sendable {
  public let given, taken, dropped: Set<Letter>

  /// The letters of permissions.
  public enum Letter: String, Codable, CaseIterable, Sendable {
    case read = "r"
    case write = "w"
    case upload = "u"
    case accessible = "a"

    var permission: RoomPermissions {
      switch self {
      case .read: .read
      case .write: .write
      case .upload: .upload
      case .accessible: .accessible
      }
    }
  }

  /// Reads words of letters: `+w` gives, `-u` takes, `.r` drops what is special, and `=rw` gives these and takes the
  /// others. Nil for anything else, contradictions, and nothing.
  public init?(_ words: [String]) {
    var (given, taken, dropped): (Set<Letter>, Set<Letter>, Set<Letter>) = ([], [], [])
    for word in words {
      let letters = word.dropFirst().map { Letter(rawValue: String($0)) }
      let known = Set(letters.compactMap { $0 })
      guard known.count == letters.count, !known.isEmpty || word == "=" else { return nil }
      switch word.first {
      case "+": given.formUnion(known)
      case "-": taken.formUnion(known)
      case ".": dropped.formUnion(known)
      case "=":
        given.formUnion(known)
        taken.formUnion(Set(Letter.allCases).subtracting(known))
      default: return nil
      }
    }
    guard given.isDisjoint(with: taken), dropped.isDisjoint(with: given.union(taken)),
      !given.union(taken).union(dropped).isEmpty
    else { return nil }
    (self.given, self.taken, self.dropped) = (given, taken, dropped)
  }
}

/// What is set of a room; nil leaves it, or has the usual value for a new one.
public struct RoomSettings: Codable, Hashable, Sendable {
  public let token: String
  public var name: String?
  /// Empty for none.
  public var description: String?
  public var permissions: PermissionSettings?
  /// Seconds between two posts of a person.
  public var slow: Int64?
  /// Minutes until newcomers may write and upload.
  public var newcomerWrite, newcomerUpload: Int64?
  /// Days that messages are kept; 0 for ever.
  public var retention: Int64?

  public init(token: String) { self.token = token }
}
