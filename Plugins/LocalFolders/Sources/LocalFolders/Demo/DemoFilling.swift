import FoundationEssentials
import MailKernelAPI

extension MailFolder {
    func fill(for person: DemoPerson, now: Date) async throws(FolderError) {}
}
