import SessionCore
import Testing

@Suite struct SafetyNumberTests {
  private let first: SessionID
  private let second: SessionID
  private static let device = [UInt8](repeating: 3, count: 32)

  init() throws {
    first = try SessionID(parsing: "0588672ccb97f40bb57238989226cf429b575ba355443f47bc76c5ab144a96c65b")
    second = try SessionID(parsing: "054701d08488451f545a409fb58ae3e58581ca40ac3f7f114698cd71deac73ca01")
  }

  private func number(
    own: [[UInt8]] = [], theirs: [[UInt8]] = [], isTurned: Bool = false
  ) throws -> SafetyNumber {
    let (one, other) = (try SafetySide(first, devices: own), try SafetySide(second, devices: theirs))
    return isTurned ? SafetyNumber(own: other, theirs: one) : SafetyNumber(own: one, theirs: other)
  }

  @Test func bothSidesSeeTheDigitsOfTheSpecification() throws {
    let digits = "036651795113182931595247206496827031412989351717238134653593"
    #expect(try number().digits == digits)
    #expect(try number(isTurned: true).digits == digits)
  }

  @Test func everyDeviceChangesTheDigits() throws {
    let other = [UInt8](repeating: 4, count: 32)
    let both = try number(theirs: [Self.device, other])
    #expect(try number(theirs: [other, Self.device, other]) == both)
    #expect(try number(theirs: [Self.device]).digits != both.digits)
    #expect(throws: SessionError.self) {
      try SafetySide(second, devices: (0..<9).map { [UInt8](repeating: $0, count: 32) })
    }
  }

  @Test func typedDigitsAreCompared() throws {
    let number = try number()
    try number.check("03665 17951 13182 93159\n52472 06496 82703 14129 89351 71723 81346 53593")
    #expect { try number.check(String(number.digits.dropLast())) } throws: {
      SessionError.Code.safetyDigits ~= $0
    }
    #expect { try number.check(String(number.digits.reversed())) } throws: {
      SessionError.Code.safetyNumber ~= $0
    }
  }

  @Test func aCodeTellsWhichSideDiffers() throws {
    let ours = try number(theirs: [Self.device])
    func match(_ code: SafetyNumber) throws -> SafetyNumber.Match {
      try ours.compare(codeText: code.codeText)
    }
    #expect(ours.code.count == 132 && ours.codeText.count == 176 && ours.codeText.hasPrefix("U1JOM"))
    #expect(try match(try number(theirs: [Self.device], isTurned: true)) == .equal)
    #expect(try match(ours) == .ownCode)
    #expect(try match(try number(isTurned: true)) == .otherDevicesTheirs)
    #expect(
      try match(try number(own: [Self.device], theirs: [Self.device], isTurned: true)) == .otherDevicesOwn)
    let stranger = try SafetySide(try Account.generate().id, devices: [])
    #expect(try match(SafetyNumber(own: stranger, theirs: ours.own)) == .otherPerson)
    #expect { try ours.compare(codeText: "no code") } throws: { SessionError.Code.safetyQR ~= $0 }
  }
}
