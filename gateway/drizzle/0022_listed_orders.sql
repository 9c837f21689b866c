ALTER TABLE `log_minutes` ADD `refused` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `request_logs` ADD `message` text;--> statement-breakpoint
ALTER TABLE `order_journal` ADD `symbol` text;--> statement-breakpoint
ALTER TABLE `order_journal` ADD `side` text;--> statement-breakpoint
ALTER TABLE `order_journal` ADD `kind` text;--> statement-breakpoint
ALTER TABLE `order_journal` ADD `quantity` text;--> statement-breakpoint
ALTER TABLE `order_journal` ADD `price` text;--> statement-breakpoint
ALTER TABLE `order_journal` ADD `amount` text;--> statement-breakpoint
ALTER TABLE `order_journal` ADD `filled` text;--> statement-breakpoint
ALTER TABLE `order_journal` ADD `average_price` text;--> statement-breakpoint
CREATE INDEX `order_journal_symbol` ON `order_journal` (`symbol`,`created_at_ms`) WHERE symbol is not null;