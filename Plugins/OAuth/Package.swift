// swift-tools-version: 6.3
import PackageDescription

let api = Target.Dependency.product(name: "MailKernelAPI", package: "MailKernelAPI")
let conformance = Target.Dependency.product(name: "MailKernelConformance", package: "MailKernelConformance")
let digest = Target.Dependency.product(name: "Digest", package: "Digest")
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

// A library that account plugins link statically: each has its own copy.
let package = Package(
    name: "OAuth",
    products: [
        .library(name: "OAuth", type: .static, targets: ["OAuth"]),
        // What every sign-in needs, with a browser or without.
        .library(name: "SigningIn", type: .static, targets: ["SigningIn"]),
        // What sessions with services that are reached through HTTP need.
        .library(name: "WebCalls", type: .static, targets: ["WebCalls"]),
    ],
    dependencies: [
        .package(path: "../../Sources/Digest"),
        .package(path: "../../Sources/MailKernelAPI"),
        .package(path: "../../Sources/MailKernelConformance"),
    ],
    targets: [
        .target(name: "SigningIn", dependencies: [api], swiftSettings: strict),
        .target(name: "WebCalls", dependencies: [api], swiftSettings: strict),
        .target(name: "OAuth", dependencies: ["SigningIn", digest, api], swiftSettings: strict),
        .testTarget(
            name: "OAuthTests", dependencies: ["OAuth", "WebCalls", api, conformance], swiftSettings: strict),
    ]
)
