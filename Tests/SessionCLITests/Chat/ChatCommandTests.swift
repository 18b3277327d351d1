import SessionMessaging
import Testing

@testable import SessionCLI

@Suite struct ChatCommandTests {
  @Test(
    arguments: [
      ("hello", .text("hello")), ("//hello", .text("/hello")), (" /quit", .text(" /quit")),
      ("/reply 12 to be  sure", .reply(MessageView.ID(rawValue: 12), "to be  sure")),
      ("/attach  beach at noon.png", .attach("beach at noon.png")),
      ("/react #3 👍", .react(MessageView.ID(rawValue: 3), "👍")),
      ("/unreact 3 👍", .unreact(MessageView.ID(rawValue: 3), "👍")),
      ("/delete 7", .delete(MessageView.ID(rawValue: 7), isForEveryone: false)),
      ("/unsend 7", .delete(MessageView.ID(rawValue: 7), isForEveryone: true)),
      ("/resend 7", .resend(MessageView.ID(rawValue: 7))), ("/more", .more), ("/help", .help),
      ("/quit", .quit),
    ] as [(String, ChatCommand)])
  func aLineIsATextOrACommand(line: String, command: ChatCommand) throws {
    #expect(try ChatCommand(line) == command)
  }

  @Test(
    arguments: [
      ("/", "there is no command /"), ("/quti", "there is no command /quti; did you mean /quit?"),
      ("/reply", "/reply: wrong arguments"),
      ("/attach ", "/attach: wrong arguments"),
      ("/reply 1", "/reply: wrong arguments"),
      ("/react x 👍", "/react: wrong arguments"),
    ])
  func aMistakeIsNamed(line: String, message: String) {
    do throws(CommandFailure) {
      _ = try ChatCommand(line)
      Issue.record("it was taken")
    } catch {
      #expect(error.message == message)
      #expect(error.advice != nil)
    }
  }
}
