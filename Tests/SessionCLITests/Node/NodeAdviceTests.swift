import SessionHTTP
import SessionNode
import SessionService
import Testing

@testable import SessionCLI

/// The advice of commands when nodes and servers fail.
@Suite struct NodeAdviceTests {
  @Test(
    arguments: [
      (NodeFailure.shrunkenList, "confirm_shrunken_list = true"), (.noDevnet("x"), "session devnet up"),
      (.hasLeft("x/left"), "Remove the file"),
      (.allowListMissing("x/allowed"), "restore"),
    ])
  func aFailureOfANodeHasAdvice(failure: NodeFailure, words: String) {
    let told = CommandFailure(failure)
    #expect(told.status == .unavailable)
    #expect(told.message == failure.description)
    #expect(told.advice?.contains(words) == true)
  }

  @Test(
    arguments: [
      (ServiceFailure.notRunning("x"), "session node run"), (.folderInUse("x"), "end the other"),
      (.listening("HTTPS at 127.0.0.1:5", "x"), "another address or port"),
    ])
  func aFailureOfAServerHasAdvice(failure: ServiceFailure, words: String) {
    let told = CommandFailure(failure)
    #expect(told.status == .unavailable)
    #expect(told.message == failure.description)
    #expect(told.advice?.contains(words) == true)
  }

  @Test(arguments: [NodeFailure.damagedStore("x"), ServiceFailure.damagedFiles("x")] as [any Error])
  func adviceForADamagedStoreIsToMoveIt(failure: any Error) {
    let told = CommandFailure(failure)
    #expect(told.status == .data)
    #expect(told.advice?.contains("away") == true)
  }

  @Test func aServerThatCannotBeginIsNoFaultOfTheProgram() {
    let told = CommandFailure(HTTPError.addressInUse)
    #expect(told.status == .system)
    #expect(told.advice?.contains("another port") == true)
    #expect(CommandFailure(HTTPError.unreachable("away")).status == .unavailable)
  }
}
