-- The role of servers and publishers, which may add entries to the access log and never change or remove one. Run it as an administrator,
-- who may make roles, after the first start has made the tables; and as the owner of the schema after each upgrade:
--   psql postgres://admin@db.example.org/cathedral --set ON_ERROR_STOP=1 --file postgres-roles.sql
-- Set a password afterwards (\password cathedral_service). Migrations, `access-log expire` and `store copy` need the owner.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'cathedral_service') THEN
    CREATE ROLE cathedral_service LOGIN;
  END IF;
END $$;

GRANT USAGE ON SCHEMA cathedral TO cathedral_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA cathedral TO cathedral_service;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA cathedral TO cathedral_service;

REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON cathedral.migrations, cathedral.access_log_removals
  FROM cathedral_service;
REVOKE UPDATE, DELETE, TRUNCATE ON cathedral.access_log_entries FROM cathedral_service;
REVOKE INSERT, DELETE, TRUNCATE ON cathedral.access_log_head FROM cathedral_service;
