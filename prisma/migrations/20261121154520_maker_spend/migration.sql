-- CreateEnum
CREATE TYPE "spend_category" AS ENUM ('SIGNAL', 'DATA', 'COMMAND', 'WAKE');

-- AlterTable
ALTER TABLE "command" ADD COLUMN     "cost_commands" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "cost_data" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "cost_wakes" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "override_budget" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "maker_account" ADD COLUMN     "budget_limit" DECIMAL(12,2),
ADD COLUMN     "command_limit" INTEGER,
ADD COLUMN     "data_limit" INTEGER,
ADD COLUMN     "exhausted_told_for" TIMESTAMPTZ(3),
ADD COLUMN     "threshold_told_for" TIMESTAMPTZ(3),
ADD COLUMN     "wake_limit" INTEGER;

-- CreateTable
CREATE TABLE "maker_spend" (
    "account_id" UUID NOT NULL,
    "maker" TEXT NOT NULL,
    "maker_subject" TEXT NOT NULL,
    "period" TIMESTAMPTZ(3) NOT NULL,
    "category" "spend_category" NOT NULL,
    "used" INTEGER NOT NULL,

    CONSTRAINT "maker_spend_pkey" PRIMARY KEY ("account_id","maker","maker_subject","period","category")
);

-- AddForeignKey
ALTER TABLE "maker_spend" ADD CONSTRAINT "maker_spend_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;
