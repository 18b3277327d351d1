import Glibc

/// The sessions of the person, as systemd knows them.
struct LoginSessions {
  static let manager = "org.freedesktop.login1"
  static let session = "org.freedesktop.login1.Session"
  private static let user = "org.freedesktop.login1.User"

  /// Calls a method; nil if systemd is not there, or does not know.
  let call: (BusMethod, [BusValue]) async throws(BusFailure) -> BusValue?

  /// The path of the session that the person sees; nil for none.
  func display() async throws(BusFailure) -> String? {
    let getUser = BusMethod(
      Self.manager, "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "GetUser")
    guard let user = try await call(getUser, [.uint32(geteuid())])?.text,
      let display = try await property("Display", of: user, Self.user)?.elements, display.count == 2,
      let path = display[1].text, path != "/"
    else { return nil }
    return path
  }

  func property(
    _ name: String, of path: String, _ interface: String
  ) async throws(BusFailure) -> BusValue? {
    let get = BusMethod(Self.manager, path, "org.freedesktop.DBus.Properties", "Get")
    return try await call(get, [.string(interface), .string(name)])?.inner
  }
}
