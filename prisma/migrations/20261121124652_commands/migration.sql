-- AlterTable
ALTER TABLE "command" ADD COLUMN     "wake" BOOLEAN NOT NULL DEFAULT true;

-- CreateTable
CREATE TABLE "idempotency_key" (
    "credential_id" UUID NOT NULL,
    "route" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "request_hash" TEXT NOT NULL,
    "command_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_key_pkey" PRIMARY KEY ("credential_id","route","key")
);

-- CreateIndex
CREATE INDEX "idempotency_key_created_at_idx" ON "idempotency_key"("created_at");

-- AddForeignKey
ALTER TABLE "idempotency_key" ADD CONSTRAINT "idempotency_key_command_id_fkey" FOREIGN KEY ("command_id") REFERENCES "command"("id") ON DELETE CASCADE ON UPDATE CASCADE;
