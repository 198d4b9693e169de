import type { Sample } from '../contract/samples.ts';
import { builder } from './builder.ts';
import { vehicles } from './connection.ts';
import { Drive } from './drive.ts';
import { chartIn, maxPointsArg, trackCost } from './track.ts';

const known = (description: string) => ({ nullable: true, description }) as const;

const ChartPoint = builder.objectRef<Sample>('ChartPoint').implement({
  description: 'A drive at one moment, without its position.',
  authScopes: vehicles,
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'When.' }),
    speedKmh: t.exposeFloat('speedKmh', known('Speed [km/h].')),
    powerKw: t.exposeFloat('powerKw', known('Power out of the pack; negative flows back [kW].')),
    batteryLevelPct: t.exposeFloat('batteryLevelPct', known('State of charge [%].')),
    rangeRatedKm: t.exposeFloat('rangeRatedKm', known('Rated range [km].')),
    insideTempC: t.exposeFloat('insideTempC', known('Temperature inside [°C].')),
    outsideTempC: t.exposeFloat('outsideTempC', known('Temperature outside [°C].')),
  }),
});

builder.prismaObjectField(Drive, 'chart', (t) =>
  t.field({
    type: [ChartPoint],
    description:
      'The drive over time for a chart: where speed and power peak, so that none is lost by leaving points out.',
    args: maxPointsArg,
    complexity: trackCost,
    resolve: ({ vehicleId, startedAt, endedAt }, { maxPoints }, context) => {
      const toMs = endedAt?.getTime() ?? context.clock();
      return chartIn(context, { vehicleId, fromMs: startedAt.getTime(), toMs }, maxPoints);
    },
  }),
);
