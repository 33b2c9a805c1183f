// swift-tools-version: 6.3
import PackageDescription

let api = Target.Dependency.product(name: "MailKernelAPI", package: "MailKernelAPI")
let conformance = Target.Dependency.product(name: "MailKernelConformance", package: "MailKernelConformance")
let imap = Target.Dependency.product(name: "IMAP", package: "IMAP")
let pop3 = Target.Dependency.product(name: "POP3", package: "IMAP")
let oauth = Target.Dependency.product(name: "OAuth", package: "OAuth")
let signingIn = Target.Dependency.product(name: "SigningIn", package: "OAuth")
let support = Target.Dependency.product(name: "IMAPTestSupport", package: "IMAP")
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]
// The libraries inside are this plugin's own: others have theirs, perhaps of another version.
let exports: [LinkerSetting] = [
    .unsafeFlags(["-Xlinker", "--version-script=\(Context.packageDirectory)/exports.map"])
]

let package = Package(
    name: "IMAPAccount",
    products: [.library(name: "IMAPAccount", type: .dynamic, targets: ["IMAPAccount"])],
    dependencies: [
        .package(path: "../../Sources/MailKernelAPI"),
        .package(path: "../../Sources/MailKernelConformance"),
        .package(path: "../IMAP"),
        .package(path: "../OAuth"),
    ],
    targets: [
        .target(
            name: "IMAPAccount", dependencies: [imap, pop3, oauth, signingIn, api], swiftSettings: strict,
            linkerSettings: exports),
        .testTarget(
            name: "IMAPAccountTests", dependencies: ["IMAPAccount", support, imap, pop3, api, conformance],
            swiftSettings: strict),
    ]
)
