import SessionCore
import SessionService

/// The nodes that a registry admits: the last accepted list of allowed nodes.
///
/// A missing or unreadable list changes nothing, nor does one that lacks more than half of the members: it waits
/// for the operator's confirmation.
struct Admission {
  private let list: AllowList
  private let log: ServiceLog
  private var allowed: Set<[UInt8]>
  /// The state of the file when it was last read.
  private var stamp: AllowList.Stamp?
  /// The last failure, so that it is logged once.
  private var trouble = ""

  /// True if a list waits that would remove most members.
  private(set) var awaitsConfirmation = false

  init(_ list: AllowList, members: [[UInt8]], log: ServiceLog) {
    self.list = list
    self.log = log
    allowed = Set(members)
  }

  var count: Int { allowed.count }

  func allows(_ key: [UInt8]) -> Bool { allowed.contains(key) }

  /// Reads the list for the first time. Throws for one that cannot be read; whether it is there is seen to later.
  mutating func begin() throws {
    if try list.stamp() != nil { _ = try list.keys() }
    read(members: allowed)
  }

  /// Reads the list, where it has changed.
  mutating func read(members: some Collection<[UInt8]>) {
    do {
      guard let stamp = try list.stamp() else {
        guard allowed.isEmpty else { throw NodeFailure.allowListMissing(list.path) }
        return
      }
      guard stamp != self.stamp else { return }
      let keys = try list.keys()
      self.stamp = stamp
      trouble = ""
      let lost = members.count { !keys.contains($0) }
      awaitsConfirmation = lost * 2 > members.count
      guard awaitsConfirmation else {
        allowed = keys
        return
      }
      log(
        .error,
        "the list of allowed nodes lacks most nodes; to accept it, run: session node registry confirm",
        ["lacks": "\(lost)", "of": "\(members.count)"])
    } catch {
      // A typing error must not admit or remove a node.
      defer { trouble = "\(error)" }
      guard trouble != "\(error)" else { return }
      log(.error, "the list of allowed nodes cannot be read", ["reason": "\(error)"])
    }
  }

  /// Believes the list as it is. Throws where there is none, or it cannot be read.
  mutating func confirm() throws {
    guard let stamp = try list.stamp() else { throw NodeFailure.allowListMissing(list.path) }
    allowed = try list.keys()
    self.stamp = stamp
    awaitsConfirmation = false
    trouble = ""
  }
}
