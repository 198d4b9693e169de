import { type Region, regionBaseUrls } from './regions.ts';

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
};

/** What a connector is configured with; null takes the maker's own hosts. */
type FleetSettings = {
  clientId: string;
  clientSecret: string | null;
  redirectUrl: string;
  authUrl: string | null;
  apiUrl: string | null;
};

const FLEET_MAKER = 'tesla';
const AUTHORIZE_HOST = 'https://auth.tesla.com';
/** Tokens come from another host than the consent page (maker documentation, "Third-party tokens", since August 2025). */
const TOKEN_HOST = 'https://fleet-auth.prd.vn.cloud.tesla.com';

/** The first connector of the catalogue. */
export function fleetConnector(settings: FleetSettings): Connector {
  const { clientId, clientSecret, redirectUrl, authUrl, apiUrl } = settings;
  return {
    maker: FLEET_MAKER,
    simulated: false,
    authorizeUrl: `${authUrl ?? AUTHORIZE_HOST}/oauth2/v3/authorize`,
    tokenUrl: `${authUrl ?? TOKEN_HOST}/oauth2/v3/token`,
    clientId,
    clientSecret,
    redirectUrl,
    apiUrlOf: (region) => apiUrl ?? regionBaseUrls[region],
  };
}
