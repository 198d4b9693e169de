import './scalars.ts';
import './account.ts';
import './alert.ts';
import './battery-health.ts';
import './charge.ts';
import './chart.ts';
import './command.ts';
import './command-catalogue.ts';
import './send-command.ts';
import './drive.ts';
import './efficiency.ts';
import './edit.ts';
import './edit-changes.ts';
import './event.ts';
import './live-account.ts';
import './live-alert.ts';
import './live-command.ts';
import './live-vehicle.ts';
import './maker-account.ts';
import './maker-account-changes.ts';
import './maker-budget.ts';
import './maker-application.ts';
import './maker-link.ts';
import './maker-telemetry.ts';
import './maker-vehicle.ts';
import './parked-span.ts';
import './particulars.ts';
import './place.ts';
import './place-changes.ts';
import './positions.ts';
import './software-installation.ts';
import './software-update.ts';
import './state.ts';
import './state-span.ts';
import './statistics.ts';
import './tariff.ts';
import './tariff-changes.ts';
import './track-part.ts';
import './trip.ts';
import './update-account.ts';
import './vehicle.ts';
import './vehicle-changes.ts';
import './vehicle-telemetry.ts';
import './visited.ts';
import './webhook.ts';
import './webhook-changes.ts';
import './webhook-delivery.ts';
import { printSchemaWithDirectives } from '@graphql-tools/utils';
import { lexicographicSortSchema } from 'graphql';
import { builder } from './builder.ts';
import { withoutSources } from './descriptions.ts';
import { withRequiredScopes } from './requires-scopes.ts';

builder.queryType({ description: 'What can be read.' });

/** The schema of the service; one serves any database, because the client is in the context. */
export const schema = withRequiredScopes(withoutSources(builder.toSchema()));

/** The public contract as text: sorted, with the scopes on it (`schema/schema.graphql`). */
export function schemaText(): string {
  return `${printSchemaWithDirectives(lexicographicSortSchema(schema))}\n`;
}
