// swift-tools-version: 6.3
import PackageDescription

let api = Target.Dependency.product(name: "MailKernelAPI", package: "MailKernelAPI")
let conformance = Target.Dependency.product(name: "MailKernelConformance", package: "MailKernelConformance")
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

// A library that account plugins link statically: each has its own copy, so that plugins built against
// different versions can be loaded together.
let package = Package(
    name: "IMAP",
    products: [
        .library(name: "IMAP", type: .static, targets: ["IMAP"]),
        // For the tests of account plugins.
        .library(name: "IMAPTestSupport", type: .static, targets: ["IMAPTestSupport"]),
    ],
    dependencies: [
        .package(path: "../../Sources/MailKernelAPI"),
        .package(path: "../../Sources/MailKernelConformance"),
    ],
    targets: [
        .systemLibrary(name: "CIMAPZlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "IMAP", dependencies: ["CIMAPZlib", api], swiftSettings: strict),
        .systemLibrary(name: "CIMAPTestTLS", path: "Tests/CIMAPTestTLS", providers: [.apt(["libssl-dev"])]),
        // Real servers on loopback and scripted ones, for tests and measurements.
        .target(
            name: "IMAPTestSupport", dependencies: ["IMAP", "CIMAPTestTLS", api], path: "Tests/Support",
            exclude: ["mail_servers.py"], swiftSettings: strict),
        .executableTarget(
            name: "imap-bench", dependencies: ["IMAP", "IMAPTestSupport", api], path: "Tests/Bench",
            swiftSettings: strict),
        .testTarget(
            name: "IMAPTests", dependencies: ["IMAP", "IMAPTestSupport", api, conformance],
            swiftSettings: strict),
    ]
)
