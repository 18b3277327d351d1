import Testing

@testable import SessionBase

/// The memory of a process that holds secrets.
@Suite struct ProcessSecrecyTests {
  @Test func memoryIsPrivateFromThenOn() async {
    await #expect(processExitsWith: .success) {
      ProcessSecrecy.keepMemoryPrivate()
      #expect(ProcessSecrecy.isMemoryPrivate)
    }
  }
}
