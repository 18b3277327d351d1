internal import CSessionCore

/// How an account shows itself, and how its notes to itself behave.
public struct Profile: Hashable, Sendable {
  /// Empty for none.
  public var name: String
  public var picture: ProfilePicture?
  /// When name or picture were changed last, in seconds since 1970; 0 if unknown.
  public let updatedAtSeconds: Int64
  public var notePriority: Priority
  /// After how many seconds notes to oneself disappear; 0 for never.
  public var noteDisappearsAfterSeconds: Int32
  /// True if strangers in communities may write; nil while that is undecided.
  public var takesBlindedRequests: Bool?
  /// What of Pro the profile makes use of.
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
