// swift-tools-version: 6.3
import PackageDescription

let api = Target.Dependency.product(name: "MailKernelAPI", package: "MailKernelAPI")
let conformance = Target.Dependency.product(name: "MailKernelConformance", package: "MailKernelConformance")
let digest = Target.Dependency.product(name: "Digest", package: "Digest")
let files = Target.Dependency.product(name: "Files", package: "Files")
let sqlite = Target.Dependency.product(name: "SQLite", package: "Files")
let csqlite = Target.Dependency.product(name: "CSQLite", package: "Files")
let crashes = Target.Dependency.product(name: "CrashSupport", package: "CrashSupport")
// The libraries inside are this plugin's own: others have theirs, perhaps of another version.
let exports: [LinkerSetting] = [
    .unsafeFlags(["-Xlinker", "--version-script=\(Context.packageDirectory)/exports.map"])
]

let package = Package(
    name: "LocalFolders",
    products: [
        .library(name: "LocalFolders", type: .dynamic, targets: ["LocalFoldersEntry"]),
        // For plugins that keep the mail of a server here: POP3.
        .library(name: "KeptMail", type: .static, targets: ["LocalFolders"]),
    ],
    dependencies: [
        .package(path: "../../Sources/Digest"),
        .package(path: "../../Sources/MailKernelAPI"),
        .package(path: "../../Sources/MailKernelConformance"),
        .package(path: "../../Tests/CrashSupport"),
        .package(path: "../Files"),
    ],
    targets: [
        .systemLibrary(name: "CLocalFolders"),
        .target(
            name: "LocalFolders", dependencies: ["CLocalFolders", csqlite, sqlite, digest, files, api],
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
        .target(
            name: "LocalFoldersEntry", dependencies: ["LocalFolders", api], path: "Sources/Plugin",
            swiftSettings: [.treatAllWarnings(as: .error)], linkerSettings: exports
        ),
        // Adds mail until it is killed, for tests of what is left.
        .executableTarget(
            name: "local-folders-crasher",
            dependencies: [
                "LocalFoldersEntry", api, .product(name: "CrashingProgram", package: "CrashSupport"),
            ],
            path: "Sources/Crasher", swiftSettings: [.treatAllWarnings(as: .error)]
        ),
        .testTarget(
            name: "LocalFoldersTests",
            dependencies: [
                "LocalFolders", "LocalFoldersEntry", "local-folders-crasher", api, conformance, crashes,
                digest,
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
    ]
)
