-- CreateEnum
CREATE TYPE "region" AS ENUM ('NA', 'EU', 'CN', 'SIM');

-- CreateEnum
CREATE TYPE "maker_account_status" AS ENUM ('PENDING', 'ACTIVE', 'REFRESHING', 'NEEDS_REAUTH', 'MISSING_SCOPES', 'LOCKED', 'REVOKED', 'ERROR');

-- CreateEnum
CREATE TYPE "access_type" AS ENUM ('OWNER', 'DRIVER', 'GUEST');

-- CreateEnum
CREATE TYPE "vehicle_status" AS ENUM ('ONLINE', 'ASLEEP', 'OFFLINE', 'WAITING_FOR_SLEEP', 'DRIVING', 'CHARGING', 'UPDATING', 'IN_SERVICE', 'UNKNOWN');

-- CreateEnum
CREATE TYPE "connectivity" AS ENUM ('ONLINE', 'ASLEEP', 'OFFLINE');

-- CreateEnum
CREATE TYPE "battery_chemistry" AS ENUM ('NMC', 'LFP', 'NCA', 'UNKNOWN');

-- CreateEnum
CREATE TYPE "source" AS ENUM ('STREAM', 'POLL', 'COMMAND', 'IMPORT');

-- CreateEnum
CREATE TYPE "drive_state" AS ENUM ('ONGOING', 'ENDED', 'INCOMPLETE', 'DISCARDED');

-- CreateEnum
CREATE TYPE "drive_purpose" AS ENUM ('PERSONAL', 'BUSINESS', 'COMMUTE');

-- CreateEnum
CREATE TYPE "charge_state" AS ENUM ('ONGOING', 'COMPLETE', 'STOPPED', 'INCOMPLETE', 'DISCARDED');

-- CreateEnum
CREATE TYPE "charge_kind" AS ENUM ('AC', 'DC');

-- CreateEnum
CREATE TYPE "charge_network" AS ENUM ('MAKER_FAST', 'THIRD_PARTY', 'HOME', 'WORK', 'UNKNOWN');

-- CreateEnum
CREATE TYPE "cost_method" AS ENUM ('MANUAL', 'TARIFF', 'INVOICE', 'FREE', 'NONE');

-- CreateEnum
CREATE TYPE "trip_state" AS ENUM ('ONGOING', 'ENDED');

-- CreateEnum
CREATE TYPE "place_kind" AS ENUM ('HOME', 'WORK', 'FAVORITE', 'CHARGER', 'OTHER');

-- CreateEnum
CREATE TYPE "installation_state" AS ENUM ('AVAILABLE', 'DOWNLOADING', 'WAITING_WIFI', 'SCHEDULED', 'INSTALLING', 'INSTALLED', 'CANCELLED');

-- CreateEnum
CREATE TYPE "command_state" AS ENUM ('QUEUED', 'WAKING', 'SENDING', 'ACKNOWLEDGED', 'SUCCEEDED', 'FAILED', 'REJECTED', 'CANCELLED', 'TIMED_OUT', 'UNKNOWN');

-- CreateEnum
CREATE TYPE "command_via" AS ENUM ('GRAPHQL', 'REST', 'LEGACY', 'FLEET_PROXY', 'MCP');

-- CreateEnum
CREATE TYPE "command_confirm" AS ENUM ('NONE', 'ACK', 'VERIFY');

-- CreateEnum
CREATE TYPE "location_precision" AS ENUM ('EXACT', 'APPROXIMATE', 'HIDDEN');

