import Dispatch
import Glibc
import SessionStorage
import Synchronization

extension Histories {
  /// Runs as many histories from a seed on, on all processors, until one goes wrong, which is returned.
  public static func check(_ count: UInt64, from first: UInt64) throws -> Counterexample? {
    let parts = UInt64(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    let outcome = Outcome()
    DispatchQueue.concurrentPerform(iterations: Int(parts)) { part in
      let seeds = stride(from: first + UInt64(part), to: first + count, by: Int(parts))
      outcome.note(
        Result { () throws(StorageError) -> Counterexample? in
          let database = try Database.inMemory(schema: .account)
          return check(seeds.lazy.prefix { _ in !outcome.isOver }, on: database)
        })
    }
    return try outcome.get()
  }

  private final class Outcome: Sendable {
    private let first = Mutex<Result<Counterexample?, StorageError>>(.success(nil))

    var isOver: Bool {
      first.withLock { first in
        if case .success(nil) = first { false } else { true }
      }
    }

    func note(_ result: Result<Counterexample?, StorageError>) {
      first.withLock { first in
        if case .success(nil) = first { first = result }
      }
    }

    func get() throws -> Counterexample? { try first.withLock { $0 }.get() }
  }
}
