-- AlterTable
ALTER TABLE "drive" ADD COLUMN     "place_defaults" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "place_work" (
    "vehicle_id" UUID NOT NULL,
    "stage" TEXT NOT NULL DEFAULT 'drive',
    "after_id" UUID,

    CONSTRAINT "place_work_pkey" PRIMARY KEY ("vehicle_id")
);

-- AddForeignKey
ALTER TABLE "place_work" ADD CONSTRAINT "place_work_vehicle_id_fkey" FOREIGN KEY ("vehicle_id") REFERENCES "vehicle"("id") ON DELETE CASCADE ON UPDATE CASCADE;
