// swift-tools-version: 6.3
import PackageDescription

let api = Target.Dependency.product(name: "MailKernelAPI", package: "MailKernelAPI")
let conformance = Target.Dependency.product(name: "MailKernelConformance", package: "MailKernelConformance")

let package = Package(
    name: "CrashSupport",
    products: [
        .library(name: "CrashingProgram", targets: ["CrashingProgram"]),
        .library(name: "CrashSupport", targets: ["CrashSupport"]),
    ],
    dependencies: [
        .package(path: "../../Sources/MailKernelAPI"),
        .package(path: "../../Sources/MailKernelConformance"),
    ],
    targets: [
        // For a program that writes until it is killed.
        .target(
            name: "CrashingProgram", dependencies: [api], path: "CrashingProgram",
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
        // For the tests that kill it.
        .target(
            name: "CrashSupport", dependencies: [conformance], path: "CrashSupport",
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
    ]
)
