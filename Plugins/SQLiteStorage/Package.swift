// swift-tools-version: 6.3
import PackageDescription

let api = Target.Dependency.product(name: "MailKernelAPI", package: "MailKernelAPI")
let conformance = Target.Dependency.product(name: "MailKernelConformance", package: "MailKernelConformance")
let rules = Target.Dependency.product(name: "StoreRules", package: "StoreRules")
let files = Target.Dependency.product(name: "Files", package: "Files")
let sqlite = Target.Dependency.product(name: "SQLite", package: "Files")
let csqlite = Target.Dependency.product(name: "CSQLite", package: "Files")
let crashes = Target.Dependency.product(name: "CrashSupport", package: "CrashSupport")
// The library inside is this plugin's own: the program has another copy in its test kit, perhaps of another version.
let exports: [LinkerSetting] = [
    .unsafeFlags(["-Xlinker", "--version-script=\(Context.packageDirectory)/exports.map"])
]

let package = Package(
    name: "SQLiteStorage",
    products: [.library(name: "SQLiteStorage", type: .dynamic, targets: ["SQLiteStorage"])],
    dependencies: [
        .package(path: "../../Sources/MailKernelAPI"),
        .package(path: "../../Sources/MailKernelConformance"),
        .package(path: "../../Sources/StoreRules"),
        .package(path: "../../Tests/CrashSupport"),
        .package(path: "../Files"),
    ],
    targets: [
        .target(
            name: "SQLiteStorage", dependencies: [csqlite, sqlite, files, rules, api],
            swiftSettings: [.treatAllWarnings(as: .error)], linkerSettings: exports
        ),
        // Writes until it is killed, for tests of what is left.
        .executableTarget(
            name: "sqlite-storage-crasher",
            dependencies: ["SQLiteStorage", api, .product(name: "CrashingProgram", package: "CrashSupport")],
            path: "Sources/Crasher", swiftSettings: [.treatAllWarnings(as: .error)]
        ),
        .testTarget(
            name: "SQLiteStorageTests",
            dependencies: [
                "SQLiteStorage", csqlite, "sqlite-storage-crasher", api, rules, conformance, crashes,
            ],
            exclude: ["Fixtures"], swiftSettings: [.treatAllWarnings(as: .error)]
        ),
    ]
)
