-- CreateEnum
CREATE TYPE "ScheduleKind" AS ENUM ('CHARGE', 'PRECONDITION');

-- AlterTable
ALTER TABLE "vehicle" ADD COLUMN     "particulars_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "alert" (
    "id" UUID NOT NULL,
    "vehicle_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "audiences" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "text" TEXT,
    "raised_at" TIMESTAMPTZ(3) NOT NULL,
    "cleared_at" TIMESTAMPTZ(3),
    "simulated" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "alert_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "vehicle_driver" (
    "vehicle_id" UUID NOT NULL,
    "maker_user_id" TEXT NOT NULL,
    "first_name" TEXT,
    "last_name" TEXT,
    "observed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "vehicle_driver_pkey" PRIMARY KEY ("vehicle_id","maker_user_id")
);

-- CreateTable
CREATE TABLE "vehicle_schedule" (
    "vehicle_id" UUID NOT NULL,
    "kind" "ScheduleKind" NOT NULL,
    "number" BIGINT NOT NULL,
    "name" TEXT,
    "days" INTEGER NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    "one_time" BOOLEAN NOT NULL,
    "start_minute" INTEGER,
    "end_minute" INTEGER,
    "latitude" DOUBLE PRECISION,
    "longitude" DOUBLE PRECISION,
    "observed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "vehicle_schedule_pkey" PRIMARY KEY ("vehicle_id","kind","number")
);

-- CreateIndex
CREATE INDEX "alert_vehicle_id_raised_at_id_idx" ON "alert"("vehicle_id", "raised_at" DESC, "id" DESC);

-- AddForeignKey
ALTER TABLE "alert" ADD CONSTRAINT "alert_vehicle_id_fkey" FOREIGN KEY ("vehicle_id") REFERENCES "vehicle"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "vehicle_driver" ADD CONSTRAINT "vehicle_driver_vehicle_id_fkey" FOREIGN KEY ("vehicle_id") REFERENCES "vehicle"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "vehicle_schedule" ADD CONSTRAINT "vehicle_schedule_vehicle_id_fkey" FOREIGN KEY ("vehicle_id") REFERENCES "vehicle"("id") ON DELETE CASCADE ON UPDATE CASCADE;
