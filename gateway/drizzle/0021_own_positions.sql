CREATE TABLE `own_position_orders` (
	`id` integer PRIMARY KEY NOT NULL,
	`client_ref` integer NOT NULL,
	`exchange` text NOT NULL,
	`keys_ref` integer NOT NULL,
	`place` text NOT NULL,
	`side` text NOT NULL,
	`does` text NOT NULL,
	`kind` text NOT NULL,
	`is_one_way` integer NOT NULL,
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
CREATE INDEX `own_position_orders_client` ON `own_position_orders` (`client_ref`);