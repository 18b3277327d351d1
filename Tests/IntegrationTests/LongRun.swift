import Foundation
import Testing

extension Trait where Self == ConditionTrait {
  /// For what waits long where paths take most nodes of a small network: `SOAK` runs it.
  static var longRun: Self {
    .enabled(
      if: ProcessInfo.processInfo.environment["SOAK"] != nil,
      "it may wait minutes for a path in a small network; SOAK=1 runs it")
  }
}
