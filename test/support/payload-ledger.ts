/** Executes nothing: a block hash depends only on the attributes. */
import type { RollupConfig } from '@keelson/chainspec'
import type { L2Reader } from '@keelson/derivation'
import {
  bigintToBytes,
  concatBytes,
  type ExecutionPayload,
  type Hash,
  hexToBytes,
  keccak256,
  l2Time,
  type PayloadAttributes,
  payloadHash,
  toHash,
  ZERO_ADDRESS,
  ZERO_HASH,
} from '@keelson/primitives'

export interface PayloadLedger extends L2Reader {
  readonly head: ExecutionPayload
  readonly hashes: readonly Hash[]
  block(number: number): ExecutionPayload
  append(parent: Hash, attributes: PayloadAttributes): ExecutionPayload
  rewind(number: number): void
}

type Rules = Pick<RollupConfig, 'forks'>

const CANYON_PARAMS = hexToBytes('0x000000fa00000006')

function extraDataOf(attributes: PayloadAttributes): Uint8Array {
  const { eip1559Params, minBaseFeeWei } = attributes
  if (eip1559Params === null) return new Uint8Array(0)
  const params = eip1559Params.every((byte) => byte === 0) ? CANYON_PARAMS : eip1559Params
  const minimum = minBaseFeeWei === null ? new Uint8Array(0) : bigintToBytes(minBaseFeeWei, 8)
  return concatBytes(Uint8Array.of(minBaseFeeWei === null ? 0 : 1), params, minimum)
}

function payloadOf(parentHash: Hash, number: number, attributes: PayloadAttributes, rules: Rules | null): ExecutionPayload {
  const digest = toHash(keccak256(hexToBytes(parentHash)))
  const isthmus = rules?.forks.blockRules(l2Time(attributes.timestampSec)).withdrawals === 'storage-root'
  const payload: ExecutionPayload = {
    parentHash,
    feeRecipient: attributes.feeRecipient,
    stateRoot: digest,
    receiptsRoot: digest,
    logsBloom: new Uint8Array(256),
    prevRandao: attributes.prevRandao,
    blockNumber: number,
    gasLimit: attributes.gasLimit,
    gasUsed: 0n,
    timestampSec: attributes.timestampSec,
    extraData: extraDataOf(attributes),
    baseFeeWei: 1n,
    blockHash: ZERO_HASH,
    transactions: attributes.transactions,
    withdrawals: attributes.withdrawals,
    blobGasUsed: attributes.parentBeaconBlockRoot === null ? null : 0n,
    excessBlobGas: attributes.parentBeaconBlockRoot === null ? null : 0n,
    withdrawalsRoot: isthmus ? digest : null,
  }
  return { ...payload, blockHash: payloadHash(payload, attributes.parentBeaconBlockRoot) }
}

export function genesisPayload(timestampSec: number, gasLimit: bigint): ExecutionPayload {
  return payloadOf(
    ZERO_HASH,
    0,
    {
      timestampSec,
      prevRandao: ZERO_HASH,
      feeRecipient: ZERO_ADDRESS,
      withdrawals: null,
      parentBeaconBlockRoot: null,
      transactions: [],
      noTxPool: true,
      gasLimit,
      eip1559Params: null,
      minBaseFeeWei: null,
    },
    null,
  )
}

export function createPayloadLedger(config: RollupConfig, genesis: ExecutionPayload): PayloadLedger {
  const byHash = new Map<Hash, ExecutionPayload>([[genesis.blockHash, genesis]])
  const canonical = [genesis]
  const find = (at: number | Hash) => (typeof at === 'number' ? canonical[at] : byHash.get(at))
  return {
    get head() {
      return canonical[canonical.length - 1] as ExecutionPayload
    },
    get hashes() {
      return canonical.map((payload) => payload.blockHash)
    },
    block(number) {
      const payload = canonical[number]
      if (payload === undefined) throw new Error(`the ledger ends before block ${number}`)
      return payload
    },
    async payload(at) {
      const payload = find(at)
      return payload === undefined ? null : { payload, parentBeaconBlockRoot: null }
    },
    append(parent, attributes) {
      const on = byHash.get(parent)
      if (on === undefined) throw new Error(`no block ${parent} to build on`)
      const payload = payloadOf(parent, on.blockNumber + 1, attributes, config)
      byHash.set(payload.blockHash, payload)
      canonical.length = on.blockNumber + 1
      canonical.push(payload)
      return payload
    },
    rewind(number) {
      canonical.length = Math.min(canonical.length, number + 1)
    },
  }
}
