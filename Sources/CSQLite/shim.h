#include <sqlite3.h>

/// `sqlite3_config()` has a variable number of arguments, which Swift does not call.
/// - Source: sqlite.org/c3ref/c_config_covering_index_scan.html#sqliteconfigmemstatus
static inline int sqlite3_count_no_memory(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