-- CreateTable
CREATE TABLE "account" (
    "id" UUID NOT NULL,
    "email" TEXT,
    "email_verified" BOOLEAN NOT NULL DEFAULT false,
    "name" TEXT NOT NULL,
    "locale" TEXT NOT NULL DEFAULT 'en',
    "timezone" TEXT NOT NULL DEFAULT 'UTC',
    "country" TEXT,
    "preferences" JSONB NOT NULL DEFAULT '{}',
    "simulated" BOOLEAN NOT NULL DEFAULT false,
    "event_position" BIGINT NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "maker_account" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "maker" TEXT NOT NULL,
    "region" "region" NOT NULL,
    "label" TEXT,
    "email_masked" TEXT,
    "maker_subject" TEXT NOT NULL,
    "base_url" TEXT NOT NULL,
    "status" "maker_account_status" NOT NULL,
    "granted_scopes" TEXT[],
    "missing_scopes" TEXT[],
    "access_token" TEXT,
    "refresh_token" TEXT,
    "previous_tokens" TEXT,
    "access_expires_at" TIMESTAMPTZ(3),
    "refresh_expires_at" TIMESTAMPTZ(3),
    "last_refreshed_at" TIMESTAMPTZ(3),
    "last_error_code" TEXT,
    "last_error_at" TIMESTAMPTZ(3),
    "simulated" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "maker_account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "vehicle" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "maker_account_id" UUID,
    "public_id" TEXT NOT NULL,
    "vin" TEXT NOT NULL,
    "name" TEXT,
    "maker" TEXT NOT NULL,
    "maker_vehicle_id" TEXT,
    "access_type" "access_type",
    "model" TEXT,
    "model_code" TEXT,
    "trim" TEXT,
    "year" INTEGER,
    "marketing_name" TEXT,
    "exterior_color" TEXT,
    "wheel_type" TEXT,
    "spoiler_type" TEXT,
    "roof_color" TEXT,
    "right_hand_drive" BOOLEAN,
    "charge_port_type" TEXT,
    "driver_assist_hw" TEXT,
    "usable_capacity_kwh" DOUBLE PRECISION,
    "original_capacity_kwh" DOUBLE PRECISION,
    "battery_chemistry" "battery_chemistry" NOT NULL DEFAULT 'UNKNOWN',
    "efficiency_wh_per_km" DOUBLE PRECISION,
    "capabilities" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "status" "vehicle_status" NOT NULL DEFAULT 'UNKNOWN',
    "status_since" TIMESTAMPTZ(3),
    "connectivity" "connectivity",
    "last_seen_at" TIMESTAMPTZ(3),
    "logging" BOOLEAN NOT NULL DEFAULT true,
    "sleep_aware" BOOLEAN NOT NULL DEFAULT true,
    "allow_unlock" BOOLEAN NOT NULL DEFAULT false,
    "allow_controls" BOOLEAN NOT NULL DEFAULT true,
    "calculate_cost" BOOLEAN NOT NULL DEFAULT true,
    "location_precision" "location_precision" NOT NULL DEFAULT 'EXACT',
    "key_paired" BOOLEAN,
    "command_protocol_required" BOOLEAN,
    "total_keys" INTEGER,
    "simulated" BOOLEAN NOT NULL DEFAULT false,
    "event_sequence" BIGINT NOT NULL DEFAULT 0,
    "archived_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "vehicle_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "vehicle_slug" (
    "slug" TEXT NOT NULL,
    "vehicle_id" UUID NOT NULL,

    CONSTRAINT "vehicle_slug_pkey" PRIMARY KEY ("slug")
);

-- CreateTable
CREATE TABLE "vehicle_state" (
    "vehicle_id" UUID NOT NULL,
    "sections" JSONB NOT NULL,
    "raw" JSONB NOT NULL DEFAULT '{}',
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "vehicle_state_pkey" PRIMARY KEY ("vehicle_id")
);

-- CreateTable
CREATE TABLE "vehicle_machine" (
    "vehicle_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "state" JSONB NOT NULL,
    "applied_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "vehicle_machine_pkey" PRIMARY KEY ("vehicle_id")
);

-- CreateTable
CREATE TABLE "drive" (
    "id" UUID NOT NULL,
    "vehicle_id" UUID NOT NULL,
    "trip_id" UUID,
    "state" "drive_state" NOT NULL,
    "discard_reason" TEXT,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "duration_s" INTEGER,
    "start_latitude" DOUBLE PRECISION,
    "start_longitude" DOUBLE PRECISION,
    "end_latitude" DOUBLE PRECISION,
    "end_longitude" DOUBLE PRECISION,
    "start_place_id" UUID,
    "end_place_id" UUID,
    "start_odometer_km" DOUBLE PRECISION,
    "end_odometer_km" DOUBLE PRECISION,
    "start_battery_level_pct" DOUBLE PRECISION,
    "end_battery_level_pct" DOUBLE PRECISION,
    "start_usable_battery_level_pct" DOUBLE PRECISION,
    "end_usable_battery_level_pct" DOUBLE PRECISION,
    "start_range_rated_km" DOUBLE PRECISION,
    "end_range_rated_km" DOUBLE PRECISION,
    "distance_km" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "odometer_distance_km" DOUBLE PRECISION,
    "energy_used_kwh" DOUBLE PRECISION,
    "energy_regen_kwh" DOUBLE PRECISION,
    "efficiency_wh_per_km" DOUBLE PRECISION,
    "reduced_range" BOOLEAN NOT NULL DEFAULT false,
    "is_precise" BOOLEAN NOT NULL DEFAULT false,
    "speed_max_kmh" DOUBLE PRECISION,
    "speed_avg_kmh" DOUBLE PRECISION,
    "power_max_kw" DOUBLE PRECISION,
    "power_min_kw" DOUBLE PRECISION,
    "ascent_m" DOUBLE PRECISION,
    "descent_m" DOUBLE PRECISION,
    "inside_temp_avg_c" DOUBLE PRECISION,
    "outside_temp_avg_c" DOUBLE PRECISION,
    "self_driving_distance_km" DOUBLE PRECISION,
    "sample_count" INTEGER NOT NULL DEFAULT 0,
    "tags" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "purpose" "drive_purpose",
    "note" TEXT,
    "driver" TEXT,
    "cost_amount" DECIMAL(14,4),
    "cost_currency" TEXT,
    "cost_method" "cost_method" NOT NULL DEFAULT 'NONE',
    "source" "source" NOT NULL,
    "simulated" BOOLEAN NOT NULL DEFAULT false,
    "edited_at" TIMESTAMPTZ(3),
    "deleted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "drive_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "charge" (
    "id" UUID NOT NULL,
    "vehicle_id" UUID NOT NULL,
    "place_id" UUID,
    "trip_id" UUID,
    "state" "charge_state" NOT NULL,
    "discard_reason" TEXT,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "duration_s" INTEGER,
    "latitude" DOUBLE PRECISION,
    "longitude" DOUBLE PRECISION,
    "kind" "charge_kind",
    "network" "charge_network" NOT NULL DEFAULT 'UNKNOWN',
    "start_battery_level_pct" DOUBLE PRECISION,
    "end_battery_level_pct" DOUBLE PRECISION,
    "start_range_rated_km" DOUBLE PRECISION,
    "end_range_rated_km" DOUBLE PRECISION,
    "energy_added_kwh" DOUBLE PRECISION,
    "energy_partial" BOOLEAN NOT NULL DEFAULT false,
    "energy_used_kwh" DOUBLE PRECISION,
    "efficiency_pct" DOUBLE PRECISION,
    "power_max_kw" DOUBLE PRECISION,
    "power_avg_kw" DOUBLE PRECISION,
    "odometer_km" DOUBLE PRECISION,
    "outside_temp_avg_c" DOUBLE PRECISION,
    "idle_minutes" DOUBLE PRECISION,
    "limit_pct" INTEGER,
    "sample_count" INTEGER NOT NULL DEFAULT 0,
    "tags" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "note" TEXT,
    "cost_amount" DECIMAL(14,4),
    "cost_currency" TEXT,
    "cost_method" "cost_method" NOT NULL DEFAULT 'NONE',
    "source" "source" NOT NULL,
    "simulated" BOOLEAN NOT NULL DEFAULT false,
    "edited_at" TIMESTAMPTZ(3),
    "deleted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "charge_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "charge_segment" (
    "charge_id" UUID NOT NULL,
    "ordinal" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "kind" "charge_kind" NOT NULL,
    "start_battery_level_pct" DOUBLE PRECISION,
    "end_battery_level_pct" DOUBLE PRECISION,
    "energy_added_kwh" DOUBLE PRECISION,
    "power_max_kw" DOUBLE PRECISION,

    CONSTRAINT "charge_segment_pkey" PRIMARY KEY ("charge_id","ordinal")
);

-- CreateTable
CREATE TABLE "trip" (
    "id" UUID NOT NULL,
    "vehicle_id" UUID NOT NULL,
    "name" TEXT,
    "auto" BOOLEAN NOT NULL DEFAULT true,
    "state" "trip_state" NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "distance_km" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "driving_s" INTEGER NOT NULL DEFAULT 0,
    "charging_s" INTEGER NOT NULL DEFAULT 0,
    "stopped_s" INTEGER NOT NULL DEFAULT 0,
    "energy_used_kwh" DOUBLE PRECISION,
    "energy_added_kwh" DOUBLE PRECISION,
    "efficiency_wh_per_km" DOUBLE PRECISION,
    "start_latitude" DOUBLE PRECISION,
    "start_longitude" DOUBLE PRECISION,
    "end_latitude" DOUBLE PRECISION,
    "end_longitude" DOUBLE PRECISION,
    "start_place_id" UUID,
    "end_place_id" UUID,
    "tags" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "simulated" BOOLEAN NOT NULL DEFAULT false,
    "deleted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "trip_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "place" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "kind" "place_kind" NOT NULL,
    "latitude" DOUBLE PRECISION NOT NULL,
    "longitude" DOUBLE PRECISION NOT NULL,
    "radius_m" DOUBLE PRECISION,
    "polygon" JSONB,
    "auto_tags" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "purpose_default" "drive_purpose",
    "notify_enter" BOOLEAN NOT NULL DEFAULT false,
    "notify_exit" BOOLEAN NOT NULL DEFAULT false,
    "hide_on_share" BOOLEAN NOT NULL DEFAULT false,
    "simulated" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "place_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "track_batch" (
    "vehicle_id" UUID NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3) NOT NULL,
    "count" INTEGER NOT NULL,
    "data" BYTEA NOT NULL,

    CONSTRAINT "track_batch_pkey" PRIMARY KEY ("vehicle_id","started_at")
);

-- CreateTable
CREATE TABLE "state_span" (
    "id" UUID NOT NULL,
    "vehicle_id" UUID NOT NULL,
    "status" "vehicle_status" NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "state_span_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "parked_span" (
    "id" UUID NOT NULL,
    "vehicle_id" UUID NOT NULL,
    "place_id" UUID,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "latitude" DOUBLE PRECISION,
    "longitude" DOUBLE PRECISION,
    "start_battery_level_pct" DOUBLE PRECISION,
    "end_battery_level_pct" DOUBLE PRECISION,
    "start_range_rated_km" DOUBLE PRECISION,
    "end_range_rated_km" DOUBLE PRECISION,
    "energy_added_kwh" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "simulated" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "parked_span_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "software_update" (
    "id" UUID NOT NULL,
    "version" TEXT NOT NULL,
    "commit" TEXT,
    "year" INTEGER,
    "week" INTEGER,
    "major" INTEGER,
    "minor" INTEGER,
    "early_access" BOOLEAN NOT NULL DEFAULT false,
    "first_seen_at" TIMESTAMPTZ(3) NOT NULL,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "software_update_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "software_installation" (
    "id" UUID NOT NULL,
    "vehicle_id" UUID NOT NULL,
    "software_update_id" UUID NOT NULL,
    "state" "installation_state" NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "simulated" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "software_installation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "command" (
    "id" UUID NOT NULL,
    "vehicle_id" UUID,
    "account_id" UUID NOT NULL,
    "vehicle_public_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "group" TEXT NOT NULL,
    "parameters" JSONB NOT NULL DEFAULT '{}',
    "state" "command_state" NOT NULL,
    "state_changed_at" TIMESTAMPTZ(3) NOT NULL,
    "requested_by_kind" TEXT NOT NULL,
    "requested_by_id" TEXT,
    "requested_by_name" TEXT,
    "via" "command_via" NOT NULL,
    "confirm" "command_confirm" NOT NULL DEFAULT 'VERIFY',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "wake_used" BOOLEAN NOT NULL DEFAULT false,
    "idempotency_key" TEXT,
    "no_op" BOOLEAN NOT NULL DEFAULT false,
    "verified" BOOLEAN,
    "maker_result" BOOLEAN,
    "maker_reason" TEXT,
    "failure_code" TEXT,
    "failure_message" TEXT,
    "retryable" BOOLEAN,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "completed_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "command_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "command_transition" (
    "command_id" UUID NOT NULL,
    "ordinal" INTEGER NOT NULL,
    "state" "command_state" NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "note" TEXT,

    CONSTRAINT "command_transition_pkey" PRIMARY KEY ("command_id","ordinal")
);

-- CreateTable
CREATE TABLE "event" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "position" BIGINT NOT NULL,
    "vehicle_id" UUID,
    "vehicle_public_id" TEXT,
    "sequence" BIGINT,
    "type" TEXT NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "data" JSONB NOT NULL,
    "previous" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "event_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "token" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "last_four" TEXT NOT NULL,
    "scopes" TEXT[],
    "vehicle_ids" UUID[] DEFAULT ARRAY[]::UUID[],
    "location_precision" "location_precision",
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),
    "last_ip" TEXT,
    "revoked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "token_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_key" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "hash" TEXT NOT NULL,
    "last_four" TEXT NOT NULL,
    "controls" BOOLEAN NOT NULL DEFAULT false,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit_entry" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "position" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "actor" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "object" TEXT,
    "details" JSONB NOT NULL DEFAULT '{}',
    "request_id" TEXT,
    "previous" TEXT NOT NULL,
    "hash" TEXT NOT NULL,

    CONSTRAINT "audit_entry_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "account_email_key" ON "account"("email");

-- CreateIndex
CREATE UNIQUE INDEX "maker_account_account_id_maker_maker_subject_key" ON "maker_account"("account_id", "maker", "maker_subject");

-- CreateIndex
CREATE UNIQUE INDEX "vehicle_public_id_key" ON "vehicle"("public_id");

-- CreateIndex
CREATE INDEX "vehicle_account_id_created_at_id_idx" ON "vehicle"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "vehicle_vin_idx" ON "vehicle"("vin");

-- CreateIndex
CREATE UNIQUE INDEX "vehicle_account_id_vin_key" ON "vehicle"("account_id", "vin");

-- CreateIndex
CREATE INDEX "vehicle_slug_vehicle_id_idx" ON "vehicle_slug"("vehicle_id");

-- CreateIndex
CREATE INDEX "drive_vehicle_id_started_at_id_idx" ON "drive"("vehicle_id", "started_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "drive_trip_id_idx" ON "drive"("trip_id");

-- CreateIndex
CREATE INDEX "charge_vehicle_id_started_at_id_idx" ON "charge"("vehicle_id", "started_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "charge_trip_id_idx" ON "charge"("trip_id");

-- CreateIndex
CREATE INDEX "trip_vehicle_id_started_at_id_idx" ON "trip"("vehicle_id", "started_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "place_account_id_created_at_id_idx" ON "place"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "state_span_vehicle_id_started_at_id_idx" ON "state_span"("vehicle_id", "started_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "parked_span_vehicle_id_started_at_id_idx" ON "parked_span"("vehicle_id", "started_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "software_update_version_key" ON "software_update"("version");

-- CreateIndex
CREATE INDEX "software_update_first_seen_at_version_idx" ON "software_update"("first_seen_at" DESC, "version" DESC);

-- CreateIndex
CREATE INDEX "software_installation_vehicle_id_seen_at_id_idx" ON "software_installation"("vehicle_id", "seen_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "software_installation_software_update_id_idx" ON "software_installation"("software_update_id");

-- CreateIndex
CREATE INDEX "command_vehicle_id_created_at_id_idx" ON "command"("vehicle_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "command_account_id_created_at_idx" ON "command"("account_id", "created_at" DESC);

-- CreateIndex
CREATE INDEX "event_created_at_idx" ON "event"("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "event_account_id_position_key" ON "event"("account_id", "position");

-- CreateIndex
CREATE UNIQUE INDEX "token_hash_key" ON "token"("hash");

-- CreateIndex
CREATE INDEX "token_account_id_created_at_id_idx" ON "token"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "api_key_hash_key" ON "api_key"("hash");

-- CreateIndex
CREATE INDEX "api_key_account_id_idx" ON "api_key"("account_id");

-- CreateIndex
CREATE UNIQUE INDEX "audit_entry_account_id_position_key" ON "audit_entry"("account_id", "position");

-- AddForeignKey
ALTER TABLE "maker_account" ADD CONSTRAINT "maker_account_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "vehicle" ADD CONSTRAINT "vehicle_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "vehicle" ADD CONSTRAINT "vehicle_maker_account_id_fkey" FOREIGN KEY ("maker_account_id") REFERENCES "maker_account"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "vehicle_slug" ADD CONSTRAINT "vehicle_slug_vehicle_id_fkey" FOREIGN KEY ("vehicle_id") REFERENCES "vehicle"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "vehicle_state" ADD CONSTRAINT "vehicle_state_vehicle_id_fkey" FOREIGN KEY ("vehicle_id") REFERENCES "vehicle"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "vehicle_machine" ADD CONSTRAINT "vehicle_machine_vehicle_id_fkey" FOREIGN KEY ("vehicle_id") REFERENCES "vehicle"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "drive" ADD CONSTRAINT "drive_vehicle_id_fkey" FOREIGN KEY ("vehicle_id") REFERENCES "vehicle"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "drive" ADD CONSTRAINT "drive_trip_id_fkey" FOREIGN KEY ("trip_id") REFERENCES "trip"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "drive" ADD CONSTRAINT "drive_start_place_id_fkey" FOREIGN KEY ("start_place_id") REFERENCES "place"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "drive" ADD CONSTRAINT "drive_end_place_id_fkey" FOREIGN KEY ("end_place_id") REFERENCES "place"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "charge" ADD CONSTRAINT "charge_vehicle_id_fkey" FOREIGN KEY ("vehicle_id") REFERENCES "vehicle"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "charge" ADD CONSTRAINT "charge_place_id_fkey" FOREIGN KEY ("place_id") REFERENCES "place"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "charge" ADD CONSTRAINT "charge_trip_id_fkey" FOREIGN KEY ("trip_id") REFERENCES "trip"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "charge_segment" ADD CONSTRAINT "charge_segment_charge_id_fkey" FOREIGN KEY ("charge_id") REFERENCES "charge"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "trip" ADD CONSTRAINT "trip_vehicle_id_fkey" FOREIGN KEY ("vehicle_id") REFERENCES "vehicle"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "trip" ADD CONSTRAINT "trip_start_place_id_fkey" FOREIGN KEY ("start_place_id") REFERENCES "place"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "trip" ADD CONSTRAINT "trip_end_place_id_fkey" FOREIGN KEY ("end_place_id") REFERENCES "place"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "place" ADD CONSTRAINT "place_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "track_batch" ADD CONSTRAINT "track_batch_vehicle_id_fkey" FOREIGN KEY ("vehicle_id") REFERENCES "vehicle"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "state_span" ADD CONSTRAINT "state_span_vehicle_id_fkey" FOREIGN KEY ("vehicle_id") REFERENCES "vehicle"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "parked_span" ADD CONSTRAINT "parked_span_vehicle_id_fkey" FOREIGN KEY ("vehicle_id") REFERENCES "vehicle"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "parked_span" ADD CONSTRAINT "parked_span_place_id_fkey" FOREIGN KEY ("place_id") REFERENCES "place"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "software_installation" ADD CONSTRAINT "software_installation_vehicle_id_fkey" FOREIGN KEY ("vehicle_id") REFERENCES "vehicle"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "software_installation" ADD CONSTRAINT "software_installation_software_update_id_fkey" FOREIGN KEY ("software_update_id") REFERENCES "software_update"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "command" ADD CONSTRAINT "command_vehicle_id_fkey" FOREIGN KEY ("vehicle_id") REFERENCES "vehicle"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "command" ADD CONSTRAINT "command_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "command_transition" ADD CONSTRAINT "command_transition_command_id_fkey" FOREIGN KEY ("command_id") REFERENCES "command"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "event" ADD CONSTRAINT "event_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "token" ADD CONSTRAINT "token_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "audit_entry" ADD CONSTRAINT "audit_entry_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma's schema cannot say. Nothing ends before it starts.
ALTER TABLE "drive" ADD CONSTRAINT "drive_ends_after_start" CHECK ("ended_at" >= "started_at");
ALTER TABLE "charge" ADD CONSTRAINT "charge_ends_after_start" CHECK ("ended_at" >= "started_at");
ALTER TABLE "charge_segment" ADD CONSTRAINT "charge_segment_ends_after_start" CHECK ("ended_at" >= "started_at");
ALTER TABLE "trip" ADD CONSTRAINT "trip_ends_after_start" CHECK ("ended_at" >= "started_at");
ALTER TABLE "track_batch" ADD CONSTRAINT "track_batch_ends_after_start" CHECK ("ended_at" >= "started_at");
ALTER TABLE "state_span" ADD CONSTRAINT "state_span_ends_after_start" CHECK ("ended_at" >= "started_at");
ALTER TABLE "parked_span" ADD CONSTRAINT "parked_span_ends_after_start" CHECK ("ended_at" >= "started_at");

-- A vehicle is in one drive, one charge, one state and one parking place at a time.
CREATE UNIQUE INDEX "drive_one_ongoing" ON "drive"("vehicle_id") WHERE "state" = 'ONGOING';
CREATE UNIQUE INDEX "charge_one_ongoing" ON "charge"("vehicle_id") WHERE "state" = 'ONGOING';
CREATE UNIQUE INDEX "state_span_one_open" ON "state_span"("vehicle_id") WHERE "ended_at" IS NULL;
CREATE UNIQUE INDEX "parked_span_one_open" ON "parked_span"("vehicle_id") WHERE "ended_at" IS NULL;
