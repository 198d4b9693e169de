-- CreateTable
CREATE TABLE "address" (
    "vehicle_id" UUID NOT NULL,
    "lat_cell" INTEGER NOT NULL,
    "lon_cell" INTEGER NOT NULL,
    "latitude" DOUBLE PRECISION NOT NULL,
    "longitude" DOUBLE PRECISION NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'WAITING',
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "asked_at" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "name" TEXT,
    "road" TEXT,
    "house_number" TEXT,
    "postcode" TEXT,
    "city" TEXT,
    "county" TEXT,
    "region" TEXT,
    "country_code" TEXT,
    "display" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "address_pkey" PRIMARY KEY ("vehicle_id","lat_cell","lon_cell")
);

-- CreateIndex
CREATE INDEX "address_state_due_at_idx" ON "address"("state", "due_at");

-- CreateIndex
CREATE INDEX "address_asked_at_idx" ON "address"("asked_at");

-- AddForeignKey
ALTER TABLE "address" ADD CONSTRAINT "address_vehicle_id_fkey" FOREIGN KEY ("vehicle_id") REFERENCES "vehicle"("id") ON DELETE CASCADE ON UPDATE CASCADE;
