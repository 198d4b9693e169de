-- AlterTable
ALTER TABLE "parked_span" ADD COLUMN     "drain_pct_per_day" DOUBLE PRECISION,
ADD COLUMN     "energy_lost_kwh" DOUBLE PRECISION,
ADD COLUMN     "preconditioning_minutes" DOUBLE PRECISION NOT NULL DEFAULT 0,
ADD COLUMN     "reasons" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "sentry_minutes" DOUBLE PRECISION NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "track_batch" ADD COLUMN     "detail" BYTEA;
