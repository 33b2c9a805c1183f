// swift-tools-version: 6.3
import PackageDescription

let api = Target.Dependency.product(name: "MailKernelAPI", package: "MailKernelAPI")
let conformance = Target.Dependency.product(name: "MailKernelConformance", package: "MailKernelConformance")
let login = Target.Dependency.product(name: "MicrosoftLogin", package: "MicrosoftLogin")
let oauth = Target.Dependency.product(name: "OAuth", package: "OAuth")
let webCalls = Target.Dependency.product(name: "WebCalls", package: "OAuth")
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]
// The libraries inside are this plugin's own: others have theirs, perhaps of another version.
let exports: [LinkerSetting] = [
    .unsafeFlags(["-Xlinker", "--version-script=\(Context.packageDirectory)/exports.map"])
]

let package = Package(
    name: "MicrosoftGraph",
    products: [.library(name: "MicrosoftGraph", type: .dynamic, targets: ["MicrosoftGraph"])],
    dependencies: [
        .package(path: "../../Sources/MailKernelAPI"),
        .package(path: "../../Sources/MailKernelConformance"),
        .package(path: "../MicrosoftLogin"),
        .package(path: "../OAuth"),
    ],
    targets: [
        .target(
            name: "MicrosoftGraph", dependencies: [login, oauth, webCalls, api], swiftSettings: strict,
            linkerSettings: exports),
        .testTarget(
            name: "MicrosoftGraphTests", dependencies: ["MicrosoftGraph", login, oauth, api, conformance],
            swiftSettings: strict),
    ]
)
