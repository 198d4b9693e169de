import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';
import { networksOf } from './address-range.ts';

const text = z.string();

function isCidr(value: string): boolean {
  const [address = '', bits, ...rest] = value.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return (
    bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
  );
}

function isAddress(protocols: readonly string[]): (value: string) => boolean {
  return (value) => URL.canParse(value) && protocols.includes(new URL(value).protocol);
}

function isBareUrl(value: string): boolean {
  const url = new URL(value);
  return url.search === '' && url.hash === '' && url.username === '' && url.password === '';
}

/** A list such as `data=60,wakes=3` that names each of `names` once, with a whole number from 1. */
function amounts<const Name extends string>(...names: Name[]) {
  const said = `must be ${names.map((name) => `${name}=<number>`).join(',')}, each from 1 to 1000000000`;
  return text.transform((value, context) => {
    const parts = value.split(',').map((part) => part.trim().split('='));
    const found = new Map(parts.map(([name = '', amount = '']) => [name, amount]));
    const read = (name: Name) =>
      Number(/^[1-9]\d{0,9}$/.exec(found.get(name) ?? '')?.[0] ?? Number.NaN);
    const whole = parts.length === names.length && names.every((name) => read(name) <= 1e9);
    if (!whole) context.addIssue({ code: 'custom', message: said });
    return Object.fromEntries(names.map((name) => [name, read(name)])) as Record<Name, number>;
  });
}

const networkList = (none: string) =>
  text
    .refine(
      (value) => value === none || value.split(',').every((part) => isCidr(part.trim())),
      `must be ${none}, or IP addresses and networks separated by commas`,
    )
    .transform((value) => (value === none ? [] : value.split(',').map((part) => part.trim())));

const days = wholeNumber(1, 366, 'of days ');
const count = wholeNumber(1, 100_000);

function wholeNumber(least: number, most: number, what = '') {
  const sentence = `must be a whole number ${what}from ${least} to ${most}`;
  return text
    .regex(/^\d{1,6}$/, sentence)
    .transform(Number)
    .refine((value) => value >= least && value <= most, sentence);
}

const onOff = z.enum(['on', 'off'], 'must be on or off').transform((value) => value === 'on');

/**
 * Every setting of the service, each once: the variable it is read from, the flag that overrides it, what it is when
 * neither is given, and the reader of its text (contract §21). Secrets are never shown in messages.
 */
