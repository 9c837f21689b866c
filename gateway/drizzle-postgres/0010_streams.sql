CREATE TABLE "listen_keys" (
	"hash" text COLLATE "C" PRIMARY KEY NOT NULL,
	"client_ref" bigint NOT NULL CONSTRAINT "listen_keys_client_ref_clients_id_fk" REFERENCES "public"."clients"("id") ON DELETE cascade,
	"created_at_ms" bigint NOT NULL,
	"expires_at_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "stream_events" (
	"seq" bigint PRIMARY KEY NOT NULL,
	"account_ref" bigint NOT NULL,
	"owner_ref" bigint,
	"type" text COLLATE "C" NOT NULL,
	"exchange" text COLLATE "C" NOT NULL,
	"market" text COLLATE "C" NOT NULL,
	"symbol" text COLLATE "C",
	"time_ms" bigint,
	"received_at_ms" bigint NOT NULL,
	"source" text COLLATE "C" NOT NULL,
	"data" text COLLATE "C" NOT NULL,
	"key" text COLLATE "C",
	"latest_of" text COLLATE "C"
);
--> statement-breakpoint
CREATE INDEX "listen_keys_client" ON "listen_keys" USING btree ("client_ref");--> statement-breakpoint
CREATE INDEX "listen_keys_expires" ON "listen_keys" USING btree ("expires_at_ms");--> statement-breakpoint
CREATE INDEX "stream_events_account" ON "stream_events" USING btree ("account_ref","seq");--> statement-breakpoint
CREATE INDEX "stream_events_received" ON "stream_events" USING btree ("received_at_ms");--> statement-breakpoint
CREATE INDEX "stream_events_latest" ON "stream_events" USING hash ("latest_of");