CREATE TABLE "lane_owners" (
	"exchange" text COLLATE "C" PRIMARY KEY NOT NULL,
	"fence" bigint NOT NULL,
	"node_id" text COLLATE "C" NOT NULL,
	"node_url" text COLLATE "C" NOT NULL,
	"since_ms" bigint NOT NULL
);
