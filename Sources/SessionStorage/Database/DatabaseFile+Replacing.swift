import Glibc

/// Replacing a database by another one so that one of the two is in use if the process is killed at any point.
///
/// Until the last step the file has two names: its own, and that of the damaged one. If a file has both, the
/// process ended during the replacement: its companions are moved back, and it loses the second name.
extension DatabaseFile {
  /// The path of a damaged database after its replacement.
  var damaged: String { path + ".damaged" }

  /// A step of putting another file in the place of this one.
  enum ReplacementStep {
    /// Gives the file the name of the damaged one as well.
    case keep
    /// Renames a companion, by its suffix, to that of the damaged database: otherwise the log of the old one would
    /// be used for the new one.
    case move(String)
    /// Gives the other file the name of this one.
    case replace(by: String)
  }

  /// The steps, in order, for the exclusive user of the file.
  static func replacement(by other: String) -> [ReplacementStep] {
    [.keep] + companions.map { .move($0) } + [.replace(by: other)]
  }

  func take(_ step: ReplacementStep) throws(StorageError) {
    switch step {
    case .keep:
      guard link(path, damaged) == 0 else { throw .system("keep \(path)") }
      // Nothing is moved away from a file that has one name.
      synchronizeFolder()
    case .move(let ending): try move(path + ending, to: damaged + ending)
    case .replace(let other):
      synchronizeFolder()
      try DatabaseFile(path: other).rename(to: path)
    }
  }

  /// Rolls back an unfinished replacement. Several processes may do so at once, but none while one replaces.
  func undoReplacement() throws(StorageError) {
    guard isBeingReplaced else { return }
    for ending in Self.companions { try move(damaged + ending, to: path + ending) }
    synchronizeFolder()
    guard unlink(damaged) == 0 || errno == ENOENT else { throw .system("remove \(damaged)") }
    synchronizeFolder()
  }

  /// True if the file also has the name of the damaged one.
  private var isBeingReplaced: Bool {
    var (own, kept) = (stat(), stat())
    return lstat(path, &own) == 0 && lstat(damaged, &kept) == 0 && own.st_ino == kept.st_ino
      && own.st_dev == kept.st_dev
  }

  private func move(_ old: String, to new: String) throws(StorageError) {
    guard Glibc.rename(old, new) == 0 || errno == ENOENT else { throw .system("give \(old) the name \(new)") }
  }
}
