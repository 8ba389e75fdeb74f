-- The database of pickerd, and a role with the least privileges that it needs. Run this as an
-- administrator of the database server:
--
--   psql -X -v ON_ERROR_STOP=1 -d postgres -f postgres.sql
--
-- Then set the role's password (in psql: \password pickerd), and admit only this role to only this
-- database in pg_hba.conf:
--
--   hostssl pickerd pickerd 10.0.0.0/24 scram-sha-256

CREATE ROLE pickerd LOGIN
  NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS NOINHERIT;
CREATE DATABASE pickerd ENCODING 'UTF8' TEMPLATE template0;

-- Other roles cannot connect, and no role creates schemas or temporary tables.
REVOKE ALL ON DATABASE pickerd FROM PUBLIC;
GRANT CONNECT ON DATABASE pickerd TO pickerd;

\connect pickerd
REVOKE ALL ON SCHEMA public FROM PUBLIC;
-- pickerd migrates the tables in it, so that it must own them.
CREATE SCHEMA pickerd AUTHORIZATION pickerd;
