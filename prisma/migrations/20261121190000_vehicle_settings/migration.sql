-- CreateEnum
CREATE TYPE "poll_profile" AS ENUM ('NORMAL', 'SPARING', 'LIST_ONLY');

-- What a vehicle was called so far is the maker's word.
ALTER TABLE "vehicle" RENAME COLUMN "name" TO "maker_name";

-- AlterTable
ALTER TABLE "vehicle" ADD COLUMN     "name" TEXT,
ADD COLUMN     "poll_profile" "poll_profile" NOT NULL DEFAULT 'NORMAL';
