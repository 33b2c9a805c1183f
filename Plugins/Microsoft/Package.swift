// swift-tools-version: 6.3
import PackageDescription

let api = Target.Dependency.product(name: "MailKernelAPI", package: "MailKernelAPI")
let conformance = Target.Dependency.product(name: "MailKernelConformance", package: "MailKernelConformance")
let imap = Target.Dependency.product(name: "IMAP", package: "IMAP")
let oauth = Target.Dependency.product(name: "OAuth", package: "OAuth")
let login = Target.Dependency.product(name: "MicrosoftLogin", package: "MicrosoftLogin")
let support = Target.Dependency.product(name: "IMAPTestSupport", package: "IMAP")
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]
// The libraries inside are this plugin's own: others have theirs, perhaps of another version.
let exports: [LinkerSetting] = [
    .unsafeFlags(["-Xlinker", "--version-script=\(Context.packageDirectory)/exports.map"])
]

let package = Package(
    name: "Microsoft",
    products: [.library(name: "Microsoft", type: .dynamic, targets: ["Microsoft"])],
    dependencies: [
        .package(path: "../../Sources/MailKernelAPI"),
        .package(path: "../../Sources/MailKernelConformance"),
        .package(path: "../IMAP"),
        .package(path: "../MicrosoftLogin"),
        .package(path: "../OAuth"),
    ],
    targets: [
        .target(
            name: "Microsoft", dependencies: [imap, login, oauth, api], swiftSettings: strict,
            linkerSettings: exports),
        .testTarget(
            name: "MicrosoftTests",
            dependencies: ["Microsoft", support, login, oauth, imap, api, conformance],
            swiftSettings: strict),
    ]
)
