// swift-tools-version: 6.3
import PackageDescription

let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

// Libraries that plugins link statically: each has its own copy.
let package = Package(
    name: "Files",
    products: [
        .library(name: "Files", type: .static, targets: ["Files"]),
        .library(name: "SQLite", type: .static, targets: ["SQLite"]),
        .library(name: "CSQLite", targets: ["CSQLite"]),
    ],
    targets: [
        .target(name: "Files", swiftSettings: strict),
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .target(name: "SQLite", dependencies: ["CSQLite", "Files"], swiftSettings: strict),
        .testTarget(name: "FilesTests", dependencies: ["Files", "SQLite"], swiftSettings: strict),
    ]
)
