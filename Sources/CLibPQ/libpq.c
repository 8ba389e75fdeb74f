#include "CLibPQ.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#define LIBPQ_FUNCTIONS(each)                                                                      \
  each(PQconnectdbParams)                                                                          \
  each(PQconninfoParse) each(PQconninfoFree) each(PQfreemem)                                       \
  each(PQfinish) each(PQstatus) each(PQtransactionStatus) each(PQerrorMessage) each(PQsocket)      \
  each(PQsetnonblocking) each(PQenterPipelineMode) each(PQexitPipelineMode)                        \
  each(PQpipelineSync) each(PQflush) each(PQisBusy) each(PQconsumeInput) each(PQexec)              \
  each(PQsendPrepare) each(PQsendQueryPrepared) each(PQgetResult) each(PQclear)                    \
  each(PQresultStatus) each(PQresultErrorMessage) each(PQresultErrorField) each(PQntuples)         \
  each(PQgetisnull) each(PQgetlength) each(PQgetvalue) each(PQnotifies)                            \
  each(PQsetNoticeProcessor)

static struct {
#define FIELD(name) __typeof__(name) *name;
  LIBPQ_FUNCTIONS(FIELD)
#undef FIELD
} library;
static const char *problem;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// The library is never unloaded: OpenSSL, which it shares with the program, has exit handlers.
static void load(void) {
  static char text[256];
  void *opened = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (!opened) {
    snprintf(text, sizeof text, "libpq cannot be loaded (%s): install libpq5", dlerror());
    problem = text;
    return;
  }
#define LOAD(name)                                                                                 \
  library.name = (__typeof__(name) *)dlsym(opened, #name);                                         \
  if (!library.name) problem = "libpq.so.5 has no function " #name;
  LIBPQ_FUNCTIONS(LOAD)
#undef LOAD
}

const char *libpq_load(void) {
  pthread_once(&once, load);
  return problem;
}

// Hidden, so that the library itself cannot be linked to these functions.
#pragma GCC visibility push(hidden)

PGconn *PQconnectdbParams(const char *const *keywords, const char *const *values, int expand) {
  return library.PQconnectdbParams(keywords, values, expand);
}

PQconninfoOption *PQconninfoParse(const char *conninfo, char **message) {
  return library.PQconninfoParse(conninfo, message);
}

void PQconninfoFree(PQconninfoOption *options) {
  library.PQconninfoFree(options);
}

void PQfreemem(void *memory) {
  library.PQfreemem(memory);
}

void PQfinish(PGconn *connection) {
  library.PQfinish(connection);
}

ConnStatusType PQstatus(const PGconn *connection) {
  return library.PQstatus(connection);
}

PGTransactionStatusType PQtransactionStatus(const PGconn *connection) {
  return library.PQtransactionStatus(connection);
}

char *PQerrorMessage(const PGconn *connection) {
  return library.PQerrorMessage(connection);
}

int PQsocket(const PGconn *connection) {
  return library.PQsocket(connection);
}

int PQsetnonblocking(PGconn *connection, int is_nonblocking) {
  return library.PQsetnonblocking(connection, is_nonblocking);
}

int PQenterPipelineMode(PGconn *connection) {
  return library.PQenterPipelineMode(connection);
}

int PQexitPipelineMode(PGconn *connection) {
  return library.PQexitPipelineMode(connection);
}

int PQpipelineSync(PGconn *connection) {
  return library.PQpipelineSync(connection);
}

int PQflush(PGconn *connection) {
  return library.PQflush(connection);
}

int PQisBusy(PGconn *connection) {
  return library.PQisBusy(connection);
}

int PQconsumeInput(PGconn *connection) {
  return library.PQconsumeInput(connection);
}

PGresult *PQexec(PGconn *connection, const char *query) {
  return library.PQexec(connection, query);
}

int PQsendPrepare(PGconn *connection, const char *name, const char *query, int count, const Oid
    *types) {
  return library.PQsendPrepare(connection, name, query, count, types);
}

int PQsendQueryPrepared(PGconn *connection, const char *name, int count,
                        const char *const *values, const int *lengths, const int *formats,
                        int result_format) {
  return library.PQsendQueryPrepared(connection, name, count, values, lengths, formats,
                                     result_format);
}

PGresult *PQgetResult(PGconn *connection) {
  return library.PQgetResult(connection);
}

void PQclear(PGresult *result) {
  library.PQclear(result);
}

ExecStatusType PQresultStatus(const PGresult *result) {
  return library.PQresultStatus(result);
}

char *PQresultErrorMessage(const PGresult *result) {
  return library.PQresultErrorMessage(result);
}

char *PQresultErrorField(const PGresult *result, int field) {
  return library.PQresultErrorField(result, field);
}

int PQntuples(const PGresult *result) {
  return library.PQntuples(result);
}

int PQgetisnull(const PGresult *result, int row, int column) {
  return library.PQgetisnull(result, row, column);
}

int PQgetlength(const PGresult *result, int row, int column) {
  return library.PQgetlength(result, row, column);
}

char *PQgetvalue(const PGresult *result, int row, int column) {
  return library.PQgetvalue(result, row, column);
}

PGnotify *PQnotifies(PGconn *connection) {
  return library.PQnotifies(connection);
}

PQnoticeProcessor PQsetNoticeProcessor(PGconn *connection, PQnoticeProcessor processor,
                                       void *argument) {
  return library.PQsetNoticeProcessor(connection, processor, argument);
}

#pragma GCC visibility pop
