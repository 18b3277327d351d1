import SessionCore
import Testing

@Suite struct KickNoticeTests {
  private let admin: GroupAdminKey

  init() throws {
    admin = try GroupAdminKey(seed: SecretBytes(copying: [UInt8](repeating: 7, count: 32)))
  }

  @Test func itTellsThoseWhoWereRemoved() throws {
    let ids = [try Example.first().id, try Example.second().id]
    let notice = try admin.seal(KickNotice(generation: 12), for: ids)
    #expect(try Example.first().open(kickNotice: notice, ofGroup: admin.group).generation == 12)
    #expect(try Example.second().open(kickNotice: notice, ofGroup: admin.group).generation == 12)
  }

  @Test func onlyTheRemovedMemberCanReadTheNotice() throws {
    let notice = try admin.seal(KickNotice(generation: 12), for: [Example.first().id])
    #expect {
      try Example.second().open(kickNotice: notice, ofGroup: admin.group)
    } throws: {
      SessionError.Code.noKey ~= $0
    }
  }

  @Test func anotherGroupCannotSendIt() throws {
    let other = try GroupAdminKey(seed: SecretBytes(copying: [UInt8](repeating: 8, count: 32)))
    let notice = try other.seal(KickNotice(generation: 12), for: [Example.first().id])
    #expect { try Example.first().open(kickNotice: notice, ofGroup: admin.group) } throws: {
      SessionError.Code.noKey ~= $0
    }
  }

  @Test func onlyAccountsAreMembersAndOnlyGroupsSend() throws {
    let notice = try admin.seal(KickNotice(generation: 1), for: [Example.first().id])
    #expect { try admin.seal(KickNotice(generation: 1), for: [admin.group]) } throws: {
      SessionError.Code.idKind ~= $0
    }
    #expect { try admin.seal(KickNotice(generation: 1), for: []) } throws: {
      SessionError.Code.argument ~= $0
    }
    #expect { try Example.first().open(kickNotice: notice, ofGroup: Example.second().id) } throws: {
      SessionError.Code.idKind ~= $0
    }
  }

  @Test func itIsKeptForThirtyDays() {
    #expect(KickNotice.timeToLive == 2_592_000_000)
    #expect(StorageNamespace.groupRemovals.rawValue == -11)
  }
}
