import { option, optionalOption, optionParsers as parse } from '@keelson/runtime'
import { CAPTCHA_PROVIDERS, type CaptchaProvider } from '@keelson/web/server'
import { roleOptions } from '../../role/role.ts'
import { rollupOptions } from '../../role/rollup-option.ts'

export interface NamedUrl {
  readonly name: string
  readonly url: string
}

const NAME = /^[a-z0-9][a-z0-9 ._-]{0,31}$/i

const namedUrl = Object.assign(
  (value: unknown): NamedUrl => {
    const text = parse.text(value)
    const at = text.indexOf('=')
    const name = text.slice(0, Math.max(0, at))
    if (!NAME.test(name)) throw new parse.OptionValueError('expected NAME=URL, such as sequencer=http://127.0.0.1:9545')
    return { name, url: parse.httpUrl(text.slice(at + 1)) }
  },
  {
    placeholder: '<name=url>',
    schema: parse.text.schema,
    show: ({ name, url }: NamedUrl) => `${name}=${parse.httpUrl.show?.(url) ?? url}`,
  },
)

export const webOptions = {
  ...rollupOptions,
  name: option({ key: 'name', parse: parse.text, default: 'Keelson', description: 'Name of the network on the pages.' }),
  files: optionalOption({ key: 'files', parse: parse.path, description: 'Folder of the built pages. Default: those of this release.' }),
  l1Rpc: optionalOption({ key: 'l1.rpc', parse: parse.httpUrl, description: 'RPC of an L1 node, for wallets that move funds.' }),
  l1Explorer: optionalOption({
    key: 'l1.explorer',
    parse: parse.httpUrl,
    description: 'Explorer of L1, to whose /tx, /block and /address hashes of L1 on the pages link.',
  }),
  l2Rpc: option({ key: 'l2.rpc', parse: parse.httpUrl, description: 'RPC of an execution client of the rollup.' }),
  publicRpc: optionalOption({
    key: 'public.rpc',
    parse: parse.httpUrl,
    description: 'RPC of the rollup as wallets reach it; shown on the pages.',
  }),
  nodes: option({
    key: 'rollup.rpc',
    parse: parse.list(namedUrl),
    default: [],
    description: 'Rollup RPC of consensus clients, as name=URL; the first that answers gives the heads.',
  }),
  roles: option({
    key: 'health',
    parse: parse.list(namedUrl),
    default: [],
    description: 'Health ports of roles, as name=URL; what they report is shown to everybody.',
  }),
  index: optionalOption({ key: 'index.url', parse: parse.httpUrl, description: 'API of the index, for histories.' }),
  faucet: optionalOption({ key: 'faucet.url', parse: parse.httpUrl, description: 'API of the faucet.' }),
  bridge: optionalOption({ key: 'bridge.url', parse: parse.httpUrl, description: 'API of the bridge status service.' }),
  platform: optionalOption({ key: 'platform.url', parse: parse.httpUrl, description: 'API of the agent platform.' }),
  captcha: option<CaptchaProvider | 'off'>({
    key: 'captcha.provider',
    parse: parse.oneOf('off', ...CAPTCHA_PROVIDERS),
    default: 'off',
    description: 'Captcha that the faucet asks for; the pages then load its script from its own host.',
  }),
  captchaSiteKey: optionalOption({
    key: 'captcha.site-key',
    parse: parse.text,
    description: 'Public key that the captcha service gave for these pages.',
  }),
  incidentsFile: optionalOption({
    key: 'incidents.file',
    parse: parse.path,
    description: 'File that keeps the newest 100 incidents of the network page. Default: they end with this process.',
  }),
  httpHost: option({ key: 'http.host', parse: parse.text, default: '127.0.0.1', description: 'Address the pages are served on.' }),
  httpPort: option({ key: 'http.port', parse: parse.port, default: 8080, description: 'Port of the pages.' }),
  httpVirtualHosts: option({
    key: 'http.vhosts',
    parse: parse.list(parse.text),
    default: ['localhost'],
    description: 'Host names the pages are served under, as browsers send them; * for all. IP addresses are always served.',
  }),
  ratePerSec: option({
    key: 'rate.perSec',
    parse: parse.integer(1, 100_000),
    default: 60,
    description: 'Requests a second to the services behind, from one IPv4 address or IPv6 /64; each call of a batch counts.',
  }),
  rateBurst: option({ key: 'rate.burst', parse: parse.integer(1, 100_000), default: 600, description: 'Requests it may make at once.' }),
  httpTrusted: option({
    key: 'http.trusted',
    parse: parse.list(parse.network),
    default: [],
    description: 'Networks of callers that are not limited. Default: none.',
  }),
  httpProxies: option({
    key: 'http.proxies',
    parse: parse.list(parse.network),
    default: [],
    description: 'Networks of reverse proxies: X-Forwarded-For counts from there only. Default: none.',
  }),
  metricsPort: option({ key: 'metrics.port', parse: parse.port, default: 7310, description: 'Prometheus metrics and health.' }),
  ...roleOptions,
} as const
