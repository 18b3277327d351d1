import Foundation

/// Programs that are built with the tests.
enum Executables {
  /// Writes for ever, and says what it has committed.
  static let writer = beside("storage-writer")

  private static func beside(_ name: String) -> URL {
    URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().appending(
      path: name)
  }
}
