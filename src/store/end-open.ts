import type { Prisma } from './generated/prisma/client.ts';

/**
 * Ends the rows of a vehicle that are under way where it was last heard, `until` (epoch ms), with the figures that they have,
 * and forgets its machine: for one whose state cannot be read, so that nothing knows any more how they would go on.
 */
export async function endOpenRows(
  tx: Prisma.TransactionClient,
  vehicleId: string,
  until: number,
): Promise<void> {
  const at = new Date(until);
  await tx.$executeRaw`
    UPDATE drive SET state = 'INCOMPLETE', ended_at = greatest(started_at, ${at}::timestamptz),
      duration_s = coalesce(duration_s, 0), updated_at = now()
    WHERE vehicle_id = ${vehicleId}::uuid AND state = 'ONGOING'`;
  await tx.$executeRaw`
    UPDATE charge SET state = 'INCOMPLETE', ended_at = greatest(started_at, ${at}::timestamptz), updated_at = now()
    WHERE vehicle_id = ${vehicleId}::uuid AND state = 'ONGOING'`;
  await tx.$executeRaw`
    UPDATE trip SET state = 'ENDED', ended_at = greatest(started_at, coalesce(ended_at, ${at}::timestamptz)), updated_at = now()
    WHERE vehicle_id = ${vehicleId}::uuid AND state = 'ONGOING'`;
  await tx.$executeRaw`
    UPDATE parked_span SET ended_at = greatest(started_at, ${at}::timestamptz)
    WHERE vehicle_id = ${vehicleId}::uuid AND ended_at IS NULL`;
  await tx.$executeRaw`
    UPDATE state_span SET ended_at = greatest(started_at, ${at}::timestamptz)
    WHERE vehicle_id = ${vehicleId}::uuid AND ended_at IS NULL`;
  await tx.vehicleMachine.deleteMany({ where: { vehicleId } });
}
