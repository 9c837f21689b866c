INSERT INTO "row_changes" ("id", "version") VALUES (1, 0);
--> statement-breakpoint
INSERT INTO "audit_highest" ("id", "highest") VALUES (1, 0);
--> statement-breakpoint
CREATE FUNCTION "count_row_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	-- Once for each transaction: the setting ends with it.
	IF coalesce(current_setting('sluice.rows_changed', true), '') <> 'yes' THEN
		UPDATE "row_changes" SET "version" = "version" + 1;
		PERFORM set_config('sluice.rows_changed', 'yes', true);
	END IF;
	RETURN NULL;
END;
$$;
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER "clients_changed" AFTER UPDATE OR DELETE ON "clients" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "count_row_change"();
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER "client_tokens_changed" AFTER UPDATE OR DELETE ON "client_tokens" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "count_row_change"();
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER "api_keys_changed" AFTER UPDATE OR DELETE ON "api_keys" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "count_row_change"();
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER "old_secrets_changed" AFTER INSERT OR UPDATE OR DELETE ON "old_secrets" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "count_row_change"();
--> statement-breakpoint
CREATE FUNCTION "refuse_audit_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'the audit trail is append-only';
END;
$$;
--> statement-breakpoint
CREATE TRIGGER "audit_entries_changed" BEFORE UPDATE OR DELETE ON "audit_entries" FOR EACH ROW EXECUTE FUNCTION "refuse_audit_change"();
--> statement-breakpoint
CREATE TRIGGER "audit_entries_emptied" BEFORE TRUNCATE ON "audit_entries" FOR EACH STATEMENT EXECUTE FUNCTION "refuse_audit_change"();
--> statement-breakpoint
CREATE FUNCTION "check_audit_entry"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NEW."id" <= greatest((SELECT "highest" FROM "audit_highest"), (SELECT max("id") FROM "audit_entries"))
		OR NEW."previous_hash" <> coalesce((SELECT "hash" FROM "audit_entries" ORDER BY "id" DESC LIMIT 1), repeat('0', 64))
	THEN
		RAISE EXCEPTION 'the audit trail is append-only';
	END IF;
	UPDATE "audit_highest" SET "highest" = NEW."id";
	RETURN NEW;
END;
$$;
--> statement-breakpoint
CREATE TRIGGER "audit_entries_inserted" BEFORE INSERT ON "audit_entries" FOR EACH ROW EXECUTE FUNCTION "check_audit_entry"();
