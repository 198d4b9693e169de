-- AlterTable
ALTER TABLE "command" ADD COLUMN     "owner_id" UUID,
ADD COLUMN     "owner_until" TIMESTAMPTZ(3),
ADD COLUMN     "refused" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "retry_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "command_transition" ADD COLUMN     "wake" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "token" ADD COLUMN     "command_groups" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- CreateIndex
CREATE INDEX "command_state_idx" ON "command"("state");
