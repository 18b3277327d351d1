import Foundation
import Testing

extension Trait where Self == ConditionTrait {
  /// For what waits long where nodes die that most paths lead through: `SOAK` runs it.
  static var longRun: Self {
    .enabled(
      if: ProcessInfo.processInfo.environment["SOAK"] != nil,
      "beside other tests it may wait without end for a path around nodes that died; SOAK=1 runs it")
  }
}
