import MailKernelAPI

let notificationCases: [ConformanceCase] = []
