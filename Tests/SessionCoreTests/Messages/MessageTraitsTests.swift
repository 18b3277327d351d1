import Foundation
import SessionCore
import Testing

@Suite struct MessageTraitsTests {
  /// The whole table, as it is pinned in Golden/message-traits.txt. To accept a change, run the tests with
  /// UPDATE_GOLDEN=1 and read the difference.
  @Test func theTableIsTheOneThatWasPinned() throws {
    let table = ([Self.heading] + MessageKind.allCases.map(Self.row)).joined(separator: "\n") + "\n"
    let golden = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Golden/message-traits.txt")
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] != nil {
      try Data(table.utf8).write(to: golden)
    }
    #expect(table == String(decoding: try Data(contentsOf: golden), as: UTF8.self))
  }

  private static let heading = columns(
    ["kind", "to", "in", "kept", "synced", "self", "blocked", "row", "visible", "disappears", "outdated"])

  private static func row(of kind: MessageKind) -> String {
    let traits = kind.traits
    let names: [(MessageTraits.Destinations, String)] = [
      (.contact, "contact"), (.noteToSelf, "self"), (.group, "group"), (.community, "community"),
      (.inbox, "inbox"),
    ]
    let destinations = names.filter { traits.destinations.contains($0.0) }.map(\.1).joined(separator: " ")
    let namespaces = traits.namespaces.map { String($0.rawValue) }.joined(separator: " ")
    let lifetime =
      switch traits.lifetime {
      case .seconds(1_209_600): "14 d"
      case .seconds(let seconds): "\(seconds) s"
      case .untilItDisappears: "14 d or timer"
      }
    func mark(_ isTrue: Bool) -> String { isTrue ? "yes" : "-" }
    return columns([
      kind.rawValue, destinations.isEmpty ? "-" : destinations, namespaces.isEmpty ? "-" : namespaces,
      lifetime, mark(traits.isSynced),
      mark(traits.isValidFromSelf), mark(traits.isAcceptedFromBlocked), "\(traits.row)",
      mark(traits.countsAsVisible), "\(traits.disappearing)",
      mark(traits.isOutdatedByDeletion),
    ])
  }

  private static func columns(_ cells: [String]) -> String {
    let widths = [28, 36, 6, 15, 8, 6, 9, 10, 9, 12, 0]
    let line = zip(cells, widths).map { $0 + String(repeating: " ", count: max(0, $1 - $0.count)) }.joined()
    return String(line.reversed().drop { $0 == " " }.reversed())
  }

  @Test func onlyMessagesThatDisappearAfterSendingAreKeptAsShortAsThat() throws {
    let day: UInt64 = 86_400_000
    let afterSend = try DisappearingTimer(.afterSend, seconds: 3600)
    let afterRead = try DisappearingTimer(.afterRead, seconds: 3600)
    #expect(MessageKind.visible.traits.timeToLive(with: nil, in: .contact) == 14 * day)
    #expect(MessageKind.visible.traits.timeToLive(with: afterSend, in: .contact) == 3_600_000)
    #expect(MessageKind.visible.traits.timeToLive(with: afterRead, in: .contact) == 14 * day)
    #expect(MessageKind.unsend.traits.timeToLive(with: afterSend, in: .contact) == 14 * day)
    #expect(MessageKind.typing.traits.timeToLive(with: afterSend, in: .contact) == 20_000)
  }

  @Test func timersRunFromSendingIfReadingDoesNotCount() throws {
    let afterRead = try DisappearingTimer(.afterRead, seconds: 3600)
    let unspecified = try DisappearingTimer(.unspecified, seconds: 3600)
    let group = MessagePlace.group(try MessageExample.adminKey().group)
    let traits = MessageKind.visible.traits
    #expect(traits.timeToLive(with: afterRead, in: group) == 3_600_000)
    #expect(traits.timeToLive(with: afterRead, in: .contact, isNoteToSelf: true) == 3_600_000)
    #expect(traits.timeToLive(with: unspecified, in: group) == 3_600_000)
    #expect(traits.timeToLive(with: afterRead, in: .inbox) == 1_209_600_000)
  }

  @Test func timersAreChosenFromTheSpecifiedOnes() {
    let read = DisappearingTimer.choices(.afterRead)
    #expect(read.seconds == [300, 3600, 43200, 86400, 604_800, 1_209_600])
    #expect(read.standard == 43200)
    let send = DisappearingTimer.choices(.afterSend)
    #expect(send.seconds == [43200, 86400, 604_800, 1_209_600])
    #expect(send.standard == 86400)
  }

  @Test func theModeOfATimerDependsOnThePlace() throws {
    let group = MessagePlace.group(try MessageExample.adminKey().group)
    let afterRead = try DisappearingTimer(.afterRead, seconds: 5)
    let unspecified = try DisappearingTimer(.unspecified, seconds: 5)
    #expect(afterRead.mode(in: .contact) == .afterRead)
    #expect(unspecified.mode(in: .contact) == .afterRead)
    #expect(afterRead.mode(in: .contact, isNoteToSelf: true) == .afterSend)
    #expect(afterRead.mode(in: group) == .afterSend)
    #expect(unspecified.mode(in: group) == .afterSend)
    #expect(afterRead.mode(in: .community) == nil)
  }

  @Test func eachPlaceHasItsNamespace() throws {
    #expect(MessagePlace.contact.namespace?.rawValue == 0)
    #expect(MessagePlace.group(try MessageExample.adminKey().group).namespace?.rawValue == 11)
    #expect(MessagePlace.community.namespace == nil)
    #expect(StorageNamespace.groupRemovals.rawValue == -11)
  }
}
