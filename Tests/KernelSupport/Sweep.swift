import Foundation

/// Repeats a scene with something happening at its first call, its second, and so on, until there is no such call.
///
/// Of long scenes only some calls are visited, others each time. With `THOROUGH` in the environment it is every call.
package enum Sweep {
    package static let isThorough = ProcessInfo.processInfo.environment["THOROUGH"] != nil

    /// - Parameter scene: plays the scene with something happening at the call of this number, and returns whether
    ///   there was one.
    /// - Returns: the number of the first call that there was not.
    package static func calls(every step: Int, _ scene: (Int) async throws -> Bool) async throws -> Int {
        let step = isThorough ? 1 : step
        var number = Int.random(in: 1...step)
        while try await scene(number) { number += step }
        return number
    }
}
