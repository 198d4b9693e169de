import { type Region, regionBaseUrls } from './regions.ts';

/** Where vehicles are told to stream. */
export type TelemetryTarget = {
  hostname: string;
  port: number;
  /** File with the chain of certificates (PEM); read when vehicles are told, because it is renewed. */
  caFile: string;
};

/** The application under which the service itself is known to a maker (maker.md §1.3). */
export type Application = {
  /** Null where nobody said which it is. */
  domain: string | null;
  /** Those in which it is to be registered. */
  regions: readonly Region[];
  /** Where the application itself, not a person, signs in. */
  tokenUrlOf: (region: Region) => string;
  /** The maker's signing proxy, which holds the private key; null without one. */
  proxyUrl: string | null;
  telemetry: TelemetryTarget | null;
};

/** A maker that accounts can be linked at, and where and as whom the service asks it. */
export type Connector = {
  /** Its name in rows and answers. */
  maker: string;
  /** Whether it is the stand-in of the garage. */
  simulated: boolean;
  /** The page on which a person consents. */
  authorizeUrl: string;
  tokenUrl: string;
  clientId: string;
  /** Null for an application without one (maker.md §1.2). */
  clientSecret: string | null;
  /** Where the maker sends the person back to; registered there. */
  redirectUrl: string;
  /** Where the vehicle API of a region answers. */
  apiUrlOf: (region: Region) => string;
  /** Null for the stand-in of the garage, where none is registered. */
  application: Application | null;
};

/** What a connector is configured with; null takes the maker's own hosts. */
type FleetSettings = {
  clientId: string;
  clientSecret: string | null;
  redirectUrl: string;
  authUrl: string | null;
  apiUrl: string | null;
  application: Omit<Application, 'tokenUrlOf'>;
};

/** Name of the first maker. */
export const FLEET_MAKER = 'tesla';
const AUTHORIZE_HOST = 'https://auth.tesla.com';
/** Tokens come from another host than the consent page (maker documentation, "Third-party tokens", since August 2025). */
const TOKEN_HOST = 'https://fleet-auth.prd.vn.cloud.tesla.com';
/** China signs people and applications in at a host of its own (maker.md §1.1). */
const CHINESE_HOST = 'https://auth.tesla.cn';
/** Path of the public key on the application's domain (maker documentation, "Partner endpoints"). */
export const PUBLIC_KEY_PATH = '/.well-known/appspecific/com.tesla.3p.public-key.pem';

/** The first connector of the catalogue. People of China can be signed in where the application is registered there alone. */
export function fleetConnector(settings: FleetSettings): Connector {
  const { clientId, clientSecret, redirectUrl, authUrl, apiUrl, application } = settings;
  const tokenUrlOf = (region: Region) =>
    `${authUrl ?? (region === 'CN' ? CHINESE_HOST : TOKEN_HOST)}/oauth2/v3/token`;
  const home = homeRegionOf(application);
  const consentHost = home === 'CN' ? CHINESE_HOST : AUTHORIZE_HOST;
  return {
    maker: FLEET_MAKER,
    simulated: false,
    authorizeUrl: `${authUrl ?? consentHost}/oauth2/v3/authorize`,
    tokenUrl: tokenUrlOf(home),
    clientId,
    clientSecret,
    redirectUrl,
    apiUrlOf: (region) => apiUrl ?? regionBaseUrls[region],
    application: { ...application, tokenUrlOf },
  };
}

/** The region of people of whom nothing is known yet: China only where the application is registered there alone. */
export function homeRegionOf(application: Pick<Application, 'regions'> | null): Region {
  const regions = application?.regions ?? [];
  return regions.find((region) => region !== 'CN') ?? regions[0] ?? 'NA';
}

/** Where the owner of a vehicle puts the application's key on it, on a phone with the maker's app (maker.md §1.3). */
export function pairingUrlOf({ domain }: Application): string | null {
  return domain === null ? null : `https://tesla.com/_ak/${domain}`;
}

/** Where the maker and its app fetch the application's public key. */
export function publicKeyUrlOf({ domain }: Application): string | null {
  return domain === null ? null : `https://${domain}${PUBLIC_KEY_PATH}`;
}
