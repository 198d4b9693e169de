-- AlterTable
ALTER TABLE "charge" ADD COLUMN     "trip_pinned" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "drive" ADD COLUMN     "made_by_id" UUID,
ADD COLUMN     "replaced_by_id" UUID,
ADD COLUMN     "trip_pinned" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "trip" ADD COLUMN     "made_by_id" UUID,
ADD COLUMN     "pinned" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "history_edit" (
    "id" UUID NOT NULL,
    "vehicle_id" UUID NOT NULL,
    "ordinal" BIGSERIAL NOT NULL,
    "kind" TEXT NOT NULL,
    "subjects" UUID[],
    "undoing" JSONB NOT NULL,
    "actor" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "undone_at" TIMESTAMPTZ(3),

    CONSTRAINT "history_edit_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "history_edit_vehicle_id_created_at_id_idx" ON "history_edit"("vehicle_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "history_edit_subjects_idx" ON "history_edit" USING GIN ("subjects");

-- CreateIndex
CREATE INDEX "drive_made_by_id_idx" ON "drive"("made_by_id");

-- CreateIndex
CREATE INDEX "drive_replaced_by_id_idx" ON "drive"("replaced_by_id");

-- AddForeignKey
ALTER TABLE "history_edit" ADD CONSTRAINT "history_edit_vehicle_id_fkey" FOREIGN KEY ("vehicle_id") REFERENCES "vehicle"("id") ON DELETE CASCADE ON UPDATE CASCADE;
