import { readFileSync } from 'node:fs'
import {
  type LlamaConfig,
  LlamaConfigSchema,
  type PythConfig,
  PythConfigSchema,
  parseAllowedHost,
  type SourcesConfig,
} from '@keelson/platform'
import { messageOf } from '@keelson/primitives'
import { type OptionValues, option, optionalOption, optionParsers as parse, Secret } from '@keelson/runtime'
import { AssemblyError } from '../../errors.ts'

const HERMES_URL = 'https://hermes.pyth.network'
const secretText = Object.assign((value: unknown) => new Secret(parse.text(value)), { placeholder: '<text>', schema: parse.text.schema })
const allowedHost = Object.assign(
  (value: unknown): string => {
    const host = parseAllowedHost(parse.text(value))
    if (host !== null) return host
    throw new parse.OptionValueError(
      `expected the name of a host such as graph.example.org or *.example.org, got "${String(value).slice(0, 80)}"`,
    )
  },
  { placeholder: '<host>', schema: parse.text.schema },
)

export const platformProviderOptions = {
  subgraphUrl: optionalOption({
    key: 'research.subgraph',
    parse: parse.httpUrl,
    description: 'GraphQL endpoint that research asks when a request names none.',
  }),
  subgraphHosts: option<readonly string[]>({
    key: 'research.subgraphHosts',
    parse: parse.list(allowedHost),
    default: [],
    description: 'Hosts whose GraphQL endpoints requests may name, over https: graph.example.org, or *.example.org for all below it.',
  }),
  analyticsUrl: optionalOption({
    key: 'analytics.url',
    parse: parse.httpUrl,
    description: 'Service that runs analytics queries, with the interface of Dune: /api/v1/query/ID/execute and so on follow.',
  }),
  analyticsKey: optionalOption({
    key: 'analytics.key',
    parse: secretText,
    secret: true,
    description: 'Key of that service; better given by environment.',
  }),
  pythUrl: optionalOption({ key: 'pyth.url', parse: parse.httpUrl, description: `Hermes service of Pyth. Default: ${HERMES_URL}.` }),
  pythFeeds: optionalOption({
    key: 'pyth.feeds',
    parse: parse.path,
    description: 'JSON file {"feeds": [{"id", "base", "quote"}], "maxAgeSec", "maxConfidenceBps"}: prices of Pyth that may be asked for.',
  }),
  llamaCoinsUrl: optionalOption({ key: 'defillama.coinsUrl', parse: parse.httpUrl, description: 'DefiLlama-compatible API of prices.' }),
  llamaYieldsUrl: optionalOption({ key: 'defillama.yieldsUrl', parse: parse.httpUrl, description: 'DefiLlama-compatible API of pools.' }),
  llamaCoins: optionalOption({
    key: 'defillama.coins',
    parse: parse.path,
    description: 'JSON file with the id of each symbol there, such as {"ETH": "coingecko:ethereum"}.',
  }),
  searchUrl: optionalOption({
    key: 'search.url',
    parse: parse.httpUrl,
    description: 'Provider of the search tool: POST URL/refresh answers {"documents": how many can be found}.',
  }),
  searchKey: optionalOption({
    key: 'search.key',
    parse: secretText,
    secret: true,
    description: 'Bearer token for that provider; better given by environment.',
  }),
} as const

export type ProviderValues = OptionValues<typeof platformProviderOptions>

/** `llamaUrl` is the source of total value locked. Throws AssemblyError `node/usage`. */
export function providersConfig(
  values: ProviderValues,
  llamaUrl: string | null,
): Pick<SourcesConfig, 'pyth' | 'llama' | 'search' | 'research'> {
  const { subgraphUrl, subgraphHosts, analyticsUrl, analyticsKey, searchUrl, searchKey } = values
  if (analyticsUrl === null && analyticsKey !== null) throw needs('--analytics.key', '--analytics.url')
  if (searchUrl === null && searchKey !== null) throw needs('--search.key', '--search.url')
  return {
    pyth: pythConfig(values),
    llama: llamaConfig(values, llamaUrl),
    search: searchUrl === null ? null : { url: searchUrl, key: searchKey },
    research: {
      subgraph: { url: subgraphUrl, hosts: subgraphHosts },
      analytics: analyticsUrl === null ? null : { url: analyticsUrl, key: analyticsKey },
    },
  }
}

function pythConfig({ pythUrl, pythFeeds }: ProviderValues): PythConfig | null {
  if (pythFeeds === null) {
    if (pythUrl !== null) throw needs('--pyth.url', '--pyth.feeds')
    return null
  }
  return readJson('--pyth.feeds', pythFeeds, (given) => PythConfigSchema.parse({ ...(given as object), baseUrl: pythUrl ?? HERMES_URL }))
}

function llamaConfig({ llamaCoinsUrl, llamaYieldsUrl, llamaCoins }: ProviderValues, llamaUrl: string | null): LlamaConfig | null {
  if (llamaUrl === null && llamaCoinsUrl === null && llamaYieldsUrl === null && llamaCoins === null) return null
  const urls = {
    ...(llamaUrl === null ? {} : { apiUrl: llamaUrl }),
    ...(llamaCoinsUrl === null ? {} : { coinsUrl: llamaCoinsUrl }),
    ...(llamaYieldsUrl === null ? {} : { yieldsUrl: llamaYieldsUrl }),
  }
  if (llamaCoins === null) return LlamaConfigSchema.parse(urls)
  return readJson('--defillama.coins', llamaCoins, (coins) => LlamaConfigSchema.parse({ ...urls, coins }))
}

function needs(given: string, missing: string): AssemblyError {
  return new AssemblyError('node/usage', `${given} means nothing without ${missing}`)
}

function readJson<T>(option: string, path: string, read: (given: unknown) => T): T {
  try {
    return read(JSON.parse(readFileSync(path, 'utf8')))
  } catch (error) {
    throw new AssemblyError('node/usage', `${option}: ${path} cannot be used: ${messageOf(error)}`)
  }
}
