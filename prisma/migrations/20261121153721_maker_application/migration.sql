-- CreateEnum
CREATE TYPE "registration_status" AS ENUM ('NOT_REGISTERED', 'REGISTERED', 'KEY_MISMATCH', 'KEY_UNREACHABLE', 'DOMAIN_REFUSED', 'CLIENT_REFUSED', 'UNREACHABLE', 'FAILED');

-- CreateEnum
CREATE TYPE "telemetry_status" AS ENUM ('NOT_CONFIGURED', 'PENDING', 'SYNCED', 'OTHER', 'SKIPPED', 'FAILED');

-- AlterTable
ALTER TABLE "vehicle" ADD COLUMN     "key_checked_at" TIMESTAMPTZ(3),
ADD COLUMN     "telemetry_checked_at" TIMESTAMPTZ(3),
ADD COLUMN     "telemetry_expires_at" TIMESTAMPTZ(3),
ADD COLUMN     "telemetry_reason" TEXT,
ADD COLUMN     "telemetry_status" "telemetry_status";

-- CreateTable
CREATE TABLE "maker_key" (
    "maker" TEXT NOT NULL,
    "public_key" TEXT NOT NULL,
    "private_key" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "maker_key_pkey" PRIMARY KEY ("maker")
);

-- CreateTable
CREATE TABLE "maker_registration" (
    "maker" TEXT NOT NULL,
    "region" "region" NOT NULL,
    "domain" TEXT NOT NULL,
    "status" "registration_status" NOT NULL,
    "detail" TEXT,
    "tried_at" TIMESTAMPTZ(3) NOT NULL,
    "registered_at" TIMESTAMPTZ(3),

    CONSTRAINT "maker_registration_pkey" PRIMARY KEY ("maker","region")
);
