import type { Config } from '../base/config.ts';
import { type Application, type Connector, fleetConnector } from '../maker/connector.ts';

/** Where makers send people back to (contract §9). */
export const CALLBACK_PATH = '/api/account/maker-accounts/callback';

/** The maker that is configured, for a service at `baseUrl`; null without one. */
export function configuredConnector(config: Config, baseUrl: string): Connector | null {
  const { makerClientId: clientId, makerClientSecret: clientSecret } = config;
  if (clientId === null) return null;
  const redirectUrl = config.makerRedirectUrl ?? `${baseUrl}${CALLBACK_PATH}`;
  const { makerAuthUrl: authUrl, makerApiUrl: apiUrl } = config;
  const application = applicationOf(config);
  return fleetConnector({ clientId, clientSecret, redirectUrl, authUrl, apiUrl, application });
}

function applicationOf(config: Config): Omit<Application, 'tokenUrlOf'> {
  const { baseUrl, telemetryHost: hostname, telemetryPort: port, telemetryCaFile: caFile } = config;
  const ownHost = baseUrl === null ? null : new URL(baseUrl).hostname;
  return {
    domain: config.makerDomain ?? ownHost,
    regions: config.makerRegions,
    proxyUrl: config.commandProxyUrl,
    telemetry: hostname === null || caFile === null ? null : { hostname, port, caFile },
  };
}
