import SessionCore

extension CommandIO {
  /// Reads a file that holds a secret, or standard input for nil or a dash. A file of this user's that others may read is
  /// refused.
  func readSecret(_ path: String?, upTo limit: Int) throws(CommandFailure) -> [UInt8] {
    let path = path == "-" ? nil : path
    // A path such as /dev/fd/3 names an open descriptor, whose opener chose its permissions.
    if let path, !path.hasPrefix("/dev/"), !path.hasPrefix("/proc/"), isExposed(path) {
      throw CommandFailure(
        status: .configuration, message: "others may read \(path), which holds a secret",
        advice: "chmod 600 '\(path)' takes that away.")
    }
    do {
      return try read(path, limit)
    } catch {
      throw CommandFailure(error)
    }
  }
}
