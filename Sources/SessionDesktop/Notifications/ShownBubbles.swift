internal import Foundation
internal import SessionBase
internal import SessionCore

/// The notifications that are on the screen, or in the list of the server, by what they stand for. A file keeps their numbers
/// over a restart of the program, without saying which conversations they are about.
struct ShownBubbles {
  struct Shown: Hashable, Sendable {
    let id: UInt32
    let notice: Notice?
    let actions: Set<String>
    var count = 1
  }

  /// The most notifications that are kept track of. Of more, the oldest are left to the server.
  static let limit = 200
  private static let maxBytes = 64 << 10

  private let path: String?
  /// The program that shows them: its name on its bus, and the bus.
  private(set) var server = ""
  private var key: SecretBytes?
  private var shown: [NoticePlace: Shown] = [:]
  /// Places in the order in which they were shown.
  private var order: [NoticePlace] = []
  /// Those of an earlier run, by the hash of their places.
  private var earlier: [String: Earlier] = [:]

  private struct Earlier: Codable {
    let id: UInt32
    let count: Int
  }

  private struct Form: Codable {
    var v = 1
    let server: String
    let key: String
    let shown: [String: Earlier]
  }

  /// Without a path nothing is kept.
  init(at path: String?) { self.path = path }

  // MARK: - Servers

  /// A server shows them from now on. What another one showed is forgotten.
  mutating func begin(with server: String) {
    guard self.server != server else { return }
    (shown, order, earlier) = ([:], [], [:])
    self.server = server
    guard let form = stored(), form.server == server, let bytes = try? [UInt8](hex: form.key.utf8),
      bytes.count == 32
    else {
      key = try? .random(count: 32)
      return
    }
    key = try? SecretBytes(copying: bytes)
    earlier = form.shown
  }

  private func stored() -> Form? {
    guard let path, let file = try? OpenFile(reading: path),
      let bytes = try? file.readAll(upTo: Self.maxBytes),
      let form = try? JSONDecoder().decode(Form.self, from: Data(bytes)), form.v == 1,
      form.shown.count <= 2 * Self.limit, form.shown.values.allSatisfy({ $0.id > 0 && $0.count > 0 })
    else { return nil }
    return form
  }

  // MARK: - Notifications

  subscript(place: NoticePlace) -> Shown? {
    if let known = shown[place] { return known }
    return earlier[name(of: place)].map { Shown(id: $0.id, notice: nil, actions: [], count: $0.count) }
  }

  /// That with a number, and what it stands for.
  func find(_ id: UInt32) -> (place: NoticePlace, shown: Shown)? {
    shown.first { $0.value.id == id }.map { ($0.key, $0.value) }
  }

  /// True if an earlier run showed it, so that nothing but its number is known.
  func isEarlier(_ id: UInt32) -> Bool { earlier.values.contains { $0.id == id } }

  /// What is shown, the oldest first.
  var all: [NoticePlace] { order }

  mutating func put(_ new: Shown, at place: NoticePlace) {
    remove(place)
    // A server gives a number again if the notification that had it is gone.
    for (other, old) in shown where old.id == new.id { remove(other) }
    shown[place] = new
    order.append(place)
    if order.count > Self.limit { remove(order[0]) }
    save()
  }

  mutating func remove(_ place: NoticePlace) {
    earlier[name(of: place)] = nil
    guard shown.removeValue(forKey: place) != nil else { return }
    order.removeAll { $0 == place }
  }

  mutating func remove(earlier id: UInt32) { earlier = earlier.filter { $0.value.id != id } }

  // MARK: - The file

  private func name(of place: NoticePlace) -> String {
    guard let key, let hash = try? key.key(for: Array(place.name.utf8), count: 16) else { return place.name }
    return hash.reveal().hex
  }

  /// What cannot be written is not kept: the next run shows new notifications beside those that are there.
  func save() {
    guard let path, let key else { return }
    var all = earlier
    for (place, shown) in shown { all[name(of: place)] = Earlier(id: shown.id, count: shown.count) }
    let form = Form(server: server, key: key.reveal().hex, shown: all)
    guard let bytes = try? JSONEncoder().encode(form) else { return }
    try? PendingFile.write(Array(bytes).span, to: path, replacing: true)
  }
}
