// swift-tools-version: 6.3
import PackageDescription

let api = Target.Dependency.product(name: "MailKernelAPI", package: "MailKernelAPI")
let conformance = Target.Dependency.product(name: "MailKernelConformance", package: "MailKernelConformance")
let digest = Target.Dependency.product(name: "Digest", package: "Digest")
let rules = Target.Dependency.product(name: "StoreRules", package: "StoreRules")
// The libraries inside are this plugin's own.
let exports: [LinkerSetting] = [
    .unsafeFlags(["-Xlinker", "--version-script=\(Context.packageDirectory)/exports.map"])
]

let package = Package(
    name: "PostgreSQLStorage",
    products: [.library(name: "PostgreSQLStorage", type: .dynamic, targets: ["PostgreSQLStorage"])],
    dependencies: [
        .package(path: "../../Sources/Digest"),
        .package(path: "../../Sources/MailKernelAPI"),
        .package(path: "../../Sources/MailKernelConformance"),
        .package(path: "../../Sources/StoreRules"),
    ],
    targets: [
        .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .target(
            name: "PostgreSQLStorage", dependencies: ["CPostgreSQL", digest, rules, api],
            swiftSettings: [.treatAllWarnings(as: .error)], linkerSettings: exports
        ),
        .testTarget(
            name: "PostgreSQLStorageTests", dependencies: ["PostgreSQLStorage", digest, api, conformance],
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
    ]
)
