CREATE TABLE `queue_minutes` (
	`at_ms` integer NOT NULL,
	`exchange` text NOT NULL,
	`cancels` integer NOT NULL,
	`lookups` integer NOT NULL,
	`orders` integer NOT NULL,
	`account_reads` integer NOT NULL,
	`market_reads` integer NOT NULL,
	`sent` integer NOT NULL,
	PRIMARY KEY(`at_ms`, `exchange`)
);
