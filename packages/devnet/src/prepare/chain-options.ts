import { type OptionValues, optionalOption, optionParsers as parse, Secret } from '@keelson/runtime'
import { DEV_ACCOUNTS, type DevAccount } from '../genesis/devnet/dev-accounts.ts'
import { DEFAULT_DEVNET_PARAMETERS, type DevnetParameters } from '../genesis/devnet/devnet-parameters.ts'
import { accountsOfMnemonic, isMnemonic } from './dev-mnemonic.ts'

const DEFAULTS = DEFAULT_DEVNET_PARAMETERS
const COIN = 10n ** 18n
const DEFAULT_MNEMONIC = 'test test test test test test test test test test test junk'
const MAX_ACCOUNTS = 100
const MAX_COINS = 1_000_000_000
/** Limits of the SystemConfig contract: 20 million gas for deposits and one million for L1 info. */
const LEAST_GAS_LIMIT = 21_000_000
const MOST_GAS_LIMIT = 200_000_000

const mnemonic = Object.assign(
  (value: unknown): Secret<string> => {
    if (typeof value === 'string' && isMnemonic(value)) return new Secret(value)
    throw new parse.SecretValueError('expected 12, 15, 18, 21 or 24 words in lower case, with one space between them')
  },
  { placeholder: '<words>', schema: parse.text.schema },
)

const withNewChain = (sentence: string, fallback: string | number) => `${sentence}, chosen with a new chain. Default: ${fallback}.`

/** Properties of a new chain, for which null selects the default. */
export const chainOptions = {
  accounts: optionalOption({
    key: 'accounts',
    parse: parse.integer(1, MAX_ACCOUNTS),
    description: withNewChain('Funded accounts', DEV_ACCOUNTS.length),
  }),
  mnemonic: optionalOption({
    key: 'mnemonic',
    parse: mnemonic,
    secret: true,
    description:
      "Words that the accounts come from, at m/44'/60'/0'/0/N, chosen with a new chain. The keys are printed, and kept in the data folder: use no words of a wallet that owns anything. Default: those of anvil and Hardhat.",
  }),
  balance: optionalOption({
    key: 'balance',
    parse: parse.integer(0, MAX_COINS),
    description: withNewChain('Whole coins of each account on L1 and on L2', String(DEFAULTS.fundingWei / COIN)),
  }),
  blockTime: optionalOption({
    key: 'blockTime',
    parse: parse.integer(1, 60),
    description: withNewChain('Seconds between L2 blocks, at most those between L1 blocks', DEFAULTS.l2BlockTimeSec),
  }),
  gasLimit: optionalOption({
    key: 'gasLimit',
    parse: parse.integer(LEAST_GAS_LIMIT, MOST_GAS_LIMIT),
    description: withNewChain('Gas limit of L2 blocks', String(DEFAULTS.l2GasLimit)),
  }),
} as const

export type ChainChoice = OptionValues<typeof chainOptions> & { readonly chainId: number | null }

export interface DevAccounts {
  readonly balanceWei: bigint
  readonly accounts: readonly DevAccount[]
}

export const DEFAULT_DEV_ACCOUNTS: DevAccounts = { balanceWei: DEFAULTS.fundingWei, accounts: DEV_ACCOUNTS }

export function chosenAccounts({ accounts, mnemonic: words, balance }: Partial<ChainChoice>): DevAccounts {
  const count = accounts ?? DEV_ACCOUNTS.length
  const isDefault = (words ?? null) === null && count <= DEV_ACCOUNTS.length
  return {
    balanceWei: balance === null || balance === undefined ? DEFAULTS.fundingWei : BigInt(balance) * COIN,
    accounts: isDefault ? DEV_ACCOUNTS.slice(0, count) : accountsOfMnemonic(words?.reveal() ?? DEFAULT_MNEMONIC, count),
  }
}

export function chosenParameters({ chainId, blockTime, gasLimit }: Partial<ChainChoice>): Partial<DevnetParameters> {
  const given = <T, R>(value: T | null | undefined, make: (value: T) => R) => (value === null || value === undefined ? {} : make(value))
  return {
    ...given(chainId, (id) => ({ l2ChainId: BigInt(id) })),
    ...given(blockTime, (l2BlockTimeSec) => ({ l2BlockTimeSec })),
    ...given(gasLimit, (gas) => ({ l2GasLimit: BigInt(gas) })),
  }
}
