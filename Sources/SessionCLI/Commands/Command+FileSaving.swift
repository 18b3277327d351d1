import FoundationEssentials
import Glibc
import SessionBase
import SessionCore
import SessionDaemon
import SessionMessaging

extension Command {
  static let filesSave = Command(
    name: "files save",
    summary: "save the files of a conversation into a folder",
    discussion: """
      Saves all files that are on this device, under the number of the message, that of the file, and the sender's name for
      it without dangerous characters. Files that are there already are left alone, so that the command can be repeated.
      With --download, files that are only on a server are fetched first; those that cannot be had are named at the end, and
      the command then ends with 69, or with 75 if the time was over. If only the names of files are taken in the folder, it
      ends with 73. As with 'session attachment save', the contact learns that files were saved, once for all of them.
      """,
    arguments: [.chat],
    options: [
      .init(name: "to", value: "FOLDER", summary: "the folder, which has to exist", isRequired: true),
      .init(name: "kind", value: "image|video|voice|file", summary: "only files of this kind"),
      .init(name: "from", value: "WHO", summary: "only files of this person; 'me' for your own"),
      .init(name: "since", value: "DATE", summary: "only files from this day or time on: 2026-03-01 [14:05]"),
      .init(name: "download", summary: "fetch files that are not here"),
      .init(
        name: "timeout", value: "TIME", summary: "how long to wait for the network; 10m by default"),
      .account, .json,
    ],
    examples: [
      .init(
        line: "session files save bob --to ~/Pictures --kind image", summary: "save the pictures of a contact"
      )
    ],
    rpc: .none(.writesFiles)
  ) { invocation, io in
    let filter = try invocation.fileFilter()
    let folder = try invocation.existingFolder("to")
    let saving = FolderSaving(
      io: io, folder: folder, timeout: try invocation.timeout(usual: .seconds(600)),
      isJSON: invocation.has("json"))
    @Sendable func save(_ messenger: Messenger, downloading downloads: Bool) async throws -> CommandOutput {
      var filter = filter
      let directory = try await Directory(of: messenger)
      filter.conversation = try directory.conversation(invocation.arguments[0], io)
      filter.author = try invocation["from"].map { try directory.person($0, io) }
      return try await saving.save(filter, messenger, downloading: downloads)
    }
    guard invocation.has("download") else {
      return try await cancelledBySignals {
        try await invocation.editing(io) { messenger in try await save(messenger, downloading: false) }
      }
    }
    return try await invocation.working(io) { opened in try await save(opened.messenger, downloading: true) }
  }
}

/// Saves the files of a conversation.
private struct FolderSaving: Sendable {
  let io: CommandIO
  let folder: String
  let timeout: Duration
  let isJSON: Bool

  func save(_ filter: FileFilter, _ messenger: Messenger, downloading: Bool) async throws -> CommandOutput {
    var newest: AttachmentView.ID?
    do {
      let output = try await save(filter, messenger, downloading: downloading, newest: &newest)
      await tell(of: newest, messenger)
      return output
    } catch {
      await tell(of: newest, messenger)
      throw error
    }
  }

  /// Tells the contact, also while the command is being ended.
  private func tell(of newest: AttachmentView.ID?, _ messenger: Messenger) async {
    guard let newest else { return }
    await Task { await messenger.tellSaved(newest) }.value
  }

  private func save(
    _ filter: FileFilter, _ messenger: Messenger, downloading: Bool, newest: inout AttachmentView.ID?
  ) async throws -> CommandOutput {
    var (filter, output) = (filter, CommandOutput(isList: isJSON))
    var (missing, misses, taken) = (0, [FileFetching.Miss](), [String]())
    let end = ContinuousClock.now + timeout
    while true {
      try Task.checkCancellation()
      let found = try await messenger.files(filter, limit: Messenger.maxPage)
      let page = found.map(\.numbered)
      let own = Set(found.filter { $0.author == messenger.id }.map(\.file.id))
      guard let last = page.last else { break }
      (filter.before, filter.behind) = (last.message, last.number)
      taken += page.filter { isTaken(path(of: $0), by: $0) }.map { path(of: $0) }
      var files = page.filter { !FileManager.default.fileExists(atPath: path(of: $0)) }
      if downloading {
        let wanted = files.filter { !$0.file.isHere }
        let left = max(.zero, end - ContinuousClock.now)
        let missed =
          wanted.isEmpty ? [] : try await FileFetching(io: io, timeout: left).misses(of: wanted, messenger)
        misses += missed
        let lost = Set(missed.map(\.file.file.id))
        files.removeAll { lost.contains($0.file.id) }
      } else {
        missing += files.count { !$0.file.isHere }
        files.removeAll { !$0.file.isHere }
      }
      for file in files {
        try await messenger.export(file.file.id, to: path(of: file))
        if !own.contains(file.file.id) { newest = newest ?? file.file.id }
        guard isJSON else {
          output.data.append(.text("\(path(of: file))\n"))
          continue
        }
        var object = file.json
        object["path"] = .string(path(of: file))
        object["here"] = .boolean(true)
        object["state"] = .string("ready")
        output.data += CommandOutput(json: object).data
      }
    }
    if missing > 0 {
      output.notes.append("Files that are not on this device: \(missing). --download fetches them.")
    }
    if !misses.isEmpty {
      output.notes.append("Files that were not saved: \(misses.count).")
      output.notes += misses.map { "  " + $0.line }
    }
    if let first = taken.first {
      output.notes.append(
        "Not saved, because other files have their names, such as \(first): \(taken.count). Choose another folder."
      )
    }
    if misses.contains(where: { $0.kind == .late }) {
      output.status = .temporary
    } else if !misses.isEmpty {
      output.status = .unavailable
    } else if !taken.isEmpty {
      output.status = .cannotCreate
    }
    return output
  }

  /// True if something else than the file that was saved before has its name: numbers of messages are those of an account.
  private func isTaken(_ path: String, by file: NumberedAttachment) -> Bool {
    var there = stat()
    guard stat(path, &there) == 0 else { return false }
    return there.st_mode & S_IFMT != S_IFREG || (file.file.isHere && Int64(there.st_size) != file.file.size)
  }

  private func path(of file: NumberedAttachment) -> String { folder + ExportedName.of(file) }
}

extension Invocation {
  /// An existing folder that an option gives, with a slash at its end.
  fileprivate func existingFolder(_ option: String) throws(CommandFailure) -> String {
    let path = required(option)
    var isFolder = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder else {
      throw CommandFailure(
        status: .cannotCreate, message: "\(DisplayText.line(path)) is not a folder",
        advice: "Create it first, or choose another one.")
    }
    return path.hasSuffix("/") ? path : path + "/"
  }
}
