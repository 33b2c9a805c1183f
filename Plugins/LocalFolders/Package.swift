// swift-tools-version: 6.3
import PackageDescription

let api = Target.Dependency.product(name: "MailKernelAPI", package: "MailKernelAPI")
let conformance = Target.Dependency.product(name: "MailKernelConformance", package: "MailKernelConformance")
let crashes = Target.Dependency.product(name: "CrashSupport", package: "CrashSupport")

let package = Package(
    name: "LocalFolders",
    products: [.library(name: "LocalFolders", type: .dynamic, targets: ["LocalFolders"])],
    dependencies: [
        .package(path: "../../Sources/MailKernelAPI"),
        .package(path: "../../Sources/MailKernelConformance"),
        .package(path: "../../Tests/CrashSupport"),
    ],
    targets: [
        .systemLibrary(name: "CLocalFolders", providers: [.apt(["libsqlite3-dev", "libssl-dev"])]),
        .target(
            name: "LocalFolders", dependencies: ["CLocalFolders", api],
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
        // Adds mail until it is killed, for tests of what is left.
        .executableTarget(
            name: "local-folders-crasher",
            dependencies: ["LocalFolders", api, .product(name: "CrashingProgram", package: "CrashSupport")],
            path: "Sources/Crasher", swiftSettings: [.treatAllWarnings(as: .error)]
        ),
        .testTarget(
            name: "LocalFoldersTests",
            dependencies: ["LocalFolders", "local-folders-crasher", api, conformance, crashes],
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
    ]
)
