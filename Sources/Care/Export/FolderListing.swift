import FoundationEssentials
import Glibc

/// What of a folder a person chooses a file from: the folders in it, and the files of one kind.
package struct FolderListing: Sendable, Hashable {
    package struct Entry: Sendable, Hashable {
        package let path: String
        package let name: String
        package let isFolder: Bool
        package let size: Int
    }

    /// As many as a person looks through.
    private static let most = 2000

    /// Without `..`, and of links where they lead to.
    package let folder: String
    /// Nil at the root.
    package let parent: String?
    /// Folders first, each by name.
    package let entries: [Entry]

    /// Reads the folder, without hidden files.
    ///
    /// - Parameter ending: of the files, such as `gguf`, ignoring case.
    package init(of folder: String, ending: String) throws(ExportProblem) {
        guard let real = realpath(folder, nil) else { throw Self.problem(folder) }
        defer { free(real) }
        let place = String(cString: real)
        guard let opened = opendir(place) else { throw Self.problem(place) }
        closedir(opened)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
        self.folder = place
        parent = place == "/" ? nil : URL(filePath: place).deletingLastPathComponent().path
        let found = names.filter { !$0.hasPrefix(".") }.prefix(Self.most).compactMap { name in
            Entry(name, in: place, ending: ending)
        }
        entries = found.sorted { one, other in
            one.isFolder == other.isFolder
                ? one.name.lowercased() < other.name.lowercased() : one.isFolder
        }
    }

    private static func problem(_ folder: String) -> ExportProblem {
        ExportProblem(sentence: "“\(folder)” cannot be opened: \(String(cString: strerror(errno))).")
    }
}

extension FolderListing.Entry {
    fileprivate init?(_ name: String, in folder: String, ending: String) {
        let path = folder == "/" ? "/" + name : folder + "/" + name
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        let isFolder = status.st_mode & S_IFMT == S_IFDIR
        guard isFolder || (status.st_mode & S_IFMT == S_IFREG && name.lowercased().hasSuffix("." + ending))
        else { return nil }
        self.init(path: path, name: name, isFolder: isFolder, size: Int(status.st_size))
    }
}
