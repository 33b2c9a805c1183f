// swift-tools-version: 6.3
import PackageDescription

let api = Target.Dependency.product(name: "MailKernelAPI", package: "MailKernelAPI")
let conformance = Target.Dependency.product(name: "MailKernelConformance", package: "MailKernelConformance")
let kept = Target.Dependency.product(name: "KeptMail", package: "LocalFolders")
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

// A library that account plugins link statically: each has its own copy, so that plugins built against
// different versions can be loaded together.
let package = Package(
    name: "IMAP",
    products: [
        .library(name: "IMAP", type: .static, targets: ["IMAP"]),
        .library(name: "POP3", type: .static, targets: ["POP3"]),
        // For the tests of account plugins.
        .library(name: "IMAPTestSupport", type: .static, targets: ["IMAPTestSupport"]),
    ],
    dependencies: [
        .package(path: "../../Sources/MailKernelAPI"),
        .package(path: "../../Sources/MailKernelConformance"),
        .package(path: "../LocalFolders"),
    ],
    targets: [
        .systemLibrary(name: "CIMAPZlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "IMAP", dependencies: ["CIMAPZlib", api], swiftSettings: strict),
        // For servers without folders: sends as IMAP accounts do, and keeps mail as LocalFolders does.
        .target(name: "POP3", dependencies: ["IMAP", kept, api], swiftSettings: strict),
        .systemLibrary(name: "CIMAPTestTLS", path: "Tests/CIMAPTestTLS", providers: [.apt(["libssl-dev"])]),
        // Real servers on loopback and scripted ones, for tests and measurements.
        .target(
            name: "IMAPTestSupport", dependencies: ["IMAP", "CIMAPTestTLS", api, conformance],
            path: "Tests/Support",
            exclude: ["mail_servers.py"], swiftSettings: strict),
        .executableTarget(
            name: "imap-bench", dependencies: ["IMAP", "IMAPTestSupport", api, conformance],
            path: "Tests/Bench",
            swiftSettings: strict),
        .testTarget(
            name: "IMAPTests", dependencies: ["IMAP", "IMAPTestSupport", api, conformance],
            swiftSettings: strict),
        .testTarget(
            name: "POP3Tests", dependencies: ["POP3", "IMAP", "IMAPTestSupport", kept, api, conformance],
            swiftSettings: strict),
    ]
)
