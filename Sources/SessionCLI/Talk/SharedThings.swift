import SessionBase
import SessionMessaging

/// What a person shares: files and a text.
struct SharedThings: Sendable {
  let text: String
  let files: [OutgoingFile]
  /// The size of each file when it was looked at.
  private let sizes: [Int64]

  /// The most files of a message.
  static let maxFiles = 32

  init(text: String, paths: [String]) throws(CommandFailure) {
    guard paths.count <= Self.maxFiles else {
      throw .usage("a message has at most \(Self.maxFiles) files, not \(paths.count)")
    }
    guard !text.isEmpty || !paths.isEmpty else {
      throw .usage("there is nothing to share", advice: "Name files, or give a text with --text.")
    }
    var files: [OutgoingFile] = []
    for path in paths { files.append(try OutgoingFile(existing: path)) }
    (self.text, self.files) = (text, files)
    sizes = paths.map { OpenFile.size(of: $0) ?? 0 }
  }

  /// `beach.jpg (2.1 MB)`, `3 files (5.2 MB)`, or `the text`.
  var name: String {
    let total = ByteCount.text(sizes.reduce(0, &+))
    switch files.count {
    case 0: return "the text"
    case 1:
      let name = files[0].name?.split(separator: "/").last.map(String.init) ?? ""
      return "\(DisplayText.line(name)) (\(total))"
    default: return "\(files.count) files (\(total))"
    }
  }

  /// The first line of the text; nil without one.
  var shownText: String? {
    guard !text.isEmpty else { return nil }
    return DisplayText.fitted(DisplayText.line(text), to: 70)
  }
}
