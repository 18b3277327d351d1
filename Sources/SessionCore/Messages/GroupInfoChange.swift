internal import CSessionCore

/// Tells the members that the group's info changed. For display only; the group's config decides.
public enum GroupInfoChange: Hashable, Sendable {
  /// The new name, if it was given.
  case name(String?)
  case picture
  /// The seconds until messages disappear, 0 when they no longer do.
  case disappearing(seconds: UInt32)

  init(_ change: sc_group_info_change) {
    self =
      switch change.what {
      case SC_GROUP_INFO_NAME: .name(change.name.text)
      case SC_GROUP_INFO_PICTURE: .picture
      default: .disappearing(seconds: change.disappearing_s)
      }
  }

  func core(in arena: CoreArena) -> sc_group_info_change {
    switch self {
    case .name(let name):
      sc_group_info_change(what: SC_GROUP_INFO_NAME, name: arena.text(name), disappearing_s: 0)
    case .picture:
      sc_group_info_change(what: SC_GROUP_INFO_PICTURE, name: sc_bytes(), disappearing_s: 0)
    case .disappearing(let seconds):
      sc_group_info_change(what: SC_GROUP_INFO_DISAPPEARING, name: sc_bytes(), disappearing_s: seconds)
    }
  }
}
