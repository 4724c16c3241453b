import { FORKS } from '@keelson/chainspec'
import {
  chainOptions,
  DEVNET_SERVICES,
  type DevnetService,
  forkAtOptions,
  HIGHEST_PORT_OFFSET,
  LEAST_PORT_OFFSET,
  stakingOptions,
} from '@keelson/devnet'
import { DEFAULT_DEVNET_PARAMETERS } from '@keelson/devnet/genesis'
import { DEFAULT_CURRENCY_SYMBOL } from '@keelson/devnet/network-files'
import {
  DEFAULT_DEVNET_FOLDER,
  LOG_LEVELS,
  type LogLevel,
  type OptionValues,
  option,
  optionalOption,
  optionParsers as parse,
} from '@keelson/runtime'
import { PUBLIC_CHAINS } from '../../make-network/known-chains.ts'
import { currencySymbol, MAX_SYMBOL_LENGTH } from '../../networks/currency-symbol.ts'
import { roleOptions } from '../../role/role.ts'
import { allowSameChainIdOption } from '../../role/rollup-option.ts'

const DEFAULT_CHAIN_ID = Number(DEFAULT_DEVNET_PARAMETERS.l2ChainId)

const ownChainId = Object.assign(
  (value: unknown): number => {
    const id = parse.integer(1)(value)
    const owner = PUBLIC_CHAINS.get(BigInt(id))
    if (BigInt(id) === DEFAULT_DEVNET_PARAMETERS.l1ChainId)
      throw new parse.OptionValueError(`${id} is the chain id of this network's L1; give another one`)
    if (owner === undefined || id === DEFAULT_CHAIN_ID) return id
    throw new parse.OptionValueError(`${id} belongs to ${owner}: transactions could be replayed there; give an id that no public chain has`)
  },
  { placeholder: '<number>', schema: parse.integer(1).schema },
)

export const dataDirOption = option({
  key: 'dataDir',
  parse: parse.path,
  default: DEFAULT_DEVNET_FOLDER,
  description: 'Folder for everything the network keeps.',
})

const serviceNames = parse.list(parse.oneOf('none', ...DEVNET_SERVICES))

const parseServices = Object.assign(
  (value: unknown): readonly DevnetService[] => {
    const names = serviceNames(value)
    if (!names.includes('none')) return names as readonly DevnetService[]
    if (names.length > 1) throw new parse.OptionValueError('"none" leaves out every service: give it alone')
    return []
  },
  { ...serviceNames, show: (names: readonly DevnetService[]) => names.join(',') || 'none' },
)

export const devnetOptions = {
  dataDir: dataDirOption,
  portOffset: option({
    key: 'portOffset',
    parse: parse.integer(0, HIGHEST_PORT_OFFSET),
    default: 0,
    description: `Moves the network to the thousand ports from 8000 + N on; 0, or from ${LEAST_PORT_OFFSET} on. Networks that are ${LEAST_PORT_OFFSET} apart share no port.`,
  }),
  host: option({ key: 'host', parse: parse.text, default: '127.0.0.1', description: 'Address everything listens on.' }),
  fresh: option({ key: 'fresh', parse: parse.toggle, default: false, description: 'Begin a new chain; what the folder holds is deleted.' }),
  keepClock: option({
    key: 'keepClock',
    parse: parse.toggle,
    default: false,
    description: 'Continue at the time of the last stop. Without it, the chain catches up with real time by blocks without transactions.',
  }),
  detach: option({ key: 'detach', parse: parse.toggle, default: false, description: 'Go on in the background and return when ready.' }),
  json: option({
    key: 'json',
    parse: parse.toggle,
    default: false,
    description: 'Print JSON lines: one when ready, one a block.',
  }),
  fork: optionalOption<(typeof FORKS)[number]>({
    key: 'fork',
    parse: parse.oneOf(...FORKS),
    description: `OP Stack fork in force from the first block, chosen with a new chain. Default: ${DEFAULT_DEVNET_PARAMETERS.fork}.`,
  }),
  ...forkAtOptions,
  l1Fork: optionalOption<'cancun' | 'prague'>({
    key: 'l1.fork',
    parse: parse.oneOf('cancun', 'prague'),
    description: `Fork of L1, chosen with a new chain. Default: ${DEFAULT_DEVNET_PARAMETERS.l1Fork}.`,
  }),
  l1BlockTimeSec: option({ key: 'l1.blockTimeSec', parse: parse.integer(1, 60), default: 4, description: 'Seconds between L1 blocks.' }),
  symbol: optionalOption({
    key: 'symbol',
    parse: currencySymbol,
    description: `Symbol of the native currency, at most ${MAX_SYMBOL_LENGTH} characters, chosen with a new chain. Default: ${DEFAULT_CURRENCY_SYMBOL}.`,
  }),
  ...chainOptions,
  chainId: optionalOption({
    key: 'chainId',
    parse: ownChainId,
    description: `Chain id of L2, chosen with a new chain; no public network's but the default, ${DEFAULT_CHAIN_ID}.`,
  }),
  ...stakingOptions,
  sequencers: option({
    key: 'sequencers',
    parse: parse.integer(1, 2),
    default: 1,
    description: 'With 2, a second sequencer stands by, and a conductor decides which of them leads.',
  }),
  services: option({
    key: 'services',
    parse: parseServices,
    default: DEVNET_SERVICES,
    description: `Applications beside the chain, of ${DEVNET_SERVICES.join(', ')}; "none" starts the chain alone, which takes half of the work.`,
  }),
  p2p: option({ key: 'p2p', parse: parse.toggle, default: true, description: 'Gossip between sequencer and validator.' }),
  dataAvailability: option<'calldata' | 'blobs' | 'auto'>({
    key: 'batcher.dataAvailability',
    parse: parse.oneOf('calldata', 'blobs', 'auto'),
    default: 'blobs',
    description: 'Where batches go on L1.',
  }),
  batchType: option<'singular' | 'span'>({
    key: 'batcher.batchType',
    parse: parse.oneOf('singular', 'span'),
    default: 'span',
    description: 'Form of the batches.',
  }),
  compression: option<'zlib' | 'brotli'>({
    key: 'batcher.compression',
    parse: parse.oneOf('zlib', 'brotli'),
    default: 'brotli',
    description: 'How channels are compressed.',
  }),
  maxChannelDuration: option({
    key: 'batcher.maxChannelDuration',
    parse: parse.integer(1, 3600),
    default: 2,
    description: 'L1 blocks after which a channel is sent however empty.',
  }),
  l1Confirmations: option({
    key: 'sequencer.l1Confirmations',
    parse: parse.integer(0, 64),
    default: 4,
    description: 'L1 blocks above an origin before the sequencer takes it.',
  }),
  logLevel: option<LogLevel>({
    key: 'log.level',
    parse: parse.oneOf(...LOG_LEVELS),
    default: 'info',
    description: 'Least severe lines roles write to their files.',
  }),
  slowCrypto: roleOptions.slowCrypto,
  allowSameChainId: allowSameChainIdOption,
} as const

export type DevnetValues = OptionValues<typeof devnetOptions>
