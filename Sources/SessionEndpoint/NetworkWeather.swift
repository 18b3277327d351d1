internal import CSessionCore
import SessionBase
import SessionCore

/// Simulated packet loss and delay of an endpoint, for demonstrations and tests.
public struct NetworkWeather: Hashable, Sendable {
  /// The delay of each packet.
  public var delay: Duration
  /// The share of lost packets: 0 for none, 1 for all.
  public var loss: Double

  public init(delay: Duration = .zero, loss: Double = 0) {
    self.delay = delay
    self.loss = loss
  }

  public static let fair = NetworkWeather()

  var core: sc_weather_conditions {
    sc_weather_conditions(delay: delay.nanoseconds, loss: UInt32((min(max(loss, 0), 1) * 1000).rounded()))
  }
}
