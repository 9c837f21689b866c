ALTER TABLE "log_minutes" ADD COLUMN "refused" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "request_logs" ADD COLUMN "message" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "order_journal" ADD COLUMN "symbol" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "order_journal" ADD COLUMN "side" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "order_journal" ADD COLUMN "kind" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "order_journal" ADD COLUMN "quantity" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "order_journal" ADD COLUMN "price" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "order_journal" ADD COLUMN "amount" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "order_journal" ADD COLUMN "filled" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "order_journal" ADD COLUMN "average_price" text COLLATE "C";--> statement-breakpoint
CREATE INDEX CONCURRENTLY "order_journal_symbol" ON "order_journal" USING btree ("symbol","created_at_ms") WHERE symbol is not null;