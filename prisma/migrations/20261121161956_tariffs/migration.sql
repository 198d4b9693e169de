-- AlterTable
ALTER TABLE "charge" ADD COLUMN     "cost_breakdown" JSONB,
ADD COLUMN     "tariff_id" UUID;

-- AlterTable
ALTER TABLE "place" ADD COLUMN     "tariff_id" UUID;

-- CreateTable
CREATE TABLE "tariff" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "timezone" TEXT NOT NULL,
    "default_rate" DECIMAL(14,6) NOT NULL,
    "rules" JSONB NOT NULL DEFAULT '[]',
    "place_id" UUID,
    "valid_from" TIMESTAMPTZ(3),
    "valid_to" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "tariff_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "tariff_account_id_created_at_id_idx" ON "tariff"("account_id", "created_at" DESC, "id" DESC);

-- AddForeignKey
ALTER TABLE "charge" ADD CONSTRAINT "charge_tariff_id_fkey" FOREIGN KEY ("tariff_id") REFERENCES "tariff"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "place" ADD CONSTRAINT "place_tariff_id_fkey" FOREIGN KEY ("tariff_id") REFERENCES "tariff"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tariff" ADD CONSTRAINT "tariff_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tariff" ADD CONSTRAINT "tariff_place_id_fkey" FOREIGN KEY ("place_id") REFERENCES "place"("id") ON DELETE SET NULL ON UPDATE CASCADE;
