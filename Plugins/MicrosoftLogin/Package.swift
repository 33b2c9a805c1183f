// swift-tools-version: 6.3
import PackageDescription

let api = Target.Dependency.product(name: "MailKernelAPI", package: "MailKernelAPI")
let conformance = Target.Dependency.product(name: "MailKernelConformance", package: "MailKernelConformance")
let oauth = Target.Dependency.product(name: "OAuth", package: "OAuth")
let signingIn = Target.Dependency.product(name: "SigningIn", package: "OAuth")
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

// A library that the plugins for Microsoft's services link statically: each has its own copy.
let package = Package(
    name: "MicrosoftLogin",
    products: [.library(name: "MicrosoftLogin", type: .static, targets: ["MicrosoftLogin"])],
    dependencies: [
        .package(path: "../../Sources/MailKernelAPI"),
        .package(path: "../../Sources/MailKernelConformance"),
        .package(path: "../OAuth"),
    ],
    targets: [
        .target(name: "MicrosoftLogin", dependencies: [oauth, signingIn, api], swiftSettings: strict),
        .testTarget(
            name: "MicrosoftLoginTests", dependencies: ["MicrosoftLogin", oauth, api, conformance],
            swiftSettings: strict),
    ]
)
