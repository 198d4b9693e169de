/** How an application can stand with a region of the maker: what that means, and what a person does next; null for nothing. */
export const registrationTable = {
  NOT_REGISTERED: {
    description: 'The application was not registered in this region yet.',
    next: 'Register it: POST /api/account/maker-application/register.',
  },
  REGISTERED: {
    description: 'The region holds this service’s public key for the domain.',
    next: null,
  },
  KEY_MISMATCH: {
    description: 'The region holds another public key for the domain.',
    next: 'See that the address of the public key answers with this service’s key, then register again; vehicles that hold the other key are paired anew.',
  },
  KEY_UNREACHABLE: {
    description: 'The maker could not fetch the public key from the domain.',
    next: 'Make the address of the public key answer from the internet, over HTTPS with a certificate that everybody trusts, then register again.',
  },
  DOMAIN_REFUSED: {
    description: 'The maker does not take the domain.',
    next: 'Give the domain in lower case in ODOGRAPH_MAKER_DOMAIN, and as allowed origin of the application on the maker’s developer pages, then register again.',
  },
  CLIENT_REFUSED: {
    description: 'The maker does not accept the client id and secret of the application.',
    next: 'Copy both anew from the maker’s developer pages into ODOGRAPH_MAKER_CLIENT_ID and ODOGRAPH_MAKER_CLIENT_SECRET, and let the application use machine-to-machine sign-in.',
  },
  UNREACHABLE: {
    description: 'The maker did not answer.',
    next: 'Register again later, and see that this machine reaches the maker.',
  },
  FAILED: {
    description: 'The maker did not register the application.',
    next: 'Read the maker’s words, and look at the application on its developer pages.',
  },
} as const satisfies Record<string, { description: string; next: string | null }>;

/** A word of the table. */
export type RegistrationWord = keyof typeof registrationTable;
