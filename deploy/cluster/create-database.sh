#!/bin/sh
# create-database.sh URL : Patroni calls this once, when it has made a new database.
#
# Creates the role and the database of pickerd, with the password in PICKERD_DATABASE_PASSWORD.
# There are no standbys yet, so that these commits must not wait for one.
set -eu
PGOPTIONS="-c synchronous_commit=local" exec psql -X -q -v ON_ERROR_STOP=1 -d "$1" <<'SQL'
\set password `printenv PICKERD_DATABASE_PASSWORD`
CREATE ROLE pickerd LOGIN PASSWORD :'password';
CREATE DATABASE pickerd OWNER pickerd;
-- Others could read and send notifications, which have the members' commands.
REVOKE ALL ON DATABASE pickerd FROM PUBLIC;
SQL
