-- Gives one person a database of their own and a role that can sign in to nothing else, with a new password:
--
--     sudo -u postgres psql -v person=anna -f postgresql-person.sql
--
-- It prints the connection string and the password for mailkernel.

\set ON_ERROR_STOP on
\if :{?person}
\else
    \warn Say for whom: psql -v person=NAME -f postgresql-person.sql
    \quit
\endif
\set QUIET on
\pset format unaligned
\pset tuples_only on

SELECT 'mail_' || :'person' AS name, replace(gen_random_uuid()::text || gen_random_uuid(), '-', '') AS password \gset

-- The password must not be in the server's log.
SET log_statement = 'none';
SET log_min_duration_statement = -1;
SET log_min_error_statement = 'panic';
SET password_encryption = 'scram-sha-256';
CREATE ROLE :"name" LOGIN PASSWORD :'password' NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION;

CREATE DATABASE :"name" OWNER :"name" ENCODING 'UTF8' TEMPLATE template0 LOCALE 'C';
-- Every role can connect to a new database, and see the names of what is in it.
REVOKE ALL ON DATABASE :"name" FROM PUBLIC;

\echo connection: dbname=:name user=:name
\echo password: :password
