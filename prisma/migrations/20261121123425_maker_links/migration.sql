-- AlterTable
ALTER TABLE "maker_account" ADD COLUMN     "renewal_id" UUID,
ADD COLUMN     "renewal_until" TIMESTAMPTZ(3),
ADD COLUMN     "token_generation" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "maker_link" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "maker_account_id" UUID,
    "maker" TEXT NOT NULL,
    "label" TEXT,
    "state_hash" TEXT NOT NULL,
    "code_verifier" TEXT NOT NULL,
    "redirect_url" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "maker_link_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "maker_link_state_hash_key" ON "maker_link"("state_hash");

-- CreateIndex
CREATE INDEX "maker_link_account_id_idx" ON "maker_link"("account_id");

-- CreateIndex
CREATE INDEX "maker_link_expires_at_idx" ON "maker_link"("expires_at");

-- AddForeignKey
ALTER TABLE "maker_link" ADD CONSTRAINT "maker_link_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "maker_link" ADD CONSTRAINT "maker_link_maker_account_id_fkey" FOREIGN KEY ("maker_account_id") REFERENCES "maker_account"("id") ON DELETE CASCADE ON UPDATE CASCADE;