export const settings = {
  port: {
    variable: 'PORT',
    flag: '--port <number>',
    unset: '8080',
    sentence: 'TCP port of the HTTP server; 0 takes any free one.',
    reader: text
      .regex(/^\d{1,5}$/, 'must be a whole number from 0 to 65535')
      .transform(Number)
      .refine((port) => port <= 65_535, 'must be a whole number from 0 to 65535'),
  },
  host: {
    variable: 'HOST',
    flag: '--host <address>',
    unset: '127.0.0.1',
    sentence: 'Address the HTTP server listens on; `0.0.0.0` opens it to the network.',
    reader: text.regex(/^[A-Za-z0-9._:-]+$/, 'must be an IP address or a host name'),
  },
  baseUrl: {
    variable: 'ODOGRAPH_BASE_URL',
    flag: null,
    unset: null,
    unsetSentence: 'from the request',
    sentence: 'Address under which callers reach the service, such as `https://cars.example.org`.',
    reader: text
      .refine(isAddress(['http:', 'https:']), {
        error: 'must be an http or https address',
        abort: true,
      })
      .refine(isBareUrl, 'must hold no query, fragment or credentials')
      .transform((value) => value.replace(/\/+$/, '')),
  },
  databaseUrl: {
    variable: 'DATABASE_URL',
    flag: null,
    unset: null,
    unsetSentence: 'the embedded database',
    secret: true,
    sentence: 'PostgreSQL 15 or later, such as `postgresql://user:password@host/odograph`.',
    reader: text.refine(
      isAddress(['postgres:', 'postgresql:']),
      'must start with postgresql:// or postgres://',
    ),
  },
  dataDir: {
    variable: 'ODOGRAPH_DATA_DIR',
    flag: '--data-dir <folder>',
    unset: './.odograph',
    sentence: 'Folder for the embedded database, the lock, the secret key and the control socket.',
    reader: text.transform((value) => resolve(value)),
  },
  garage: {
    variable: 'ODOGRAPH_GARAGE',
    flag: null,
    unset: 'auto',
    sentence:
      'The simulated garage: `on`, `off`, or `auto` (runs while no maker connector is configured).',
    reader: z.enum(['auto', 'on', 'off'], 'must be auto, on or off'),
  },
  secretKey: {
    variable: 'ODOGRAPH_SECRET_KEY',
    flag: null,
    unset: null,
    unsetSentence: 'made and kept in the data folder while the garage runs, required otherwise',
    secret: true,
    sentence: '32 random bytes in base64 that encrypt what is kept secret in the database.',
    reader: text
      .regex(/^[A-Za-z0-9+/]{43}=$/, 'must be 32 bytes in base64 (`openssl rand -base64 32`)')
      .transform((value) => Buffer.from(value, 'base64')),
  },
  makerClientId: {
    variable: 'ODOGRAPH_MAKER_CLIENT_ID',
    flag: null,
    unset: null,
    unsetSentence: 'no real vehicles can be linked',
    sentence: 'Id of your application at the vehicle maker, as its developer pages give it.',
    reader: text.regex(/^[\x21-\x7e]{1,200}$/, 'must be one word as the maker gave it'),
  },
  makerClientSecret: {
    variable: 'ODOGRAPH_MAKER_CLIENT_SECRET',
    flag: null,
    unset: null,
    unsetSentence: 'none, for an application that has none',
    secret: true,
    sentence: 'Secret of that application; it goes to the maker alone and never into the log.',
    reader: text.regex(/^[\x21-\x7e]{1,500}$/, 'must be one word as the maker gave it'),
  },
  makerRedirectUrl: {
    variable: 'ODOGRAPH_MAKER_REDIRECT_URL',
    flag: null,
    unset: null,
    unsetSentence: '`/api/account/maker-accounts/callback` under the base URL',
    sentence:
      'Address to which the maker sends a person back; it is registered there, and real makers want HTTPS.',
    reader: text.refine(isAddress(['http:', 'https:']), 'must be an http or https address'),
  },
  makerAuthUrl: {
    variable: 'ODOGRAPH_MAKER_AUTH_URL',
    flag: null,
    unset: null,
    unsetSentence: 'the maker’s own',
    sentence: 'Where accounts sign in instead, such as a stand-in of the maker.',
    reader: text
      .refine(isAddress(['http:', 'https:']), 'must be an http or https address')
      .transform((value) => value.replace(/\/+$/, '')),
  },
  makerApiUrl: {
    variable: 'ODOGRAPH_MAKER_API_URL',
    flag: null,
    unset: null,
    unsetSentence: 'the maker’s own, by region',
    sentence: 'Where vehicles are asked instead, such as a stand-in of the maker.',
    reader: text
      .refine(isAddress(['http:', 'https:']), 'must be an http or https address')
      .transform((value) => value.replace(/\/+$/, '')),
  },
  makerBudget: {
    variable: 'ODOGRAPH_MAKER_BUDGET',
    flag: null,
    unset: '10',
    sentence:
      'What each maker account may spend at the maker in a calendar month (UTC), in major units, unless it says otherwise; `off` for no limit. The simulated garage has none.',
    reader: text
      .regex(/^(off|\d{1,9}(\.\d{1,2})?)$/, 'must be off, or an amount such as 10 or 12.50')
      .transform((value) => (value === 'off' ? null : Number(value))),
  },
  makerCurrency: {
    variable: 'ODOGRAPH_MAKER_CURRENCY',
    flag: null,
    unset: 'USD',
    sentence: 'Currency of the maker’s bill, ISO 4217.',
    reader: text.regex(/^[A-Z]{3}$/, 'must be three capital letters, such as USD'),
  },
  makerPrices: {
    variable: 'ODOGRAPH_MAKER_PRICES',
    flag: null,
    unset: 'signals=150000,commands=1000,data=500,wakes=50',
    sentence: 'How many of each the maker gives for one unit of the currency.',
    reader: amounts('signals', 'commands', 'data', 'wakes'),
  },
  makerLimits: {
    variable: 'ODOGRAPH_MAKER_LIMITS',
    flag: null,
    unset: 'data=60,commands=30,wakes=3',
    sentence: 'Calls to the maker in any minute for one vehicle; more wait.',
    reader: amounts('data', 'commands', 'wakes'),
  },
  makerAccountLimits: {
    variable: 'ODOGRAPH_MAKER_ACCOUNT_LIMITS',
    flag: null,
    unset: 'data=600,commands=300,wakes=30',
    sentence: 'Calls to the maker in any minute for all vehicles of one maker account; more wait.',
    reader: amounts('data', 'commands', 'wakes'),
  },
  makerDomain: {
    variable: 'ODOGRAPH_MAKER_DOMAIN',
    flag: null,
    unset: null,
    unsetSentence: 'the host of the base URL',
    sentence:
      'Domain of that application, under which the maker and vehicles find its public key over HTTPS.',
    reader: text
      .transform((value) => value.toLowerCase())
      .refine(
        (value) => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(value),
        'must be a domain such as cars.example.org, without https:// and slashes',
      ),
  },
  makerRegions: {
    variable: 'ODOGRAPH_MAKER_REGIONS',
    flag: null,
    unset: 'NA,EU',
    sentence:
      'Regions of the maker in which the application is registered, of `NA`, `EU` and `CN`, separated by commas; `CN` alone signs people in at China’s own host. China’s applications have client ids of their own, so an instance links the people of China or those of elsewhere.',
    reader: text
      .transform((value) => value.split(',').map((part) => part.trim().toUpperCase()))
      .pipe(z.array(z.enum(['NA', 'EU', 'CN'], 'must be of NA, EU and CN, separated by commas')))
      .transform((regions) => [...new Set(regions)]),
  },
  telemetryHost: {
    variable: 'ODOGRAPH_TELEMETRY_HOST',
    flag: null,
    unset: null,
    unsetSentence: 'vehicles are not asked to stream',
    sentence: 'Host name of your telemetry server, to which vehicles are told to stream.',
    reader: text.regex(/^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/, 'must be a host name'),
  },
  telemetryPort: {
    variable: 'ODOGRAPH_TELEMETRY_PORT',
    flag: null,
    unset: '443',
    sentence: 'TCP port of that telemetry server.',
    reader: text
      .regex(/^\d{1,5}$/, 'must be a whole number from 1 to 65535')
      .transform(Number)
      .refine((port) => port >= 1 && port <= 65_535, 'must be a whole number from 1 to 65535'),
  },
  telemetryCaFile: {
    variable: 'ODOGRAPH_TELEMETRY_CA_FILE',
    flag: null,
    unset: null,
    unsetSentence: 'vehicles are not asked to stream',
    sentence:
      'File with the whole chain of certificates (PEM) by which vehicles know that telemetry server.',
    reader: text.transform((value) => resolve(value)),
  },
  logLevel: {
    variable: 'LOG_LEVEL',
    flag: null,
    unset: 'info',
    sentence: 'Least severe log line written: `trace`, `debug`, `info`, `warn`, `error`, `silent`.',
    reader: z.enum(
      ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
      'must be trace, debug, info, warn, error or silent',
    ),
  },
  commandProxyUrl: {
    variable: 'ODOGRAPH_COMMAND_PROXY_URL',
    flag: null,
    unset: null,
    unsetSentence: 'commands go to the maker unsigned',
    sentence: 'Address of the maker’s signing proxy, for vehicles that take signed commands only.',
    reader: text
      .refine(isAddress(['http:', 'https:']), {
        error: 'must be an http or https address',
        abort: true,
      })
      .refine(isBareUrl, 'must hold no query, fragment or credentials')
      .transform((value) => value.replace(/\/+$/, '')),
  },
  commandGroups: {
    variable: 'ODOGRAPH_COMMAND_GROUPS',
    flag: null,
    unset: 'all',
    sentence:
      'Groups of commands that may be sent, separated by commas, such as `charging,climate`; `all`, or `none`.',
    reader: text
      .transform((value) => value.split(',').map((part) => part.trim().toLowerCase()))
      .refine(
        (groups) => groups.every((group) => /^[a-z]+$/.test(group)),
        'must be names of groups separated by commas',
      ),
  },
  adminCommands: {
    variable: 'ODOGRAPH_ADMIN_COMMANDS',
    flag: null,
    unset: 'off',
    sentence:
      '`on` lets the pass-through send what is otherwise never offered: erasing, parental controls, a fleet owner’s commands.',
    reader: onOff,
  },
  commandTokenPerMinute: {
    variable: 'ODOGRAPH_COMMAND_TOKEN_PER_MINUTE',
    flag: null,
    unset: '30',
    sentence: 'Commands that one token may send in a minute; beyond them 429 is answered.',
    reader: count,
  },
  commandVehiclePerMinute: {
    variable: 'ODOGRAPH_COMMAND_VEHICLE_PER_MINUTE',
    flag: null,
    unset: '10',
    sentence: 'Commands that one vehicle takes in a minute, whoever sends them.',
    reader: count,
  },
  commandWakesPerMinute: {
    variable: 'ODOGRAPH_COMMAND_WAKES_PER_MINUTE',
    flag: null,
    unset: '3',
    sentence: 'Times that one vehicle may be woken in 60 s; a command waits for its turn to wake.',
    reader: count,
  },
  commandWakesPerDay: {
    variable: 'ODOGRAPH_COMMAND_WAKES_PER_DAY',
    flag: null,
    unset: '15',
    sentence:
      'Times that one vehicle may be woken in 24 h; beyond them commands for it are rejected.',
    reader: count,
  },
  commandQueue: {
    variable: 'ODOGRAPH_COMMAND_QUEUE',
    flag: null,
    unset: '20',
    sentence: 'Commands that may wait for one vehicle at a time; beyond them 429 is answered.',
    reader: count,
  },
  geocoderUrl: {
    variable: 'ODOGRAPH_GEOCODER_URL',
    flag: null,
    unset: null,
    unsetSentence: 'off: no addresses',
    sentence:
      'Service with Nominatim’s `/reverse` that is told where vehicles were, at most once a second, for the addresses of positions.',
    reader: text
      .refine(isAddress(['http:', 'https:']), {
        error: 'must be an http or https address',
        abort: true,
      })
      .refine(isBareUrl, 'must hold no query, fragment or credentials')
      .transform((value) => value.replace(/\/+$/, '')),
  },
  trustProxy: {
    variable: 'ODOGRAPH_TRUST_PROXY',
    flag: null,
    unset: 'off',
    sentence:
      '`off`, or the addresses of reverse proxies whose `X-Forwarded-*` headers count, separated by commas.',
    reader: networkList('off'),
  },
  outboundAllow: {
    variable: 'ODOGRAPH_OUTBOUND_ALLOW',
    flag: null,
    unset: 'none',
    sentence:
      'Private addresses and networks that webhooks may reach, separated by commas, such as `192.168.1.0/24`; `none` keeps them on the public internet.',
    reader: networkList('none').transform(networksOf),
  },
  eventDays: {
    variable: 'ODOGRAPH_EVENT_DAYS',
    flag: null,
    unset: '30',
    sentence:
      'Days that events are kept; clients can have the last 24 hours told again, and a webhook that was paused for longer misses the rest.',
    reader: days,
  },
  auditDays: {
    variable: 'ODOGRAPH_AUDIT_DAYS',
    flag: null,
    unset: '365',
    sentence:
      'Days that the audit is kept; what is left of it still verifies (`odograph audit verify`).',
    reader: wholeNumber(1, 3_660, 'of days '),
  },
  webhookDays: {
    variable: 'ODOGRAPH_WEBHOOK_DAYS',
    flag: null,
    unset: '30',
    sentence:
      'Days that what was sent to webhooks is kept, with its attempts, of each at most the last 5,000 deliveries.',
    reader: days,
  },
  rawDays: {
    variable: 'ODOGRAPH_RAW_DAYS',
    flag: null,
    unset: '3',
    sentence:
      'Days that telemetry records are kept as they came; what comes in later than that is not applied any more.',
    reader: days,
  },
  mqttUrl: {
    variable: 'ODOGRAPH_MQTT_URL',
    flag: null,
    unset: null,
    unsetSentence: 'telemetry comes over HTTP alone',
    sentence:
      'MQTT broker to which the maker’s telemetry server publishes, such as `mqtts://broker.example.org:8883`.',
    reader: text
      .refine(isAddress(['mqtt:', 'mqtts:']), {
        error: 'must start with mqtt:// or mqtts://',
        abort: true,
      })
      .refine(isBareUrl, 'must hold no query, fragment or credentials'),
  },
  mqttUsername: {
    variable: 'ODOGRAPH_MQTT_USERNAME',
    flag: null,
    unset: null,
    unsetSentence: 'none',
    sentence: 'Name of the service at that broker.',
    reader: text.max(500, 'must be at most 500 characters long'),
  },
  mqttPassword: {
    variable: 'ODOGRAPH_MQTT_PASSWORD',
    flag: null,
    unset: null,
    unsetSentence: 'none',
    secret: true,
    sentence: 'Password that goes with the name.',
    reader: text.max(500, 'must be at most 500 characters long'),
  },
  mqttClientId: {
    variable: 'ODOGRAPH_MQTT_CLIENT_ID',
    flag: null,
    unset: 'odograph',
    sentence:
      'What the broker keeps messages by while the service is away; each service at one broker needs its own.',
    reader: text.regex(/^[\x21-\x7e]{1,100}$/, 'must be one word of at most 100 characters'),
  },
  mqttTopic: {
    variable: 'ODOGRAPH_MQTT_TOPIC',
    flag: null,
    unset: 'telemetry',
    sentence:
      'First levels of the topics: `topic_base` in the configuration of the maker’s telemetry server.',
    reader: text.regex(
      /^[^\s#+\0/]+(\/[^\s#+\0/]+)*$/,
      'must be levels of a topic without wildcards, and no slash at either end',
    ),
  },
  recordFile: {
    variable: 'ODOGRAPH_RECORD_FILE',
    flag: null,
    unset: null,
    unsetSentence: 'nothing is recorded',
    sentence:
      'File to which what the maker answers of vehicles is appended, for `odograph replay`: without names and secrets, with stand-ins for VINs, and with positions moved elsewhere.',
    reader: text.transform((value) => resolve(value)),
  },
  legacyApiKeys: {
    variable: 'ODOGRAPH_LEGACY_API_KEYS',
    flag: null,
    unset: 'off',
    sentence: '`on` accepts the legacy `api_key` query parameter on the older routes.',
    reader: onOff,
  },
} as const satisfies Record<string, Setting>;

type Setting = {
  variable: string;
  flag: string | null;
  unset: string | null;
  unsetSentence?: string;
  secret?: true;
  sentence: string;
  reader: z.ZodType<unknown, string>;
};

export type SettingName = keyof typeof settings;

/** The table row by row, with every row of one type. */
export function settingEntries(): [SettingName, Setting][] {
  return Object.entries(settings) as [SettingName, Setting][];
}
