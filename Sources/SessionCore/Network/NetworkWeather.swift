internal import CSessionCore
import SessionBase

/// What happens to datagrams on their way to an endpoint, for demonstrations and tests.
public struct NetworkWeather: Hashable, Sendable {
  /// How long each is on its way.
  public var delay: Duration
  /// Which part of them never arrives: 0 for none, 1 for all.
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
