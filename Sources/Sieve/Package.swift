// swift-tools-version: 6.3
import PackageDescription

let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

// Scripts and messages are foreign: the library opens no file, no connection, and needs no other package.
let package = Package(
    name: "Sieve",
    products: [.library(name: "Sieve", type: .static, targets: ["Sieve"])],
    targets: [
        .target(name: "Sieve", path: "Sieve", swiftSettings: strict),
        .testTarget(name: "SieveTests", dependencies: ["Sieve"], path: "Tests", swiftSettings: strict),
    ]
)
