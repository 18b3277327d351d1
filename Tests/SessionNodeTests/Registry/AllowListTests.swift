import Foundation
import SessionCore
import Testing

@testable import SessionNode

@Suite final class AllowListTests {
  private let folder = freshPath()
  private let list: AllowList
  private let one = [UInt8](repeating: 1, count: 32)
  private let two = [UInt8](repeating: 2, count: 32)

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    list = AllowList(path: folder + "/allowed")
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private var text: String { get throws { try String(contentsOfFile: list.path, encoding: .utf8) } }

  @Test func keysComeAndGoAndRemarksStay() throws {
    #expect(try list.keys() == [])
    try "# of the north\n\n\(one.hex) Ann's\n".write(toFile: list.path, atomically: true, encoding: .utf8)
    #expect(try list.keys() == [one])
    #expect(try list.allow(two))
    #expect(try !list.allow(one))
    #expect(try list.keys() == [one, two])
    #expect(try list.forbid(one))
    #expect(try !list.forbid(one))
    #expect(try text == "# of the north\n\(two.hex)\n")
  }

  @Test(.enabled(if: geteuid() == 0)) func filesChangedByRootKeepTheirOwner() throws {
    #expect(chown(folder, 4321, 4322) == 0)
    #expect(try list.allow(one))
    for path in [list.path, list.path + ".lock"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.ownerAccountID] as? Int == 4321)
      #expect(attributes[.groupOwnerAccountID] as? Int == 4322)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
  }

  @Test func aLineWithoutAKeyIsNamed() throws {
    try "\(one.hex)\nabc\n".write(toFile: list.path, atomically: true, encoding: .utf8)
    #expect(throws: NodeFailure.allowList(list.path, line: 2)) { try self.list.keys() }
    #expect(throws: NodeFailure.self) { try self.list.allow(self.two) }
    #expect(try text == "\(one.hex)\nabc\n")
  }
}
