import SessionBase
import SessionDesktop
import SessionStorage

/// What a person has said about being disturbed: in a file of this machine for now, and in the settings for every day.
struct DoNotDisturb: Sendable {
  private let path: String
  private let settings: UserSettingsFile
  private static let maxBytes = 100

  init(in roots: StorageRoots) {
    path = "\(roots.state)/dnd"
    settings = UserSettingsFile(roots)
  }

  /// What holds now. A file that cannot be read holds nothing back.
  func current(_ io: CommandIO) -> QuietTime {
    let schedule = (try? settings.read(io))?.quietTime
    guard let file = try? OpenFile(reading: path), let bytes = try? file.readAll(upTo: Self.maxBytes),
      let state = QuietTime.State(text: String(decoding: bytes, as: UTF8.self))
    else { return QuietTime(schedule: schedule) }
    return QuietTime(state, schedule: schedule)
  }

  func set(_ state: QuietTime.State) throws(FileError) {
    try PrivateFolder.prepare(Folder.of(path))
    try PendingFile.write(Array(state.text.utf8).span, to: path, replacing: true)
  }
}
