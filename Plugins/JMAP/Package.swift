// swift-tools-version: 6.3
import PackageDescription

let api = Target.Dependency.product(name: "MailKernelAPI", package: "MailKernelAPI")
let conformance = Target.Dependency.product(name: "MailKernelConformance", package: "MailKernelConformance")
let oauth = Target.Dependency.product(name: "OAuth", package: "OAuth")
let signingIn = Target.Dependency.product(name: "SigningIn", package: "OAuth")
let webCalls = Target.Dependency.product(name: "WebCalls", package: "OAuth")
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]
// The libraries inside are this plugin's own: others have theirs, perhaps of another version.
let exports: [LinkerSetting] = [
    .unsafeFlags(["-Xlinker", "--version-script=\(Context.packageDirectory)/exports.map"])
]

let package = Package(
    name: "JMAP",
    products: [.library(name: "JMAP", type: .dynamic, targets: ["JMAPAccounts"])],
    dependencies: [
        .package(path: "../../Sources/MailKernelAPI"),
        .package(path: "../../Sources/MailKernelConformance"),
        .package(path: "../OAuth"),
    ],
    targets: [
        // Not named JMAP: the program has a module of that name.
        .target(
            name: "JMAPAccounts", dependencies: [oauth, signingIn, webCalls, api], path: "Sources/JMAP",
            swiftSettings: strict, linkerSettings: exports),
        .testTarget(
            name: "JMAPAccountsTests", dependencies: ["JMAPAccounts", signingIn, api, conformance],
            path: "Tests/JMAPTests", swiftSettings: strict),
    ]
)
