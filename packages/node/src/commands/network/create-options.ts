import { ETH_FORKS, type EthFork } from '@keelson/chainspec'
import { DEFAULT_CURRENCY_SYMBOL } from '@keelson/devnet/network-files'
import { option, optionalOption, optionParsers as parse } from '@keelson/runtime'
import { PRESETS, type Preset } from '../../make-network/presets.ts'
import { blockTimeOption } from '../../networks/block-time-option.ts'
import { currencySymbol, MAX_SYMBOL_LENGTH } from '../../networks/currency-symbol.ts'
import { feeOptions } from '../bridge/fee-options.ts'
import { amountText, keyOptions } from '../bridge/transfer-options.ts'
import { jsonOption } from '../validator/validator-folder.ts'

const role = (name: 'admin' | 'batcher' | 'proposer' | 'sequencer', what: string) =>
  optionalOption({
    key: `network.${name}`,
    flag: name,
    parse: parse.address,
    description: `${what} Required with --l1.rpc, unless --make-keys makes it.`,
  })

const startBlock = Object.assign(
  (value: unknown): string => {
    const text = typeof value === 'number' ? String(value) : parse.text(value)
    if (['finalized', 'safe', 'latest'].includes(text) || /^\d{1,15}$/.test(text)) return text
    throw new parse.OptionValueError(`expected finalized, safe, latest or a block number, got "${text.slice(0, 40)}"`)
  },
  { placeholder: '<block>', schema: { type: ['integer', 'string'], minimum: 0 } as const },
)

export const createOptions = {
  out: option({ key: 'network.out', flag: 'out', parse: parse.path, description: 'New folder for the files of the network.' }),
  preset: optionalOption<Preset>({
    key: 'network.preset',
    flag: 'preset',
    parse: parse.oneOf(...PRESETS),
    description:
      'Parameters: devnet (short periods, public keys), test (minimum stake 1,000) or main (10,000; both with real hours and days).',
  }),
  from: optionalOption({
    key: 'network.from',
    flag: 'from',
    parse: parse.path,
    description: 'network.json of a network to recreate byte for byte, in place of all other options.',
  }),
  chainId: optionalOption({
    key: 'network.chainId',
    flag: 'chain-id',
    parse: parse.bigInteger,
    description: 'Chain id of L2. Default: 84532; required with main.',
  }),
  admin: role('admin', 'Account that owns the contracts, guards the bridge and rules on disputes.'),
  batcher: role('batcher', 'Account that sends batches to L1.'),
  proposer: role('proposer', 'Account that sends output roots to L1.'),
  sequencer: role('sequencer', 'Account whose key signs gossiped blocks.'),
  makeKeys: optionalOption({
    key: 'network.makeKeys',
    flag: 'make-keys',
    parse: parse.path,
    description: 'New folder outside --out for new keys of the roles that are not given. Without it no key is written.',
  }),
  blockTime: blockTimeOption,
  set: option({
    key: 'network.set',
    flag: 'set',
    parse: parse.list(parse.text),
    default: [],
    description: 'NAME=VALUE of a parameter by its name in network.json, such as submissionIntervalBlocks=60 or staking.seats=50.',
  }),
  symbol: option({
    key: 'symbol',
    parse: currencySymbol,
    default: DEFAULT_CURRENCY_SYMBOL,
    description: `Symbol of the native currency, at most ${MAX_SYMBOL_LENGTH} characters.`,
  }),
  genesisTime: optionalOption({
    key: 'network.genesisTime',
    flag: 'genesis-time',
    parse: parse.integer(0, 2 ** 40),
    description: 'Time of both first blocks of a devnet with an L1 of its own, in unix seconds. Default: now.',
  }),
  l1Rpc: optionalOption({
    key: 'l1.rpc',
    parse: parse.httpUrl,
    description: 'RPC of an existing L1. Without it, the preset devnet gets its own development L1.',
  }),
  l1ChainConfig: optionalOption({
    key: 'l1.chainConfig',
    parse: parse.path,
    description: "File with the forks and the blob schedule of that L1, in geth's form (the config of its genesis.json, or l1-chain.json).",
  }),
  l1Fork: optionalOption<EthFork>({
    key: 'l1.fork',
    parse: parse.oneOf(...ETH_FORKS),
    description: 'In place of that file: the fork that your own L1 activates in its first block.',
  }),
  l1StartBlock: option({
    key: 'l1.startBlock',
    parse: startBlock,
    default: 'finalized',
    description: "Block of L1 that L2 begins at, before the contracts; its time is that of L2's first block.",
  }),
  l1Addresses: optionalOption({
    key: 'l1.addresses',
    parse: parse.path,
    description:
      'addresses.json of contracts already on L1, which are compared with the parameters. Without it, the contracts are deployed.',
  }),
  l1Confirmations: option({
    key: 'l1.confirmations',
    parse: parse.integer(1, 1000),
    default: 1,
    description: 'L1 blocks until a deployment counts as confirmed, including the block that contains it.',
  }),
  allowSameChainId: option({
    key: 'allowSameChainId',
    parse: parse.toggle,
    default: false,
    description: 'Accept one chain id for L1 and L2: transactions of one can be replayed on the other.',
  }),
  ...feeOptions,
  maxFee: option({
    key: 'fees.maxFee',
    flag: 'max-fee',
    parse: amountText,
    default: '1',
    description: 'Maximum fee of one transaction of the deployment, in coins; at a higher price nothing is sent.',
  }),
  ...keyOptions,
  json: jsonOption,
} as const
