/*
 * Confines itself as the process that runs models does, and says of each thing that this one shall not do whether
 * it is refused: one a line. Its argument is a file that it may read.
 */
#include "../../Sources/CLlama/sandbox.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

static void tell(const char *what, long result) {
    printf("%s: %s\n", what, result != -1 ? "possible" : errno == EPERM ? "refused" : "failed otherwise");
}

int main(int count, char **words) {
    if (count != 2 || !cllama_confine()) return 2;
    long parent = getppid();
    int file = open(words[1], O_RDONLY);
    tell("read a file", file);
    tell("signal itself", syscall(__NR_tgkill, (long)getpid(), syscall(__NR_gettid), 0));
    tell("limit itself", cllama_limit(RLIMIT_CORE, 0));

    tell("write a file", open(words[1], O_WRONLY));
    tell("signal the program", syscall(__NR_kill, parent, 0));
    tell("signal a thread of the program", syscall(__NR_tgkill, parent, parent, 0));
    tell("signal a thread by its number", syscall(__NR_tkill, parent, 0));
    tell("take hold of the program", syscall(434, parent, 0));
    struct rlimit limit;
    tell("limit the program", syscall(__NR_prlimit64, parent, RLIMIT_CPU, 0, &limit));
    tell("open a file to others", syscall(__NR_fchmod, file, 0644));
    tell("mark a file", syscall(__NR_fsetxattr, file, "user.mark", "1", 1, 0));
    char key = 'x';
    tell("type into a terminal", ioctl(0, TIOCSTI, &key));
    int flags = 0;
    tell("change how a file is kept", ioctl(file, 0x40086602 /* FS_IOC_SETFLAGS */, &flags));
    tell("use the network", syscall(__NR_socket, AF_INET, SOCK_STREAM, 0));
    tell("run another program", syscall(__NR_execve, "/bin/true", words, 0));
    return 0;
}
