import chargingCurve from './tabs/charging-curve.graphql?raw';
import driveWithRoute from './tabs/drive-with-route.graphql?raw';
import drives from './tabs/drives.graphql?raw';
import garage from './tabs/garage.graphql?raw';
import liveVehicle from './tabs/live-vehicle.graphql?raw';

/** What a first visitor finds open: every query runs as it is, on any account (contract §0). */
export const tabs: { query: string }[] = [
  garage,
  drives,
  driveWithRoute,
  chargingCurve,
  liveVehicle,
].map((query) => ({ query }));
