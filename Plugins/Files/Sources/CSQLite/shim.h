#include <linux/falloc.h>
#include <sqlite3.h>
#include <sys/syscall.h>
#include <unistd.h>

/* SQLite copies what it is given: its own macro is a cast that Swift cannot import. */
static inline sqlite3_destructor_type csqlite_transient(void) { return SQLITE_TRANSIENT; }

/* The function takes whatever arguments its option has, which Swift cannot call. */
static inline void csqlite_keep_log(sqlite3 *connection) {
    sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

/* Gives room in a file back, without making the file shorter. The library's own function is only
   declared for those who ask for all of GNU's. */
static inline long csqlite_punch_hole(int file, long offset, long count) {
    return syscall(SYS_fallocate, file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, count);
}
