import type { BlockRules } from '@keelson/chainspec'
import { type BlockEnv, type CallResult, createMemoryView, type EvmEngine, type MemoryAccount } from '@keelson/evm'
import { type Bytes20, createPureCrypto, type PairingCurves, type SyncKzgVerifier } from '@keelson/primitives'
import { createTestEngine } from './test-engine.ts'

export const CALLER: Bytes20 = new Uint8Array(20).fill(0xca)

export const TEST_ENV: BlockEnv = {
  chainId: 1n,
  number: 1n,
  timestampSec: 1n,
  gasLimit: 1_000_000_000n,
  baseFeeWei: 0n,
  feeRecipient: new Uint8Array(20),
  prevRandao: new Uint8Array(32),
  difficulty: 0n,
  blobBaseFeeWei: 1n,
  blockHash: () => null,
}

export interface TestCall {
  readonly rules: BlockRules
  readonly to: Bytes20
  readonly data?: Uint8Array
  readonly gas: bigint
  readonly accounts?: readonly MemoryAccount[]
  readonly kzg?: SyncKzgVerifier
  readonly curves?: PairingCurves
}

const engines = new Map<string, EvmEngine>()

export async function runCall({ rules, to, data = new Uint8Array(0), gas, accounts = [], kzg, curves }: TestCall): Promise<CallResult> {
  const kind = `${kzg !== undefined} ${curves !== undefined}`
  const engine =
    engines.get(kind) ??
    createTestEngine({
      crypto: createPureCrypto(),
      ...(kzg === undefined ? {} : { kzg }),
      ...(curves === undefined ? {} : { curves }),
    })
  engines.set(kind, engine)
  const session = engine.open(createMemoryView(accounts), TEST_ENV, rules)
  session.beginTx({ origin: CALLER, gasPriceWei: 0n, blobVersionedHashes: [], warmAddresses: [], accessList: [] })
  return session.call({ kind: 'call', from: CALLER, to, valueWei: 0n, data, gas })
}
