import Foundation
import Testing

/// The real program on a machine whose clock is wrong: a small library, loaded first, shifts what the system tells.
@Suite(.timeLimit(.minutes(10))) struct WrongClockTests {
  private static let shift = """
    #define _GNU_SOURCE
    #include <stdlib.h>
    #include <sys/syscall.h>
    #include <time.h>
    #include <unistd.h>
    int clock_gettime(clockid_t clock, struct timespec *time) {
      int result = (int)syscall(SYS_clock_gettime, clock, time);
      if (result == 0 && clock == CLOCK_REALTIME) time->tv_sec += atol(getenv("CLOCK_SHIFT"));
      return result;
    }
    """

  @Test func aWrongClockDatesNothing() async throws {
    try await Household.with { home in
      let alice = try await home.account("alice")
      let bob = try await home.account("bob")
      try Data(Self.shift.utf8).write(to: home.path("shift.c"))
      let compiled = try await home.program.ranOther(
        "/usr/bin/env", ["cc", "-shared", "-fPIC", "-o", "shift.so", "shift.c"],
        with: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"])
      try #require(compiled.status == 0, "\(compiled.messages)")
      let day = 86_400
      let begin = Date()
      for seconds in [day, -day, 20 * day, -20 * day] {
        let sent = try await home.outcome(
          ["send", bob, "shifted by \(seconds)", "--account", "alice"],
          with: ["LD_PRELOAD": home.path("shift.so").path, "CLOCK_SHIFT": "\(seconds)"])
        try #require(sent.status == 0, "\(sent.messages)")
      }
      try await home.run("receive", "--account", "bob")
      for (account, other) in [("alice", bob), ("bob", alice)] {
        let messages = try await home.json("show", other, "--account", account)
        #expect(messages.count == 4)
        for message in messages {
          let sentAt = Date(timeIntervalSince1970: (message["sent_at"] as? Double ?? 0) / 1000)
          #expect(sentAt > begin - 3 && sentAt < Date() + 3, "\(message)")
        }
      }
    }
  }
}
