-- AlterTable
ALTER TABLE "maker_account" ADD COLUMN     "listed_at" TIMESTAMPTZ(3);

-- Where there are vehicles of a link they were taken over when it was made.
UPDATE "maker_account" SET "listed_at" = "created_at"
WHERE EXISTS (SELECT 1 FROM "vehicle" WHERE "vehicle"."maker_account_id" = "maker_account"."id");

-- AlterTable
ALTER TABLE "vehicle" ADD COLUMN     "left_open_minutes" INTEGER NOT NULL DEFAULT 10;
