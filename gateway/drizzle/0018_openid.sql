CREATE TABLE `openid_identities` (
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`admin_id` integer NOT NULL,
	`created_at_ms` integer NOT NULL,
	PRIMARY KEY(`issuer`, `subject`),
	FOREIGN KEY (`admin_id`) REFERENCES `admins`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `openid_identities_admin` ON `openid_identities` (`admin_id`,`issuer`);