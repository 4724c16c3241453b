import { DEFAULT_MAX_STORED_BYTES } from '@keelson/platform'
import { maskUrl, option, optionalOption, optionParsers as parse, Secret } from '@keelson/runtime'
import { roleOptions } from '../../role/role.ts'
import { virtualHostsOption } from '../../role/virtual-hosts.ts'
import { platformChatOptions } from './platform-chat.ts'
import { platformSourceOptions } from './platform-sources.ts'
import { platformTradingOptions } from './platform-trading.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

function urlText(...protocols: readonly string[]) {
  return Object.assign(
    (value: unknown): string => {
      const url = parse.text(value)
      if (URL.canParse(url) && protocols.includes(new URL(url).protocol)) return url
      // The message omits the URL, which may contain a password.
      throw new parse.OptionValueError(`expected a URL beginning with ${protocols.map((name) => `${name}//`).join(' or ')}`)
    },
    { placeholder: '<url>', schema: parse.text.schema, show: maskUrl },
  )
}

const secretText = Object.assign((value: unknown) => new Secret(parse.text(value)), { placeholder: '<text>', schema: parse.text.schema })

export const platformOptions = {
  dataDir: option({ key: 'dataDir', parse: parse.path, description: 'Folder for the embedded database and the keys of tokens.' }),
  databaseUrl: optionalOption({
    key: 'database.url',
    env: 'DATABASE_URL',
    parse: urlText('postgres:', 'postgresql:'),
    secret: true,
    description: 'PostgreSQL server, which several platforms may share. Default: the database embedded in this process.',
  }),
  maxConnections: option({
    key: 'database.maxConnections',
    parse: parse.integer(1, 500),
    default: 10,
    description: 'Connections to PostgreSQL at once.',
  }),
  maxStoredBytes: option({
    key: 'storage.maxBytes',
    parse: parse.byteSizeWithin(256 * 1024 * 1024),
    default: DEFAULT_MAX_STORED_BYTES,
    description:
      'Size of the database at which requests that store something are refused, while reading goes on; so they are, too, when the disk of ' +
      'an embedded database has less than 2 GiB free.',
  }),
  redisUrl: optionalOption({
    key: 'redis.url',
    parse: urlText('redis:', 'rediss:'),
    secret: true,
    description:
      'Redis server through which platforms count requests together and hand answers over to one another. Default: each for itself.',
  }),
  httpHost: option({ key: 'http.host', parse: parse.text, default: '127.0.0.1', description: 'Address the API listens on.' }),
  httpPort: option({ key: 'http.port', parse: parse.port, default: 8000, description: 'Port of the API.' }),
  virtualHosts: virtualHostsOption('http.vhosts', 'the API'),
  corsOrigins: option<readonly string[]>({
    key: 'http.corsOrigins',
    parse: parse.list(parse.text),
    default: [],
    description: 'Origins whose pages may call the API; * for all.',
  }),
  trustedProxies: option({
    key: 'http.trustedProxies',
    parse: parse.list(parse.network),
    default: [],
    description: 'Proxies whose X-Forwarded-For is believed; without one, callers are counted by the address they connect from.',
  }),
  limitScale: option({
    key: 'http.limitScale',
    parse: parse.decimal(0.01, 10_000),
    default: 1,
    description: 'Factor to the rate limits of all endpoints.',
  }),
  environment: option({
    key: 'environment',
    parse: parse.text,
    default: 'production',
    description: 'What /health calls this installation.',
  }),
  tokenKeys: optionalOption({
    key: 'token.keys',
    parse: secretText,
    secret: true,
    description:
      'Keys that sign tokens, KID:64 hex digits each, the signing one first; better given by environment. Default: a file of the data folder, made when missing.',
  }),
  userLifetimeMs: option({
    key: 'token.userLifetime',
    parse: parse.duration(MINUTE_MS, 365 * DAY_MS),
    default: DAY_MS,
    description: 'How long a login is good for.',
  }),
  sessionLifetimeMs: option({
    key: 'token.sessionLifetime',
    parse: parse.duration(MINUTE_MS, 365 * DAY_MS),
    default: 7 * DAY_MS,
    description: 'How long the token of a session is good for.',
  }),
  hashesAtOnce: option({
    key: 'password.hashesAtOnce',
    parse: parse.integer(1, 64),
    default: 2,
    description: 'Passwords hashed at once; each takes a core and 19 MiB.',
  }),
  metricsPort: option({ key: 'metrics.port', parse: parse.port, default: 7308, description: 'Prometheus metrics and health.' }),
  ...platformSourceOptions,
  ...platformTradingOptions,
  ...platformChatOptions,
  ...roleOptions,
  clockOffsetMs: optionalOption({
    key: 'clock.offsetMs',
    parse: parse.integer(-Number.MAX_SAFE_INTEGER),
    description: 'Milliseconds added to the machine clock. Default: that of the network in --devnet, else 0.',
  }),
} as const
