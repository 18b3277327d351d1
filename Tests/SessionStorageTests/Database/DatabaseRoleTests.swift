import Testing

@testable import SessionStorage

@Suite struct DatabaseRoleTests {
  private let place: Workplace

  init() throws { place = try Workplace() }

  @Test(arguments: Kind.allCases) func aRoleIsTakenOnce(kind: Kind) throws {
    let database = try kind.open(place)
    let role = try database.takeRole("jobs", purpose: "one test")
    do {
      _ = try database.takeRole("jobs", purpose: "another")
      Issue.record("it was taken twice")
    } catch {
      #expect(error.code == .locked)
      #expect(error.message.contains("one test"))
    }
    _ = try database.takeRole("other", purpose: "another")
    role.giveUp()
    role.giveUp()
    _ = try database.takeRole("jobs", purpose: "another")
  }

  @Test(arguments: Kind.allCases) func aRoleGoesWithItsLastReference(kind: Kind) throws {
    let database = try kind.open(place)
    _ = try database.takeRole("jobs", purpose: "one")
    _ = try database.takeRole("jobs", purpose: "two")
  }

  @Test func aRoleIsOneForAllWhoOpenedTheFile() throws {
    let one = try Database.notes(in: place)
    let two = try Database.notes(in: place)
    let role = try one.takeRole("jobs", purpose: "one")
    expectFailure(.locked) { _ = try two.takeRole("jobs", purpose: "two") }
    role.giveUp()
    _ = try two.takeRole("jobs", purpose: "two")
  }
}
