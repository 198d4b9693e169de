-- CreateTable
CREATE TABLE "vehicle_stream" (
    "vehicle_id" UUID NOT NULL,
    "reduced_until" TIMESTAMPTZ(3) NOT NULL,
    "last_at" TIMESTAMPTZ(3),
    "newest_at" TIMESTAMPTZ(3),
    "received_at" TIMESTAMPTZ(3) NOT NULL,
    "late_from" TIMESTAMPTZ(3),
    "kept_from" TIMESTAMPTZ(3) NOT NULL,
    "due_at" TIMESTAMPTZ(3),

    CONSTRAINT "vehicle_stream_pkey" PRIMARY KEY ("vehicle_id")
);

-- CreateTable
CREATE TABLE "vehicle_checkpoint" (
    "vehicle_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "last_at" TIMESTAMPTZ(3),
    "state" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "vehicle_checkpoint_pkey" PRIMARY KEY ("vehicle_id","at")
);

-- CreateTable
CREATE TABLE "ingest_record" (
    "vehicle_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "content" UUID NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL,
    "form" CHAR(1) NOT NULL,
    "data" TEXT NOT NULL,

    CONSTRAINT "ingest_record_pkey" PRIMARY KEY ("vehicle_id","at","content")
);

-- CreateTable
CREATE TABLE "ingest_token" (
    "id" UUID NOT NULL,
    "account_id" UUID,
    "name" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "last_four" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),
    "last_ip" TEXT,
    "revoked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ingest_token_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "vehicle_stream_due_at_idx" ON "vehicle_stream"("due_at");

-- CreateIndex
CREATE UNIQUE INDEX "ingest_token_hash_key" ON "ingest_token"("hash");

-- CreateIndex
CREATE INDEX "ingest_token_account_id_created_at_id_idx" ON "ingest_token"("account_id", "created_at" DESC, "id" DESC);

-- AddForeignKey
ALTER TABLE "vehicle_stream" ADD CONSTRAINT "vehicle_stream_vehicle_id_fkey" FOREIGN KEY ("vehicle_id") REFERENCES "vehicle"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "vehicle_checkpoint" ADD CONSTRAINT "vehicle_checkpoint_vehicle_id_fkey" FOREIGN KEY ("vehicle_id") REFERENCES "vehicle"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ingest_record" ADD CONSTRAINT "ingest_record_vehicle_id_fkey" FOREIGN KEY ("vehicle_id") REFERENCES "vehicle"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ingest_token" ADD CONSTRAINT "ingest_token_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE SET NULL ON UPDATE CASCADE;
