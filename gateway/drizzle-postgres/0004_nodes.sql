CREATE TABLE "nodes" (
	"node_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"node_url" text COLLATE "C" NOT NULL,
	"version" text COLLATE "C" NOT NULL,
	"started_at_ms" bigint NOT NULL,
	"seen_at_ms" bigint NOT NULL,
	"is_leaving" boolean NOT NULL,
	"key_ids" text COLLATE "C" NOT NULL,
	"clock_offset_ms" bigint
);
