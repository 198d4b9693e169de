import { eventTypes } from '../../../contract/events.ts';
import type { Endpoint } from '../endpoint.ts';
import { liveRoute, liveScopes, snapshotIn } from '../live/live-route.ts';
import type { JsonSchema } from '../readers.ts';
import { errorReference } from './errors.ts';
import { parameterObject } from './parameters.ts';

/** Schema of an event as it is told in JSON (contract §16). */
export const eventSchema: JsonSchema = {
  type: 'object',
  description: 'Something that happened.',
  required: [
    'id',
    'type',
    'version',
    'occurred_at',
    'account_id',
    'vehicle_public_id',
    'sequence',
    'data',
    'previous',
  ],
  properties: {
    id: { type: 'string', description: 'Id of the event; it never comes twice.' },
    type: { type: 'string', description: 'What happened.', enum: eventTypes },
    version: { type: 'integer', description: 'Version of the form of `data`.' },
    occurred_at: { type: 'string', format: 'date-time', description: 'When it happened.' },
    account_id: { type: 'string', description: 'Id of the account.' },
    vehicle_public_id: {
      type: ['string', 'null'],
      description: 'Slug of the vehicle at that time; null for what is about none.',
    },
    sequence: {
      type: ['integer', 'null'],
      description: 'Place among the events of the vehicle.',
    },
    data: { type: 'object', description: 'What it is about.' },
    previous: {
      type: ['object', 'null'],
      description: 'The changed fields before the change.',
    },
  },
};

const example = `retry: 2000

id: WyJldmVudHMiLCIwMSIsNDFd
event: vehicle
data: {"id":"veh_01hn3qk1p3f4p9sz3ptq7cbzqj","public_id":"blue-heron","status":"ONLINE"}

id: WyJldmVudHMiLCIwMSIsNDJd
event: drive.started
data: {"id":"evt_01hn3qk1p3f4p9sz3ptq7cbzqj","type":"drive.started","version":1,"occurred_at":"2026-03-01T08:00:00.000Z","account_id":"acc_01hn3qk1p3f4p9sz3ptq7cbzqj","vehicle_public_id":"blue-heron","sequence":17,"data":{"drive_id":"drv_01hn3qk1p3f4p9sz3ptq7cbzqj","state":"ONGOING"},"previous":null}

: heartbeat

`;

const statuses = [400, 401, 403, 404, 406, 422, 429, 503];

/** The operation of the stream of events. */
export function liveOperation(endpoints: readonly Endpoint[]): JsonSchema {
  const snapshot = snapshotIn(endpoints);
  const inPath = snapshot.parameters.filter((parameter) => parameter.in === 'path');
  const { tag, summary, description } = liveRoute;
  return {
    operationId: 'vehicleLive',
    tags: [tag],
    summary: summary.replace(/\.$/, ''),
    description: `${description}\n\nScope: \`vehicles\`.`,
    security: liveScopes.map((all) => ({ bearer: all })),
    parameters: [
      ...inPath.map((parameter) => parameterObject(parameter, snapshot)),
      {
        name: 'Last-Event-ID',
        in: 'header',
        description: 'The `id` of the last event that was read: tell what came after it.',
        schema: { type: 'string' },
        example: 'WyJldmVudHMiLCIwMSIsNDFd',
      },
    ],
    responses: {
      200: {
        description: summary,
        headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } },
        content: {
          'text/event-stream': {
            schema: {
              type: 'string',
              description:
                'Server-sent events; the data of `vehicle` is that of the route without `/live`, of every other one an `Event`.',
              contentMediaType: 'application/json',
              contentSchema: { $ref: '#/components/schemas/Event' },
            },
            example,
          },
        },
      },
      ...Object.fromEntries(statuses.map((status) => [status, errorReference(status)])),
    },
  };
}
