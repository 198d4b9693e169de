import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authenticator } from '../../auth/authenticate.ts';
import { presentedIn } from '../../auth/credential.ts';
import type { Clock } from '../../base/clock.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Intake } from '../../ingest/intake.ts';
import { BODY_LIMIT_BYTES, type Packing, tooLarge } from './body-lines.ts';
import { type ReadBody, readRecords } from './read-records.ts';

/** What the way in for telemetry needs from the rest of the service. */
export type IngestPluginParts = { authenticator: Authenticator; intake: Intake; clock: Clock };

/** Names that NDJSON goes by. */
const mediaTypes = ['application/x-ndjson', 'application/ndjson', 'application/jsonl'];

/**
 * `POST /ingest/telemetry`: records of the maker's telemetry server, one JSON object a line, answered once they are safe.
 * A line that is no record is told by its number and does not hold up the others (issue 3).
 */
export function ingestPlugin({ authenticator, intake, clock }: IngestPluginParts) {
  return async (app: FastifyInstance): Promise<void> => {
    app.removeAllContentTypeParsers();
    // The body is read as it arrives, by the handler.
    app.addContentTypeParser(mediaTypes, (_request, body, done) => done(null, body));
    app.addContentTypeParser('*', (_request, _body, done) => done(unsupportedType()));
    app.post('/ingest/telemetry', {
      // Who calls is settled before anything of the request is read.
      onRequest: async (request) => {
        const { rawHeaders, url = '' } = request.raw;
        await authenticator.authenticateIngest(presentedIn({ rawHeaders, url, ip: request.ip }));
        if (Number(request.headers['content-length'] ?? 0) > BODY_LIMIT_BYTES) throw tooLarge();
      },
      handler: async (request, reply) => {
        intake.counts.requests += 1;
        if (!(request.body instanceof Readable)) throw unsupportedType();
        const read = await readRecords(request.body, packingOf(request), clock());
        intake.counts.rejected += read.rejectedCount;
        refuseWithoutRecords(read);
        const outcome = await intake.take(read.records);
        reply.header('Cache-Control', 'no-store');
        return { code: 200, response: { ...told(outcome), ...rejections(read) } };
      },
    });
  };
}

function unsupportedType(): ServiceError {
  return new ServiceError(
    'unsupported_media_type',
    'The body must be NDJSON with the content type application/x-ndjson.',
  );
}

function packingOf({ headers }: FastifyRequest): Packing {
  const packing = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (packing === 'identity' || packing === 'gzip') return packing;
  throw new ServiceError('unsupported_media_type', 'The body may be packed with gzip alone.');
}

/** A body of which nothing can be kept is the sender's mistake; one record among many lines makes it a good request. */
function refuseWithoutRecords({ records, rejected }: ReadBody): void {
  if (records.length > 0) return;
  if (rejected.length === 0) {
    throw new ServiceError('validation_failed', 'The body holds no line.');
  }
  throw new ServiceError('validation_failed', 'No line of the body is a record.', {
    fields: Object.fromEntries(rejected.map(({ line, reason }) => [`line ${line}`, [reason]])),
  });
}

function told({ tooLate, unknownVehicle, ...outcome }: Awaited<ReturnType<Intake['take']>>) {
  return { ...outcome, too_late: tooLate, unknown_vehicle: unknownVehicle };
}

function rejections({ rejected, rejectedCount }: ReadBody) {
  return { rejected, rejected_count: rejectedCount };
}
