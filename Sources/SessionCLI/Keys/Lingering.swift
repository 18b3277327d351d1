import Glibc

/// Whether services of this user run while the user is not logged in.
enum Lingering {
  static var isOn: Bool {
    guard let user = getpwuid(geteuid()), let name = user.pointee.pw_name else { return false }
    return access("/var/lib/systemd/linger/" + String(cString: name), F_OK) == 0
  }
}
