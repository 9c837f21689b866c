CREATE TABLE "log_kinds" (
	"kind" uuid PRIMARY KEY NOT NULL,
	"endpoint" text COLLATE "C" NOT NULL,
	"client_id" text COLLATE "C" NOT NULL,
	"status_code" bigint NOT NULL,
	"method" text COLLATE "C" NOT NULL,
	"code" text COLLATE "C" NOT NULL
);
--> statement-breakpoint
ALTER TABLE "request_logs" ADD COLUMN "kind" uuid GENERATED ALWAYS AS (encode(substring(sha256(replace(
	"status_code" || E'\x1f' || "method" || E'\x1f' || coalesce("code", '') || E'\x1f' || coalesce("client_id", '') || E'\x1f' || "endpoint",
	'\', '\\')::bytea) from 1 for 16), 'hex')::uuid) STORED NOT NULL;
--> statement-breakpoint
CREATE INDEX "request_logs_kind" ON "request_logs" USING btree ("kind","at_ms","id");
--> statement-breakpoint
INSERT INTO "log_kinds" SELECT DISTINCT ON ("kind") "kind", "endpoint", coalesce("client_id", ''), "status_code", "method", coalesce("code", '') FROM "request_logs";
--> statement-breakpoint
CREATE FUNCTION "begin_log_rows"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	-- One insert at a time: rows are committed in the order of their ids, and no kind is removed meanwhile.
	PERFORM pg_advisory_xact_lock(5315821, 3);
	RETURN NULL;
END;
$$;
--> statement-breakpoint
CREATE TRIGGER "request_logs_begin" BEFORE INSERT ON "request_logs" FOR EACH STATEMENT EXECUTE FUNCTION "begin_log_rows"();
--> statement-breakpoint
CREATE FUNCTION "add_log_kinds"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "log_kinds" SELECT DISTINCT ON ("kind") "kind", "endpoint", coalesce("client_id", ''), "status_code", "method", coalesce("code", '')
		FROM "added" ORDER BY "kind" ON CONFLICT ("kind") DO NOTHING;
	RETURN NULL;
END;
$$;
--> statement-breakpoint
CREATE TRIGGER "request_logs_added" AFTER INSERT ON "request_logs" REFERENCING NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "add_log_kinds"();
