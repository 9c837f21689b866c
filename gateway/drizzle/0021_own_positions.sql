CREATE TABLE `removed_keys` (
	`client_ref` integer NOT NULL,
	`exchange` text NOT NULL,
	`account_uid` text NOT NULL,
	`account_ref` integer NOT NULL,
	PRIMARY KEY(`client_ref`, `exchange`),
	FOREIGN KEY (`client_ref`) REFERENCES `clients`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `own_position_orders` (
	`id` integer PRIMARY KEY NOT NULL,
	`client_ref` integer NOT NULL,
	`exchange` text NOT NULL,
	`keys_ref` integer NOT NULL,
	`place` text NOT NULL,
	`side` text NOT NULL,
	`does` text NOT NULL,
	`exit_kind` text,
	`has_attached_exit` integer NOT NULL,
	`is_netting` integer NOT NULL,
	`is_either_side` integer NOT NULL,
	`journal_id` text,
	`order_key` text,
	`order_id` text,
	`client_order_id` text,
	`asked` text,
	`filled` text NOT NULL,
	`counted` text NOT NULL,
	`is_final` integer NOT NULL,
	`placed_at_ms` integer NOT NULL,
	FOREIGN KEY (`client_ref`) REFERENCES `clients`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `own_position_orders_client` ON `own_position_orders` (`client_ref`);--> statement-breakpoint
ALTER TABLE `api_keys` ADD `account_uid` text;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `account_ref` integer;