import type { RunningService } from '../server.ts';
import type { GarageReport } from './garage.ts';

/** What `--json` prints once the service is ready, in one line; the address of a part that does not exist is null. */
export type Summary = {
  consoleUrl: null;
  signInUrl: null;
  graphqlUrl: string;
  /** With the token in its fragment where there is one, so that its tabs run as they are. */
  graphiqlUrl: string;
  restUrl: string;
  restDocsUrl: string;
  mcpUrl: null;
  healthUrl: string;
  token: string | null;
  /** One line that works when it is pasted; null without a token of its own. */
  curl: string | null;
  vehicles: string[];
  history: GarageReport['history'] | null;
  startedInMs: number;
};

/** What there is to say about a service that has just started. */
export function summaryOf(service: RunningService, startedInMs: number): Summary {
  const { baseUrl, token, garage } = service;
  const vehicles = garage?.vehicles ?? [];
  return {
    consoleUrl: null,
    signInUrl: null,
    graphqlUrl: `${baseUrl}/graphql`,
    graphiqlUrl: `${baseUrl}/graphiql${token === null ? '' : `#token=${token}`}`,
    restUrl: `${baseUrl}/api`,
    restDocsUrl: `${baseUrl}/api/openapi.json`,
    mcpUrl: null,
    healthUrl: `${baseUrl}/healthz`,
    token,
    curl: token === null ? null : curlLine(baseUrl, token, vehicles[0] ?? null),
    vehicles,
    history: garage?.history ?? null,
    startedInMs: Math.round(startedInMs),
  };
}

function curlLine(baseUrl: string, token: string, vehicle: string | null): string {
  const path = vehicle === null ? '/api/vehicles' : `/api/vehicle/${vehicle}/drives?limit=3`;
  return `curl -s -H 'Authorization: Bearer ${token}' '${baseUrl}${path}'`;
}
