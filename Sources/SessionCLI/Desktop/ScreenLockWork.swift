import SessionBase
import SessionDesktop
import SessionStorage

/// Has accounts be locked with the screen, if the person has set that.
struct ScreenLockWork: Sendable {
  let io: CommandIO
  let roots: StorageRoots

  /// Works until the task is cancelled.
  func run(_ lock: @escaping @Sendable () async -> Void) async {
    let locked: @Sendable () async -> Void = { [io, roots] in
      if (try? UserSettingsFile(roots).read(io))?.locksWithScreen == true { await lock() }
    }
    await withTaskGroup { group in
      group.addTask {
        await SystemBusWork(io: io).run { bus throws(BusFailure) in
          try await ScreenLockWatch(on: bus).runOnSystem(locked)
        }
      }
      group.addTask {
        await DesktopWork(io: io, tell: { _ in }).run { bus, works in
          works()
          try await ScreenLockWatch(on: bus).runOnDesktop(locked)
        }
      }
    }
  }
}
