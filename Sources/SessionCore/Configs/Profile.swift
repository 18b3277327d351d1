internal import CSessionCore

/// The profile of an account, and the settings of Note to Self.
public struct Profile: Hashable, Sendable {
  /// Empty if not set.
  public var name: String
  public var picture: ProfilePicture?
  /// When the name or picture was last changed, in seconds since 1970; 0 if unknown.
  public let updatedAtSeconds: Int64
  public var notePriority: Priority
  /// The seconds after which messages in Note to Self disappear; 0 for never.
  public var noteDisappearsAfterSeconds: Int32
  /// True if strangers in communities may write; nil if never set.
  public var takesBlindedRequests: Bool?
  /// The Pro features of the profile.
  public var features: MessagePro.ProfileFeatures
}

extension Profile {
  init(_ profile: sc_profile) throws(SessionError) {
    name = try profile.name.shown()
    picture = ProfilePicture(profile.picture)
    updatedAtSeconds = profile.updated_s
    notePriority = Priority(profile.note_priority)
    noteDisappearsAfterSeconds = profile.note_expiry_s
    takesBlindedRequests = Bool(profile.blinded_requests)
    features = MessagePro.ProfileFeatures(rawValue: profile.features)
  }
}

extension Bool {
  init?(_ choice: sc_config_choice) {
    guard choice != SC_CONFIG_UNDECIDED else { return nil }
    self = choice == SC_CONFIG_YES
  }
}

extension sc_config_choice {
  init(_ answer: Bool?) {
    self = answer.map { $0 ? SC_CONFIG_YES : SC_CONFIG_NO } ?? SC_CONFIG_UNDECIDED
  }
}
