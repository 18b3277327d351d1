import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// How people show themselves.
@Suite struct PictureTests {
  @Test(arguments: AttachmentFormat.allCases)
  func aPictureIsSeenOnAllDevicesAndByContacts(_ format: AttachmentFormat) async throws {
    let world = World()
    let account = try Account.generate()
    let phone = try await world.device(of: account, name: "Alice", format: format)
    let desk = try await world.device(of: account, format: format)
    let bob = try await world.device(of: .generate(), name: "Bob")
    try await phone.send("Hello", to: bob.id)
    try await world.settle()
    try await bob.send("Hi", to: phone.id)
    try await world.settle()
    let picture = png(64, 64, noise(50_000))
    try await phone.setPicture(picture)
    #expect(try await phone.picture(of: phone.id) == picture)
    try await world.settle()
    #expect(try await desk.picture(of: desk.id) == picture)
    #expect(try await bob.picture(of: phone.id) == nil)
    try await phone.send("here I am", to: bob.id)
    try await world.settle()
    #expect(try await bob.picture(of: phone.id) == picture)
    #expect(try await bob.contacts().first { $0.id == phone.id }?.hasPicture == true)
    #expect(try await bob.kinds().contains(.contactChanged))
    #expect(world.files.uploads == 1)

    let other = png(32, 32, noise(3000))
    try await desk.setPicture(other)
    try await world.settle()
    try await desk.send("and now", to: bob.id)
    try await world.settle()
    for device in [phone, desk, bob] { #expect(try await device.picture(of: phone.id) == other) }
    // One each, and the old ones are gone.
    #expect(try stored(in: world.folder).count == 3)

    try await phone.setPicture(nil)
    try await world.settle()
    try await phone.send("without", to: bob.id)
    try await world.settle()
    for device in [phone, desk, bob] { #expect(try await device.picture(of: phone.id) == nil) }
    #expect(try stored(in: world.folder).isEmpty)
    await world.stop()
  }

  @Test func invalidPicturesAreRejected() async throws {
    try await withAliceAndBob { (_, alice, _) async throws in
      let bad = [
        [], noise(100), png(100_000, 100_000), png(2, 2, [UInt8](repeating: 0, count: Picture.maxBytes)),
      ]
      for picture in bad {
        await #expect { try await alice.setPicture(picture) } throws: {
          ($0 as? MessengerError)?.code == .fileUnavailable
        }
      }
      #expect(try await alice.picture(of: alice.id) == nil)
    }
  }

  @Test func aPictureThatCannotBeBroughtToTheServerIsTakenBack() async throws {
    try await withAliceAndBob { world, alice, _ in
      try await alice.setPicture(png(8, 8))
      try await world.settle()
      world.files.decide { $0.method == .post ? .refused(413) : .done }
      // Nothing is brought anywhere until the new one has been seen.
      await alice.suspend()
      try await alice.setPicture(png(9, 9))
      #expect(try await alice.picture(of: alice.id) == png(9, 9))
      await alice.resume()
      try await world.settle()
      let failure = try await alice.events(limit: 1000).first { $0.kind == .pictureFailed }
      #expect(failure?.reason?.contains("as too large") == true)
      // The one that others see is shown again.
      #expect(try await alice.picture(of: alice.id) == png(8, 8))
    }
  }

  @Test func strangersShowNothingUntilTheyAreAccepted() async throws {
    try await withAliceAndBob(areFriends: false) { world, alice, bob in
      try await alice.setPicture(png(8, 8))
      try await world.settle()
      try await alice.send("may I?", to: bob.id)
      try await world.settle()
      try await alice.setPicture(png(9, 9))
      try await world.settle()
      try await alice.send("please", to: bob.id)
      try await world.settle()
      #expect(try await bob.picture(of: alice.id) == nil)
      #expect(world.files.requests(.get) == 0)
      try await bob.acceptRequest(.person(alice.id))
      try await world.settle()
      #expect(try await bob.picture(of: alice.id) == png(9, 9))
    }
  }

  @Test func aPictureThatCannotBeShownLeavesTheOldOne() async throws {
    try await withAliceAndBob { world, alice, bob in
      try await alice.setPicture(png(8, 8))
      try await world.settle()
      try await alice.send("one", to: bob.id)
      try await world.settle()
      for bad in [png(100_000, 100_000), noise(5000)] {
        let (sealed, key) = try Picture.seal(bad)
        let url = try world.files.put(sealed)
        try await alice.author.editProfile {
          $0.picture = try? ProfilePicture(url: url.description, key: key.reveal())
        }
        try await alice.send("two", to: bob.id)
        try await world.settle()
        #expect(try await bob.picture(of: alice.id) == png(8, 8))
      }
    }
  }

  @Test func theServerIsToldToKeepThePicture() async throws {
    try await withAliceAndBob { world, alice, bob in
      try await alice.setPicture(png(8, 8))
      try await world.settle()
      for _ in 0..<40 {
        world.clock.advance(by: 12 * 3_600_000)
        try await world.settle(rounds: 1)
      }
      #expect(world.files.uploads == 1)
      #expect(world.files.requests(.post, "/extend") > 20)
      #expect(world.files.files.values.contains { $0.until > world.clock.now + 86_400_000 })
    }
  }

  @Test func aPictureThatTheServerLostIsBroughtAgainAndIsNoNews() async throws {
    try await withAliceAndBob { world, alice, bob in
      try await alice.setPicture(png(8, 8))
      try await world.settle()
      let before = try alice.author.configs.read { configs in try configs.profile.get() }
      for id in world.files.files.keys { world.files.forget(id) }
      world.clock.advance(by: 13 * 3_600_000)
      try await world.settle()
      let after = try alice.author.configs.read { configs in try configs.profile.get() }
      #expect(world.files.uploads == 2)
      #expect(after.picture != before.picture && after.picture != nil)
      #expect(try await alice.picture(of: alice.id) == png(8, 8))
      try await alice.send("still me", to: bob.id)
      try await world.settle()
      #expect(try await bob.picture(of: alice.id) == png(8, 8))
    }
  }

  @Test func picturesThatCannotBeExtendedAreUploadedAgain() async throws {
    try await withAliceAndBob { world, alice, bob in
      world.files.useNumericNames()
      try await alice.setPicture(png(8, 8))
      try await world.settle()
      for _ in 0..<23 {
        world.clock.advance(by: 12 * 3_600_000)
        try await world.settle(rounds: 1)
      }
      #expect(world.files.uploads == 1)
      for _ in 0..<4 {
        world.clock.advance(by: 12 * 3_600_000)
        try await world.settle(rounds: 1)
      }
      #expect(world.files.uploads == 2)
      #expect(world.files.requests(.post, "/extend") == 0)
    }
  }
}
