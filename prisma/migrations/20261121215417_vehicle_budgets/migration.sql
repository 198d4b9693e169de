-- AlterTable
ALTER TABLE "vehicle" DROP COLUMN "year",
ADD COLUMN     "bills_at" TIMESTAMPTZ(3),
ADD COLUMN     "budget" DECIMAL(12,2),
ADD COLUMN     "exhausted_told_for" TIMESTAMPTZ(3),
ADD COLUMN     "threshold_told_for" TIMESTAMPTZ(3);

-- The rounds so far were made with those for alerts and drivers.
UPDATE "vehicle" SET "bills_at" = "particulars_at";

-- CreateTable
CREATE TABLE "vehicle_spend" (
    "vehicle_id" UUID NOT NULL,
    "period" TIMESTAMPTZ(3) NOT NULL,
    "category" "spend_category" NOT NULL,
    "used" INTEGER NOT NULL,

    CONSTRAINT "vehicle_spend_pkey" PRIMARY KEY ("vehicle_id","period","category")
);

-- AddForeignKey
ALTER TABLE "vehicle_spend" ADD CONSTRAINT "vehicle_spend_vehicle_id_fkey" FOREIGN KEY ("vehicle_id") REFERENCES "vehicle"("id") ON DELETE CASCADE ON UPDATE CASCADE;
