import type { Principal } from '../auth/principal.ts';
import { ServiceError } from '../base/errors.ts';
import type { Prisma } from '../store/generated/prisma/client.ts';
import { visibleVehicles } from '../store/visible.ts';

/**
 * Throws `setting_forbids` for a caller who does not see positions exactly: what a place or a tariff makes of history
 * tells where a vehicle was. A vehicle's own setting stands in nobody's way who could change it.
 */
export async function requireExactPositions(
  tx: Prisma.TransactionClient,
  principal: Principal,
): Promise<void> {
  const forbidden = () =>
    new ServiceError(
      'setting_forbids',
      'Places and tariffs are changed by those who see positions exactly.',
    );
  if (principal.locationPrecision !== 'EXACT') throw forbidden();
  if (principal.scopes.has('controls')) return;
  const where = { ...visibleVehicles(principal), locationPrecision: { not: 'EXACT' as const } };
  if ((await tx.vehicle.count({ where })) > 0) throw forbidden();
}
