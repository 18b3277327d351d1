import FoundationEssentials
import SessionMessaging

/// The destination of saved files.
struct FileTarget: Sendable {
  /// A folder that is there, or the path of one file; nil for where the command runs.
  let place: String?

  private var isFolder: Bool {
    guard let place else { return true }
    var isFolder = false
    return place.hasSuffix("/")
      || FileManager.default.fileExists(atPath: place, isDirectory: &isFolder) && isFolder
  }

  /// The path of each file. None of them is taken.
  func paths(for files: [NumberedAttachment]) throws(CommandFailure) -> [String] {
    guard isFolder else {
      guard files.count == 1, let place else {
        throw .usage(
          "\(place ?? "") is no folder, and the message has \(files.count) files",
          advice: "Give the number of one file after that of the message, or an existing folder.")
      }
      return [try free(place)]
    }
    var folder = place.map { $0.hasSuffix("/") ? $0 : $0 + "/" } ?? ""
    if folder == "./" { folder = "" }
    var taken: Set<String> = []
    var paths: [String] = []
    for file in files {
      var name = file.savedName
      // Two files of a message may have one name.
      while taken.contains(name) { name = "\(file.number) \(name)" }
      taken.insert(name)
      paths.append(try free(folder + name))
    }
    return paths
  }

  private func free(_ path: String) throws(CommandFailure) -> String {
    guard !FileManager.default.fileExists(atPath: path) else {
      throw CommandFailure(
        status: .cannotCreate, message: "there is a file \(DisplayText.line(path)) already",
        advice: "Choose another name or folder with --to, or remove the file first.")
    }
    return path
  }
}
