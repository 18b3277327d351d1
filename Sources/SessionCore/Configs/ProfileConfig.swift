internal import CSessionCore

/// An account's own profile.
public struct ProfileConfig: ~Copyable {
  package let handle: ConfigHandle

  package init(_ account: Account, dump: [UInt8]) throws(SessionError) {
    handle = try ConfigHandle(
      config: sc_user_profile_config, free: sc_user_profile_free, account: account, dump: dump,
      make: sc_user_profile_new)
  }

  public func get() throws(SessionError) -> Profile {
    var profile = sc_profile()
    sc_user_profile_get(&profile, handle.object)
    return try Profile(profile)
  }

  /// Changes the profile; `now` is the time of the change.
  public mutating func update(
    at now: MessageTime, _ change: (inout Profile) -> Void
  ) throws(SessionError) {
    let old = try get()
    var new = old
    change(&new)
    let now = Self.time(of: now, after: old)
    let object = handle.object
    try Core.set(new.name, over: old.name) { (name) throws(SessionError) in
      try name.utf8.lend { sc_user_profile_set_name(object, $0, now.milliseconds) }
    }
    if new.picture != old.picture { try set(new.picture, with: sc_user_profile_set_picture, at: now) }
    try SessionError.check(
      sc_user_profile_set_blinded_requests(
        object, sc_config_choice(new.takesBlindedRequests), now.milliseconds))
    try set(new.features, over: old.features, at: now)
    try SessionError.check(sc_user_profile_set_note_priority(object, new.notePriority.number))
    try SessionError.check(sc_user_profile_set_note_expiry(object, new.noteDisappearsAfterSeconds))
  }

  /// Others accept only a newer profile, in whole seconds: a second change within one second gets the next one. A
  /// time more than a day ahead came from a wrong clock and was never accepted by others.
  private static func time(of now: MessageTime, after old: Profile) -> MessageTime {
    let (last, farAhead) = (UInt64(clamping: old.updatedAtSeconds), now.seconds + 24 * 3600)
    guard last >= now.seconds, last < farAhead else { return now }
    return (try? MessageTime(milliseconds: (last + 1) * 1000)) ?? now
  }

  /// Records that the picture was uploaded again, which does not count as a change of the profile.
  public mutating func noteUploadedAgain(_ picture: ProfilePicture, at now: MessageTime) throws(SessionError)
  {
    try set(picture, with: sc_user_profile_set_reuploaded, at: now)
  }

  private func set(
    _ picture: ProfilePicture?,
    with setter: (OpaquePointer?, UnsafePointer<sc_config_picture>?, UInt64) -> sc_status, at now: MessageTime
  ) throws(SessionError) {
    try CoreArena.lend { (arena) throws(SessionError) in
      try SessionError.check(setter(handle.object, arena.value(arena.picture(picture)), now.milliseconds))
    }
  }
}
