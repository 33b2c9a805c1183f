// swift-tools-version: 6.3
import PackageDescription

let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

// Linked statically, by the program and by plugins: each has its own copy.
let package = Package(
    name: "Digest",
    products: [.library(name: "Digest", type: .static, targets: ["Digest"])],
    targets: [
        .systemLibrary(name: "CDigest", path: "CDigest", providers: [.apt(["libssl-dev"])]),
        .target(name: "Digest", dependencies: ["CDigest"], path: "Digest", swiftSettings: strict),
        .testTarget(name: "DigestTests", dependencies: ["Digest"], path: "Tests", swiftSettings: strict),
    ]
)
