import SessionBase
import Testing

@testable import SessionDaemon

/// How often a client of limited rights may send.
@Suite(.timeLimit(.minutes(5))) struct SendBudgetTests {
  private func refusal(_ budget: SendBudget, at time: ContinuousClock.Instant) -> RPCError? {
    do throws(RPCError) { try budget.take(at: time) } catch { return error }
    return nil
  }

  @Test func aBurstIsFollowedByTenEachSecond() {
    let start = ContinuousClock.now
    let budget = SendBudget(at: start)
    for _ in 0..<50 { #expect(refusal(budget, at: start) == nil) }
    let refused = refusal(budget, at: start)
    #expect(refused?.code == 75 && refused?.kind == "rate-limited")
    #expect(refused?.details == [.init("retry_after_ms", 100)])
    #expect(refusal(budget, at: start + .milliseconds(99)) != nil)
    #expect(refusal(budget, at: start + .milliseconds(101)) == nil)
    let admitted = (0..<60).count { _ in refusal(budget, at: start + .seconds(3600)) == nil }
    #expect(admitted == 50)
  }

  @Test func onlyCallsThatSendAreCounted() async throws {
    let methods = [
      RPCMethod("post", needs: .send) { _ in "1" }, RPCMethod("look", needs: .read) { _ in "1" },
    ]
    let access = RPCAccess([.read, .send], sends: SendBudget())
    for method in ["look", "post"] {
      let calls = (1...70).map { "{\"jsonrpc\":\"2.0\",\"id\":\($0),\"method\":\"\(method)\"}\n" }.joined()
      let replies = try await ServedClient(methods, NoAccounts(), access).replies(to: calls)
      let refused = replies.count { $0["error"]?["data"]?["kind"] == "rate-limited" }
      // Some time passes between the calls.
      #expect(method == "look" ? refused == 0 : refused > 0 && refused <= 20)
    }
  }
}
