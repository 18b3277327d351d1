import SessionCore
import Testing

@testable import SessionServers

/// The room for copies of files that are being sent.
@Suite struct CopyRoomTests {
  private let room = CopyRoom(maxBytes: 800)

  @Test func roomIsTakenAsLongAsItsShareIsThere() {
    do {
      let share = room.take(800, for: [])
      #expect(share != nil)
      #expect(room.take(1, for: []) == nil)
      withExtendedLifetime(share) {}
    }
    #expect(room.take(800, for: []) != nil)
  }

  @Test func eachClientHasAPart() {
    let first = room.take(100, for: [.person(1)])
    #expect(first != nil)
    #expect(room.take(1, for: [.person(1)]) == nil)
    let second = room.take(100, for: [.person(2)])
    #expect(second != nil)
    #expect(room.take(101, for: [.stranger([127, 0, 0, 1])]) == nil)
    withExtendedLifetime((first, second)) {}
  }

  @Test func manyIdsOfOneAddressTakeNoMoreThanHalf() {
    let address = CopyRoom.Client.address([192, 0, 2, 1])
    let shares = (1...4).map { room.take(100, for: [.person($0), address]) }
    #expect(shares.allSatisfy { $0 != nil })
    #expect(room.take(1, for: [.person(5), address]) == nil)
    #expect(room.take(1, for: [.person(5), .address([192, 0, 2, 2])]) != nil)
    withExtendedLifetime(shares) {}
  }

  @Test(arguments: [
    ("192.0.2.1:1", "192.0.2.1:2", true), ("192.0.2.1:1", "192.0.2.2:1", false),
    ("[2001:db8::1]:1", "[2001:db8::ffff:0:0:2]:1", true), ("[2001:db8::1]:1", "[2001:db8:0:1::1]:1", false),
  ])
  func addressesOfOneNetworkAreOfOneClient(first: String, second: String, isOne: Bool) throws {
    let addresses = try [first, second].map { try NetworkAddress(parsing: $0) }
    for person in [nil, 1] as [Int64?] {
      let clients = addresses.map { CopyRoom.Client.all(of: person, at: $0, isOfMany: false) }
      #expect((clients[0] == clients[1]) == isOne)
    }
  }

  @Test func anAddressOfManyHasNoPart() throws {
    let address = try NetworkAddress(parsing: "127.0.0.1:1")
    #expect(CopyRoom.Client.all(of: 1, at: address, isOfMany: true) == [.person(1)])
    #expect(CopyRoom.Client.all(of: nil, at: address, isOfMany: true) == [.stranger([127, 0, 0, 1])])
  }

  @Test func aRefusedShareIsNotCounted() {
    let address = CopyRoom.Client.address([192, 0, 2, 1])
    #expect(room.take(401, for: [address, .person(1)]) == nil)
    #expect(room.take(101, for: [address, .person(1)]) == nil)
    let all = room.take(100, for: [address, .person(1)])
    #expect(all != nil)
    withExtendedLifetime(all) {}
  }
}
