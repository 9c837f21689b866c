CREATE TABLE `order_names` (
	`order_ref` text NOT NULL,
	`name` text NOT NULL,
	PRIMARY KEY(`order_ref`, `name`),
	FOREIGN KEY (`order_ref`) REFERENCES `order_journal`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `order_names_name` ON `order_names` (`name`);--> statement-breakpoint
ALTER TABLE `order_journal` ADD `order_id` text;--> statement-breakpoint
ALTER TABLE `order_journal` ADD `events` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `order_journal_client_order` ON `order_journal` (`client_order_id`) WHERE client_order_id is not null;--> statement-breakpoint
CREATE INDEX `order_journal_order` ON `order_journal` (`order_id`) WHERE order_id is not null;