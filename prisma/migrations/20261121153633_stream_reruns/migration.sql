-- AlterTable
ALTER TABLE "vehicle_stream" ADD COLUMN     "failed_since" TIMESTAMPTZ(3),
ADD COLUMN     "failure" TEXT,
ADD COLUMN     "failures" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "retry_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "vehicle_rerun" (
    "vehicle_id" UUID NOT NULL,
    "base_at" TIMESTAMPTZ(3) NOT NULL,
    "late_from" TIMESTAMPTZ(3) NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "last_at" TIMESTAMPTZ(3),
    "checkpoint_at" TIMESTAMPTZ(3) NOT NULL,
    "state" JSONB NOT NULL,
    "folded" JSONB NOT NULL,

    CONSTRAINT "vehicle_rerun_pkey" PRIMARY KEY ("vehicle_id")
);

-- AddForeignKey
ALTER TABLE "vehicle_rerun" ADD CONSTRAINT "vehicle_rerun_vehicle_id_fkey" FOREIGN KEY ("vehicle_id") REFERENCES "vehicle"("id") ON DELETE CASCADE ON UPDATE CASCADE;
