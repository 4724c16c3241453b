/** Reads geth's genesis.json and builds the genesis header. The package `state` computes the state root. */
import {
  type Address,
  bigintToBytes,
  CodecError,
  EMPTY_BLOCK_ACCESS_LIST_HASH,
  EMPTY_OMMERS_HASH,
  EMPTY_REQUESTS_HASH,
  EMPTY_TRIE_ROOT,
  formatData,
  formatQuantity,
  type GenesisAccount,
  type Hash,
  type Header,
  padLeft,
  parseAddress,
  parseData,
  parseHash,
  toAddress,
  ZERO_ADDRESS,
  ZERO_HASH,
} from '@keelson/primitives'
import { ChainspecError } from './errors.ts'
import { createJsonReader, type Parse } from './json-reader.ts'
import type { BlockRules } from './rules.ts'

export interface Genesis {
  readonly chainConfig: Readonly<Record<string, unknown>> | null
  readonly accounts: readonly GenesisAccount[]
  readonly number: number
  readonly parentHash: Hash
  readonly timestampSec: number
  readonly extraData: Uint8Array
  readonly gasLimit: bigint
  readonly gasUsed: bigint
  readonly difficulty: bigint
  readonly mixHash: Hash
  readonly feeRecipient: Address
  /** Has 8 bytes. */
  readonly nonce: Uint8Array
  /** Null means 1 gwei. */
  readonly baseFeeWei: bigint | null
  readonly blobGasUsed: bigint | null
  readonly excessBlobGas: bigint | null
}

export const INITIAL_BASE_FEE_WEI = 1_000_000_000n

/** Throws ChainspecError `chainspec/genesis` with every mistake. */
export function loadGenesis(json: unknown): Genesis {
  const mistakes: string[] = []
  const root = createJsonReader(json, mistakes)
  const genesis: Genesis = {
    chainConfig: root.optional<Genesis['chainConfig']>('config', (value) => value as Record<string, unknown>, null),
    accounts: readAccounts(root.optional<object>('alloc', asObject, {}), mistakes),
    number: Number(root.optional('number', hexOrDecimal, 0n)),
    parentHash: root.optional('parentHash', parseHash, ZERO_HASH),
    timestampSec: Number(root.optional('timestamp', hexOrDecimal, 0n)),
    extraData: root.optional('extraData', looseData, new Uint8Array(0)),
    gasLimit: root.required('gasLimit', hexOrDecimal, 0n),
    gasUsed: root.optional('gasUsed', hexOrDecimal, 0n),
    difficulty: root.optional('difficulty', hexOrDecimal, 0n),
    mixHash: root.optional('mixHash', parseHash, ZERO_HASH),
    feeRecipient: root.optional('coinbase', parseAddress, ZERO_ADDRESS),
    nonce: bigintToBytes(BigInt.asUintN(64, root.optional('nonce', hexOrDecimal, 0n)), 8),
    baseFeeWei: root.optional<bigint | null>('baseFeePerGas', hexOrDecimal, null),
    blobGasUsed: root.optional<bigint | null>('blobGasUsed', hexOrDecimal, null),
    excessBlobGas: root.optional<bigint | null>('excessBlobGas', hexOrDecimal, null),
  }
  if (mistakes.length > 0) throw new ChainspecError('chainspec/genesis', 'genesis', mistakes)
  return genesis
}

/** geth writes numbers as hex text, decimal text or JSON numbers. */
const hexOrDecimal: Parse<bigint> = (value, what) => {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value)
  if (typeof value === 'string' && /^(0x[0-9a-fA-F]{1,64}|[0-9]{1,78})$/.test(value)) return BigInt(value)
  throw new CodecError('codec/number', `${what}: expected a hex or decimal number, got ${String(JSON.stringify(value)).slice(0, 80)}`)
}

const asObject: Parse<object> = (value, what) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new CodecError('codec/json', `${what}: expected an object`)
  return value
}

const looseData: Parse<Uint8Array> = (value, what) => (value === '' ? new Uint8Array(0) : parseData(value, what))

/** Storage keys and values may be shorter than 32 bytes. */
const word: Parse<Uint8Array> = (value, what) => {
  const hex = typeof value === 'string' ? value.replace(/^0x/, '') : value
  const bytes = parseData(typeof hex === 'string' ? `0x${hex.length % 2 === 0 ? '' : '0'}${hex}` : hex, what)
  return padLeft(bytes, 32)
}

