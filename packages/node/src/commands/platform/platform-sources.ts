import { existsSync, readFileSync } from 'node:fs'
import { type DevnetFile, devnetFilePath } from '@keelson/devnet'
import { readCurrencySymbol } from '@keelson/devnet/network-files'
import { type ChainConfig, ChainsConfigSchema, devnetChains, type SourcesConfig } from '@keelson/platform'
import { messageOf } from '@keelson/primitives'
import { maskUrl, type OptionValues, optionalOption, optionParsers as parse } from '@keelson/runtime'
import { AssemblyError } from '../../errors.ts'
import { platformProviderOptions, providersConfig } from './platform-providers.ts'

const socketUrl = Object.assign(
  (value: unknown): string => {
    const url = parse.rpcUrl(value)
    if (/^wss?:/.test(url)) return url
    throw new parse.OptionValueError('expected a URL beginning with ws:// or wss://')
  },
  { placeholder: '<url>', schema: parse.rpcUrl.schema, show: maskUrl },
)

export const platformSourceOptions = {
  devnet: optionalOption({
    key: 'devnet',
    parse: parse.path,
    description: 'Folder of a running development network: its chains come first, and its clock counts.',
  }),
  chains: optionalOption({
    key: 'chains',
    parse: parse.path,
    description:
      'JSON file with a list of chains: id, name, rpcUrl, native, tokens, feeds, exchange. The first is the one meant when none is named.',
  }),
  esploraUrl: optionalOption({ key: 'esplora.url', parse: parse.httpUrl, description: 'Esplora-compatible API of bitcoin blocks.' }),
  llamaUrl: optionalOption({ key: 'defillama.url', parse: parse.httpUrl, description: 'DefiLlama-compatible API of value locked.' }),
  exchangeUrl: optionalOption({
    key: 'exchange.url',
    parse: socketUrl,
    description: 'Binance-compatible websocket of combined streams. Default: the pools of the first chain.',
  }),
  bridgeUrl: optionalOption({ key: 'bridge.url', parse: parse.httpUrl, description: 'Status service of the bridge, for deposits.' }),
  ...platformProviderOptions,
} as const

type Values = OptionValues<typeof platformSourceOptions>

/** Throws AssemblyError `node/usage`. */
export function readDevnet({ devnet }: Pick<Values, 'devnet'>): DevnetFile | null {
  if (devnet === null) return null
  const path = devnetFilePath(devnet)
  if (!existsSync(path))
    throw new AssemblyError('node/usage', `--devnet: expected ${path}, which a development network writes when it runs`)
  return JSON.parse(readFileSync(path, 'utf8')) as DevnetFile
}

/** Throws AssemblyError `node/usage`. */
export function sourcesConfig(values: Values, devnet: DevnetFile | null): SourcesConfig {
  const ofDevnet = devnet === null ? [] : devnetChains(devnet, { symbol: readCurrencySymbol(devnet.networkDir) })
  return {
    chains: values.chains === null ? ofDevnet : readChains(values.chains, ofDevnet),
    esploraUrl: values.esploraUrl,
    exchangeUrl: values.exchangeUrl,
    bridgeUrl: values.bridgeUrl,
    ...providersConfig(values, values.llamaUrl),
  }
}

function readChains(path: string, first: readonly ChainConfig[]): readonly ChainConfig[] {
  try {
    return ChainsConfigSchema.parse([...first, ...(JSON.parse(readFileSync(path, 'utf8')) as unknown[])])
  } catch (error) {
    throw new AssemblyError('node/usage', `--chains: ${path} cannot be used: ${messageOf(error)}`)
  }
}
