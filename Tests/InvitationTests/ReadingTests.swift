import Foundation
import Testing

@testable import Invitations

@Suite("Invitations of many programs are read") struct ReadingTests {
    @Test(arguments: Sample.all) func readsAsExpected(_ sample: Sample) {
        #expect(trimmed(sample.invitation?.reading ?? "") == sample.reading, "\(sample.name)")
    }

    /// What is cut anywhere is read as nothing, or as the same.
    @Test(arguments: Sample.all) func acceptsBeingCutAnywhere(_ sample: Sample) {
        for count in stride(from: 0, to: sample.calendar.count, by: 41) {
            let cut = InvitationReader.read(
                sample.calendar.prefix(count), method: sample.method, now: Sample.now)
            #expect(cut == nil || cut == sample.invitation, "\(sample.name): \(count)")
        }
    }

    /// Bytes changed at random: nothing to expect but that it ends.
    @Test func acceptsAnyBytes() {
        var random = Numbers(state: 20_260_301)
        for sample in Sample.all {
            for _ in 0..<12 {
                var bytes = sample.calendar
                for _ in 0..<Int.random(in: 1...12, using: &random) where !bytes.isEmpty {
                    let place = Int.random(in: 0..<bytes.count, using: &random)
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                    case 1: bytes.remove(at: place)
                    default: bytes.insert(contentsOf: bytes.dropFirst(place).prefix(20), at: place)
                    }
                }
                _ = InvitationReader.read(bytes, now: Sample.now)
            }
        }
    }

    private func trimmed(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { String($0.reversed().drop { $0 == " " }.reversed()) }.joined(separator: "\n")
    }
}

/// The same numbers each time (SplitMix64).
private struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