function readAccounts(alloc: object, mistakes: string[]): GenesisAccount[] {
  return Object.entries(alloc).map(([key, value]) => {
    const path = `alloc.${key}`
    const reader = createJsonReader({ key: key.startsWith('0x') ? key : `0x${key}`, account: value }, mistakes, path)
    const account = createJsonReader(value, mistakes, path)
    return {
      address: reader.required('key', parseAddress, ZERO_ADDRESS),
      nonce: account.optional('nonce', hexOrDecimal, 0n),
      balanceWei: account.optional('balance', hexOrDecimal, 0n),
      code: account.optional('code', looseData, new Uint8Array(0)),
      storage: account.optional('storage', readStorage, []),
    }
  })
}

const readStorage: Parse<[Uint8Array, Uint8Array][]> = (value, what) =>
  Object.entries(asObject(value, what))
    .map(([slot, content]) => [word(slot, `${what} slot`), word(content, `${what}.${slot}`)] as [Uint8Array, Uint8Array])
    .filter(([, content]) => content.some((byte) => byte !== 0))

/** Returns the document that loadGenesis reads. */
export function genesisToJson(genesis: Genesis): Record<string, unknown> {
  const optional = (key: string, value: bigint | null) => (value === null ? {} : { [key]: formatQuantity(value) })
  return {
    ...(genesis.chainConfig === null ? {} : { config: genesis.chainConfig }),
    nonce: formatData(genesis.nonce),
    timestamp: formatQuantity(genesis.timestampSec),
    extraData: formatData(genesis.extraData),
    gasLimit: formatQuantity(genesis.gasLimit),
    difficulty: formatQuantity(genesis.difficulty),
    mixHash: genesis.mixHash,
    coinbase: genesis.feeRecipient,
    number: formatQuantity(genesis.number),
    gasUsed: formatQuantity(genesis.gasUsed),
    parentHash: genesis.parentHash,
    ...optional('baseFeePerGas', genesis.baseFeeWei),
    ...optional('excessBlobGas', genesis.excessBlobGas),
    ...optional('blobGasUsed', genesis.blobGasUsed),
    alloc: Object.fromEntries(
      genesis.accounts.map((account) => [
        toAddress(account.address),
        {
          balance: formatQuantity(account.balanceWei),
          ...(account.nonce === 0n ? {} : { nonce: formatQuantity(account.nonce) }),
          ...(account.code.length === 0 ? {} : { code: formatData(account.code) }),
          ...(account.storage.length === 0
            ? {}
            : { storage: Object.fromEntries(account.storage.map(([slot, value]) => [formatData(slot), formatData(value)])) }),
        },
      ]),
    ),
  }
}

/** Throws ChainspecError `chainspec/genesis` when the rules put `messagePasserStorageRoot` into the header and it is null. */
export function genesisHeader(genesis: Genesis, stateRoot: Hash, messagePasserStorageRoot: Hash | null, rules: BlockRules): Header {
  if (rules.withdrawals === 'storage-root' && messagePasserStorageRoot === null) {
    throw new ChainspecError('chainspec/genesis', 'genesis header', [
      'the storage root of the L2ToL1MessagePasser is needed and was not given',
    ])
  }
  return {
    parentHash: genesis.parentHash,
    ommersHash: EMPTY_OMMERS_HASH,
    feeRecipient: genesis.feeRecipient,
    stateRoot,
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: EMPTY_TRIE_ROOT,
    logsBloom: new Uint8Array(256),
    difficulty: genesis.difficulty,
    number: genesis.number,
    gasLimit: genesis.gasLimit,
    gasUsed: genesis.gasUsed,
    timestampSec: genesis.timestampSec,
    extraData: genesis.extraData,
    mixHash: genesis.mixHash,
    nonce: genesis.nonce,
    baseFeeWei: rules.feeSink === 'miner' ? null : (genesis.baseFeeWei ?? INITIAL_BASE_FEE_WEI),
    withdrawalsRoot:
      rules.withdrawals === 'absent' ? null : rules.withdrawals === 'storage-root' ? messagePasserStorageRoot : EMPTY_TRIE_ROOT,
    blobGasUsed: rules.blobFields ? (genesis.blobGasUsed ?? 0n) : null,
    excessBlobGas: rules.blobFields ? (genesis.excessBlobGas ?? 0n) : null,
    parentBeaconBlockRoot: rules.parentBeaconRoot ? ZERO_HASH : null,
    requestsHash: rules.requests === 'absent' ? null : EMPTY_REQUESTS_HASH,
    blockAccessListHash: rules.blockAccessList ? EMPTY_BLOCK_ACCESS_LIST_HASH : null,
    slotNumber: rules.blockAccessList ? 0n : null,
  }
}
