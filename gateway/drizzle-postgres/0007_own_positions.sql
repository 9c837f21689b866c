CREATE TABLE "removed_keys" (
	"client_ref" bigint NOT NULL CONSTRAINT "removed_keys_client_ref_clients_id_fk" REFERENCES "public"."clients"("id") ON DELETE cascade,
	"exchange" text COLLATE "C" NOT NULL,
	"account_uid" text COLLATE "C" NOT NULL,
	"account_ref" bigint NOT NULL,
	CONSTRAINT "removed_keys_client_ref_exchange_pk" PRIMARY KEY("client_ref","exchange")
);
--> statement-breakpoint
CREATE TABLE "own_position_orders" (
	"id" bigint PRIMARY KEY NOT NULL,
	"client_ref" bigint NOT NULL CONSTRAINT "own_position_orders_client_ref_clients_id_fk" REFERENCES "public"."clients"("id") ON DELETE cascade,
	"exchange" text COLLATE "C" NOT NULL,
	"keys_ref" bigint NOT NULL,
	"place" text COLLATE "C" NOT NULL,
	"side" text COLLATE "C" NOT NULL,
	"does" text COLLATE "C" NOT NULL,
	"exit_kind" text COLLATE "C",
	"has_attached_exit" boolean NOT NULL,
	"is_netting" boolean NOT NULL,
	"is_either_side" boolean NOT NULL,
	"journal_id" text COLLATE "C",
	"order_key" text COLLATE "C",
	"order_id" text COLLATE "C",
	"client_order_id" text COLLATE "C",
	"asked" text COLLATE "C",
	"filled" text COLLATE "C" NOT NULL,
	"counted" text COLLATE "C" NOT NULL,
	"is_final" boolean NOT NULL,
	"placed_at_ms" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "account_uid" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "account_ref" bigint;--> statement-breakpoint
CREATE INDEX "own_position_orders_client" ON "own_position_orders" USING btree ("client_ref");