public import SessionCore

/// The details of a group that an admin can change.
public struct GroupDetails: Hashable, Sendable, Codable {
  public static let maxNameBytes = 100
  public static let maxDescriptionBytes = GroupInfo.maxDescriptionBytes

  public var name: String
  public var description: String
  /// The seconds after which messages disappear; 0 if they do not.
  public var timerSeconds: UInt32

  public init(name: String, description: String = "", timerSeconds: UInt32 = 0) {
    self.name = name
    self.description = description
    self.timerSeconds = timerSeconds
  }
}

/// A change of some details of a group; those that are nil stay as they are.
public struct GroupChange: Hashable, Sendable, Codable {
  public var name: String?
  public var description: String?
  /// The seconds after which messages disappear; 0 for never.
  public var timerSeconds: UInt32?

  public init(name: String? = nil, description: String? = nil, timerSeconds: UInt32? = nil) {
    self.name = name
    self.description = description
    self.timerSeconds = timerSeconds
  }
}

/// A group to create.
public struct GroupDraft: Hashable, Sendable {
  public var details: GroupDetails
  /// The other members, who are invited.
  public var members: [SessionID]
  /// A PNG, JPEG, GIF or WebP image of up to 5 MB.
  public var picture: [UInt8]?
  /// True if it gets the default timer where its details have none.
  public var usesDefaultTimer = true

  public init(name: String, members: [SessionID] = []) {
    details = GroupDetails(name: name)
    self.members = members
  }
}

extension GroupDetails {
  init(_ info: GroupInfo) {
    self.init(
      name: info.name, description: info.description,
      timerSeconds: UInt32(clamping: info.disappearsAfterSeconds))
  }

  func changed(by change: GroupChange) -> GroupDetails {
    GroupDetails(
      name: change.name ?? name, description: change.description ?? description,
      timerSeconds: change.timerSeconds ?? timerSeconds)
  }

  /// Returns the details with the name trimmed. Throws `invalidName` or `notAllowed` if they are not valid.
  func checked() throws(MessengerError) -> GroupDetails {
    var details = self
    details.name = Name.trimmed(name)
    guard !details.name.isEmpty else {
      throw MessengerError(.invalidName, "a group needs a name")
    }
    guard details.name.utf8.count <= Self.maxNameBytes else {
      throw MessengerError(
        .invalidName,
        "the name of a group has up to \(Self.maxNameBytes) bytes, this one has \(details.name.utf8.count)")
    }
    guard description.utf8.count <= Self.maxDescriptionBytes else {
      throw MessengerError(
        .notAllowed,
        "a description has up to \(Self.maxDescriptionBytes) bytes, this one has \(description.utf8.count)")
    }
    return details
  }
}

extension GroupInfo {
  mutating func set(_ details: GroupDetails) {
    name = details.name
    description = details.description
    disappearsAfterSeconds = Int64(details.timerSeconds)
  }
}
