#ifndef CLIBPQ_H
#define CLIBPQ_H

// libpq, loaded when a PostgreSQL store is used. A program that is linked with it would load it and
// its 20 libraries (LDAP, Kerberos, GnuTLS) at each start: 6 MB of resident memory.
//
// The functions of libpq that SessionLog calls are defined in libpq.c and call the library's.
#include <postgresql/libpq-fe.h>

// Loads the library; later calls return the outcome of the first. Must precede calls of the other
// functions. For any thread.
//
// Returns NULL, or why it cannot be loaded: valid as long as the process.
const char *libpq_load(void);

#endif
