// swift-tools-version: 6.3
import PackageDescription

let api = Target.Dependency.product(name: "MailKernelAPI", package: "MailKernelAPI")
let conformance = Target.Dependency.product(name: "MailKernelConformance", package: "MailKernelConformance")
let crashes = Target.Dependency.product(name: "CrashSupport", package: "CrashSupport")
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
        .package(path: "../../Tests/CrashSupport"),
    ],
    targets: [
        .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CChecksum", providers: [.apt(["zlib1g-dev"])]),
        .target(
            name: "PostgreSQLStorage", dependencies: ["CChecksum", "CPostgreSQL", digest, rules, api],
            swiftSettings: [.treatAllWarnings(as: .error)], linkerSettings: exports
        ),
        // Writes until it is killed, for tests of what is left.
        .executableTarget(
            name: "postgresql-storage-writer",
            dependencies: [
                "PostgreSQLStorage", api, .product(name: "CrashingProgram", package: "CrashSupport"),
            ],
            path: "Sources/Writer", swiftSettings: [.treatAllWarnings(as: .error)]
        ),
        .testTarget(
            name: "PostgreSQLStorageTests",
            dependencies: [
                "PostgreSQLStorage", "postgresql-storage-writer", digest, api, conformance, crashes,
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
    ]
)
