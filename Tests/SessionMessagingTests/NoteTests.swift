import SessionCore
import SessionStorage
import Testing

@testable import SessionMessaging

@Suite struct NoteTests {
  private static let ann = SessionID("05" + String(repeating: "a1", count: 32))!

  /// The number and the stored details of each kind of note.
  private static let notes: [(MessageView.Note, Int, String?)] = [
    (.requestAccepted, 4000, nil), (.timerChanged, 2000, nil), (.mediaSaved, 3001, nil),
    (.missedCall, 5000, nil),
    (.leavingFailed(reason: "no way"), 1003, #"{"action":"leave","reason":"no way","v":1}"#),
    (.leaving(isDeleting: false), 1004, #"{"action":"leave","v":1}"#),
    (.leaving(isDeleting: true), 1004, #"{"action":"destroy","v":1}"#),
    (
      .invited(by: ann, group: "Trip", asAdmin: false), 1005,
      #"{"admin":false,"group":"Trip","inviter":"\#(ann)","v":1}"#
    ),
    (.renamed("Journey"), 1006, #"{"change":"name","name":"Journey","v":1}"#),
    (.pictureChanged, 1006, #"{"change":"picture","v":1}"#),
    (
      .members(.added, [ann], seesHistory: true), 1007,
      #"{"change":"added","history":true,"people":["\#(ann)"],"v":1}"#
    ),
    (.members(.left, [ann]), 1007, #"{"change":"left","people":["\#(ann)"],"v":1}"#),
  ]

  @Test func notesAreStoredAsTheyAreDocumented() {
    for (note, number, info) in Self.notes {
      #expect(note.number == number)
      #expect(note.info.map { String(decoding: $0, as: UTF8.self) } == info)
      #expect(MessageView.Note(note.kind, info: note.info) == note)
    }
  }

  @Test func onlyTheFirstMembersAreListed() {
    let note = MessageView.Note.members(.removed, Array(repeating: Self.ann, count: 103))
    #expect(note == .members(.removed, Array(repeating: Self.ann, count: 100), more: 3, seesHistory: false))
    #expect(MessageView.Note(note.kind, info: note.info) == note)
  }

  @Test(arguments: [
    nil, "", "{}", "[1]", #"{"v":2,"change":"added","people":[]}"#, #"{"v":1,"change":"merged"}"#,
    #"{"v":1,"change":7}"#, #"{"v":1,"people":{}}"#,
  ])
  func detailsOfNewerVersionsAreUnknown(_ info: String?) {
    for number in [1005, 1006, 1007] {
      let note = MessageView.Note(
        InteractionRecord.Kind(rawValue: number), info: info.map { Array($0.utf8) })
      #expect(note == .unknown(number))
    }
  }
}
