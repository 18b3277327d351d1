import Glibc

/// Putting another database in the place of one, so that being killed at any point leaves one of both in use.
///
/// Until the last step the file has two names: its own, and that of the damaged one. A file that is found with both was
/// being replaced when the process ended: what belongs to it is moved back, and it loses the second name.
extension DatabaseFile {
  /// Where a damaged database is kept once another has taken its place.
  var damaged: String { path + ".damaged" }

  /// A step of putting another file in the place of this one.
  enum ReplacementStep {
    /// Gives the file the name of the damaged one as well.
    case keep
    /// Gives what belongs to the file, by the ending of its name, to the damaged one: the log of the old one would be
    /// taken for that of the new one.
    case move(String)
    /// Gives the other file the name of this one.
    case replace(by: String)
  }

  /// What is to be done, in this order, by somebody who has the whole of the use of the file.
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

  /// Whether the file has the name of the damaged one as well.
  private var isBeingReplaced: Bool {
    var (own, kept) = (stat(), stat())
    return lstat(path, &own) == 0 && lstat(damaged, &kept) == 0 && own.st_ino == kept.st_ino
      && own.st_dev == kept.st_dev
  }

  private func move(_ old: String, to new: String) throws(StorageError) {
    guard Glibc.rename(old, new) == 0 || errno == ENOENT else { throw .system("give \(old) the name \(new)") }
  }
}
