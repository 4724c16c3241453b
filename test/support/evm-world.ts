import { type BlockRules, createForkSchedule, type Fork, forksAtGenesis } from '@keelson/chainspec'
import {
  createMemoryView,
  type HeaderSkeleton,
  type MemoryAccount,
  type MemoryView,
  type OpenBlock,
  type OpenBlockOptions,
  openBlock,
} from '@keelson/evm'
import {
  type Bytes20,
  bigintToBytes,
  createPureCrypto,
  type DepositFields,
  encodeDeposit,
  encodeSignedTransaction,
  hexToBytes,
  L1_BLOCK,
  l2Time,
  SEQUENCER_FEE_VAULT,
  type SignedTransaction,
  signingDigest,
  TX_DEPOSIT,
  TX_FEE_MARKET,
  type UnsignedTransaction,
  ZERO_HASH,
} from '@keelson/primitives'
import { createTestEngine } from './test-engine.ts'

export const crypto = createPureCrypto()
export const engine = createTestEngine({ crypto })
export const CHAIN_ID = 901n
export const ETHER = 10n ** 18n
const KEY = new Uint8Array(32).fill(7)
export const ALICE: Bytes20 = crypto.addressOf(KEY)
export const BOB: Bytes20 = new Uint8Array(20).fill(0xb0)
export const CONTRACT: Bytes20 = new Uint8Array(20).fill(0xc0)

export function opRules(fork: Fork): BlockRules {
  return createForkSchedule({ times: forksAtGenesis(fork) }).blockRules(l2Time(0))
}

export function word(value: bigint): Uint8Array {
  return bigintToBytes(value, 32)
}

export function l1BlockAccount(values: {
  baseFeeWei?: bigint
  baseFeeScalar?: bigint
  operatorFeeScalar?: bigint
  operatorFeeConstant?: bigint
  daFootprintGasScalar?: bigint
}): MemoryAccount {
  const scalars = (values.baseFeeScalar ?? 0n) << 96n
  const operator =
    ((values.daFootprintGasScalar ?? 0n) << 96n) | ((values.operatorFeeScalar ?? 0n) << 64n) | (values.operatorFeeConstant ?? 0n)
  return {
    address: hexToBytes(L1_BLOCK),
    nonce: 1n,
    storage: [
      [word(1n), word(values.baseFeeWei ?? 0n)],
      [word(3n), word(scalars)],
      [word(8n), word(operator)],
    ],
  }
}

export interface TestBlock {
  readonly block: OpenBlock
  readonly view: MemoryView
}

export function openTestBlock(
  rules: BlockRules,
  accounts: readonly MemoryAccount[],
  header: Partial<HeaderSkeleton> = {},
  options: Partial<OpenBlockOptions> = {},
): TestBlock {
  const view = createMemoryView(accounts)
  const block = openBlock({
    engine,
    view,
    header: {
      parentHash: ZERO_HASH,
      number: 100,
      timestampSec: 1000,
      gasLimit: 30_000_000n,
      baseFeeWei: 10n,
      feeRecipient: SEQUENCER_FEE_VAULT,
      mixHash: ZERO_HASH,
      difficulty: 0n,
      parentBeaconBlockRoot: null,
      excessBlobGas: 0n,
      ...header,
    },
    rules,
    transition: null,
    chainId: CHAIN_ID,
    crypto,
    blockHash: () => null,
    ...options,
  })
  return { block, view }
}

export function sign(tx: UnsignedTransaction): SignedTransaction {
  return encodeSignedTransaction(tx, crypto.sign(signingDigest(tx), KEY))
}

export function transfer(changes: Partial<UnsignedTransaction & { type: typeof TX_FEE_MARKET }> = {}): SignedTransaction {
  return sign({
    type: TX_FEE_MARKET,
    chainId: CHAIN_ID,
    nonce: 0n,
    gasLimit: 21_000n,
    maxFeePerGasWei: 100n,
    maxPriorityFeePerGasWei: 1n,
    to: BOB,
    valueWei: 1n,
    data: new Uint8Array(0),
    accessList: [],
    ...changes,
  })
}

export function deposit(changes: Partial<DepositFields> = {}) {
  return encodeDeposit({
    type: TX_DEPOSIT,
    sourceHash: new Uint8Array(32).fill(1),
    from: ALICE,
    to: BOB,
    mintWei: 0n,
    valueWei: 0n,
    gasLimit: 100_000n,
    isSystemTx: false,
    data: new Uint8Array(0),
    ...changes,
  })
}
