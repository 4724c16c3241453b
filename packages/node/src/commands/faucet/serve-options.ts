import { CAPTCHA_PROVIDERS, type CaptchaProvider } from '@keelson/apps/faucet'
import { option, optionalOption, optionParsers as parse, Secret } from '@keelson/runtime'
import { databaseUrl } from '../../role/database-option.ts'
import { roleOptions } from '../../role/role.ts'
import { rollupOptions } from '../../role/rollup-option.ts'
import { virtualHostsOption } from '../../role/virtual-hosts.ts'

const TOKEN = 10n ** 18n
const DAY_MS = 86_400_000

const secretText = Object.assign((value: unknown) => new Secret(parse.text(value)), { placeholder: '<text>', schema: parse.text.schema })

export const ACCOUNT_PROVIDERS = ['off', 'github', 'local'] as const
export type AccountProviderName = (typeof ACCOUNT_PROVIDERS)[number]

export const faucetServeOptions = {
  dataDir: option({ key: 'dataDir', parse: parse.path, description: 'Folder for claims, grants and the journal of payments.' }),
  databaseUrl: optionalOption({
    key: 'databaseUrl',
    parse: databaseUrl,
    secret: true,
    description: 'PostgreSQL database that several faucets share; one of them pays. Default: a store in --data-dir, for one faucet.',
  }),
  instanceUrl: optionalOption({
    key: 'instanceUrl',
    parse: parse.httpUrl,
    description: 'How the other faucets of --database-url reach this one. Default: http://, --http.host and --http.port.',
  }),
  ...rollupOptions,
  l2Rpc: option({ key: 'l2.rpc', parse: parse.httpUrl, description: 'RPC of an execution client of L2.' }),
  privateKey: option({
    key: 'privateKey',
    parse: parse.privateKey,
    secret: true,
    description: 'Key of the L2 account that pays; better given by environment than by flag. No other program may use it.',
  }),
  httpHost: option({ key: 'http.host', parse: parse.text, default: '127.0.0.1', description: 'Address the faucet listens on.' }),
  httpPort: option({ key: 'http.port', parse: parse.port, default: 8090, description: 'Port of the faucet.' }),
  virtualHosts: virtualHostsOption('http.vhosts', 'the faucet'),
  corsOrigins: option<readonly string[]>({
    key: 'http.corsOrigins',
    parse: parse.list(parse.text),
    default: [],
    description: 'Origins whose pages may call the faucet; * for all.',
  }),
  trustedProxies: option({
    key: 'http.trustedProxies',
    parse: parse.list(parse.network),
    default: [],
    description: 'Proxies whose X-Forwarded-For is believed; without one, callers are counted by the address they connect from.',
  }),
  requestsPerSec: option({
    key: 'http.requestsPerSec',
    parse: parse.decimal(0.01, 10_000),
    default: 2,
    description: 'Requests a second of one IP address, over time and of any kind.',
  }),
  requestBurst: option({
    key: 'http.requestBurst',
    parse: parse.integer(1, 100_000),
    default: 60,
    description: 'Requests of one IP address at once.',
  }),
  publicUrl: optionalOption({
    key: 'publicUrl',
    parse: parse.httpUrl,
    description: 'How people reach the faucet, for sign-ins and signed messages. Default: http://, the address and the port it listens on.',
  }),
  amountWei: option({ key: 'amount', parse: parse.bigInteger, default: 10n * TOKEN, description: 'Wei that every claim pays.' }),
  claimsPerIp: option({
    key: 'claimsPerIp',
    parse: parse.integer(1, 1_000_000),
    default: 10,
    description: 'Claims of one IPv4 address or IPv6 /64 in any 24 hours.',
  }),
  claimsPerSite: optionalOption({
    key: 'claimsPerSite',
    parse: parse.integer(1, 1_000_000),
    description: 'Claims of one IPv6 /56 in any 24 hours. Default: twice --claims-per-ip.',
  }),
  claimsPerNetwork: optionalOption({
    key: 'claimsPerNetwork',
    parse: parse.integer(1, 1_000_000),
    description:
      'Claims of one IPv4 /24 or IPv6 /48 in any 24 hours. Default: a twentieth of --claims-per-day, and no less than --claims-per-site.',
  }),
  claimsPerProvider: optionalOption({
    key: 'claimsPerProvider',
    parse: parse.integer(1, 1_000_000),
    description:
      'Claims of one IPv4 /16 or IPv6 /32 in any 24 hours. Default: a quarter of --claims-per-day, and no less than --claims-per-network.',
  }),
  claimsPerDay: option({
    key: 'claimsPerDay',
    parse: parse.integer(1, 1_000_000),
    default: 1_000,
    description: 'Claims of everybody together in any 24 hours: the budget.',
  }),
  maxInFlight: option({ key: 'maxInFlight', parse: parse.integer(1, 2_000), default: 1_000, description: 'Payments under way at once.' }),
  maxWaiting: option({
    key: 'maxWaiting',
    parse: parse.integer(1, 100_000),
    default: 1_500,
    description: 'Claims that may wait for their turn to be paid.',
  }),
  confirmations: option({
    key: 'l2.confirmations',
    parse: parse.integer(1, 1_000),
    default: 2,
    description: 'L2 blocks until a payment counts, the including one counted.',
  }),
  maxFeeWei: option({
    key: 'maxFee',
    parse: parse.bigInteger,
    default: TOKEN / 100n,
    description: 'Wei that the fee of one payment may cost at worst.',
  }),
  lowBalanceWei: option({
    key: 'lowBalance',
    parse: parse.bigInteger,
    default: 1_000n * TOKEN,
    description: 'Wei below which the faucet says that it should be funded.',
  }),
  answerTimeoutMs: option({
    key: 'answerTimeout',
    parse: parse.duration(1_000, 300_000),
    default: 30_000,
    description: 'Longest wait of a claim for its payment to be on its way.',
  }),
  resubmitAfterMs: option({
    key: 'resubmitAfter',
    parse: parse.duration(1_000, 3_600_000),
    default: 20_000,
    description: 'Time until a waiting payment is priced higher.',
  }),
  captcha: option<CaptchaProvider>({
    key: 'captcha.provider',
    parse: parse.oneOf(...CAPTCHA_PROVIDERS),
    default: 'off',
    description: 'Who tells people from programs.',
  }),
  captchaSecret: optionalOption({
    key: 'captcha.secret',
    parse: secretText,
    secret: true,
    description: 'Secret that the captcha service gave; better given by environment.',
  }),
  captchaUrl: optionalOption({
    key: 'captcha.url',
    parse: parse.httpUrl,
    description: "Where answers are verified. Default: the service's own.",
  }),
  accounts: option<AccountProviderName>({
    key: 'accounts.provider',
    parse: parse.oneOf(...ACCOUNT_PROVIDERS),
    default: 'off',
    description: 'Accounts that verify an address; local believes any name and is for networks whose tokens are worth nothing.',
  }),
  addressesPerAccount: option({
    key: 'accounts.addresses',
    parse: parse.integer(1, 100),
    default: 1,
    description: 'Addresses that one account may verify.',
  }),
  githubClientId: optionalOption({ key: 'github.clientId', parse: parse.text, description: 'Client id of the OAuth app at GitHub.' }),
  githubClientSecret: optionalOption({
    key: 'github.clientSecret',
    parse: secretText,
    secret: true,
    description: 'Client secret of the OAuth app; better given by environment.',
  }),
  githubUrl: optionalOption({ key: 'github.url', parse: parse.httpUrl, description: 'GitHub itself. Default: https://github.com.' }),
  githubApiUrl: optionalOption({ key: 'github.apiUrl', parse: parse.httpUrl, description: 'Its API. Default: https://api.github.com.' }),
  githubMinAgeMs: option({
    key: 'github.minAge',
    parse: parse.duration(0, 3650 * DAY_MS),
    default: 30 * DAY_MS,
    description: 'Age below which a GitHub account verifies nothing.',
  }),
  metricsPort: option({ key: 'metrics.port', parse: parse.port, default: 7304, description: 'Prometheus metrics and health.' }),
  ...roleOptions,
} as const

/** Larger networks may claim a larger part of the daily budget. */
export function networkClaims(values: {
  readonly claimsPerIp: number
  readonly claimsPerDay: number
  readonly claimsPerSite: number | null
  readonly claimsPerNetwork: number | null
  readonly claimsPerProvider: number | null
}) {
  const site = values.claimsPerSite ?? 2 * values.claimsPerIp
  const network = values.claimsPerNetwork ?? Math.max(site, Math.floor(values.claimsPerDay / 20))
  const provider = values.claimsPerProvider ?? Math.max(network, Math.floor(values.claimsPerDay / 4))
  return { site, network, provider }
}
