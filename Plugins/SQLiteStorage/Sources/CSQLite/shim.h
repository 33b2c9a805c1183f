#include <linux/falloc.h>
#include <sqlite3.h>
#include <sys/syscall.h>
#include <unistd.h>

/* SQLite copies what it is given: its own macro is a cast that Swift cannot import. */
static inline sqlite3_destructor_type csqlite_transient(void) { return SQLITE_TRANSIENT; }

/* Gives room in a file back, without making the file shorter. The library's own function is only
   declared for those who ask for all of GNU's. */
static inline long csqlite_punch_hole(int file, long offset, long count) {
    return syscall(SYS_fallocate, file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, count);
}
