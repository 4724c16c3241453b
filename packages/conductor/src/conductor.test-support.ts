import {
  type ExecutionPayload,
  type Hash,
  hexToBytes,
  type PayloadEnvelope,
  payloadHash,
  toHash,
  ZERO_ADDRESS,
  ZERO_HASH,
} from '@keelson/primitives'
import type { Candidate, CandidateStatus, TimedBlock } from './ports.ts'

export const BLOCK_TIME_SEC = 2
export const GENESIS_SEC = 1_800_000_000
export const GENESIS: TimedBlock = { number: 0, hash: toHash(`0x${'0a'.repeat(32)}`), timestampSec: GENESIS_SEC }

export function blockOn(parent: TimedBlock, salt = 0): PayloadEnvelope & { readonly block: TimedBlock } {
  const timestampSec = parent.timestampSec + BLOCK_TIME_SEC
  const unhashed: ExecutionPayload = {
    parentHash: parent.hash,
    feeRecipient: ZERO_ADDRESS,
    stateRoot: ZERO_HASH,
    receiptsRoot: ZERO_HASH,
    logsBloom: new Uint8Array(256),
    prevRandao: ZERO_HASH,
    blockNumber: parent.number + 1,
    gasLimit: 30_000_000n,
    gasUsed: BigInt(salt),
    timestampSec,
    extraData: hexToBytes('0x'),
    baseFeeWei: 1n,
    blockHash: ZERO_HASH,
    transactions: [],
    withdrawals: [],
    blobGasUsed: 0n,
    excessBlobGas: 0n,
    withdrawalsRoot: null,
  }
  const hash = payloadHash(unhashed, ZERO_HASH)
  const block = { number: parent.number + 1, hash, timestampSec }
  return { payload: { ...unhashed, blockHash: hash }, parentBeaconBlockRoot: ZERO_HASH, block }
}

export interface FakeCandidate extends Candidate {
  answers: boolean
  state: CandidateStatus
  readonly told: string[]
  readonly chain: Map<number, Hash>
  refuses: string | null
}

export function createFakeCandidate(id: string, unsafe: TimedBlock = GENESIS): FakeCandidate {
  const told: string[] = []
  const candidate: FakeCandidate = {
    id,
    address: `memory:${id}`,
    answers: true,
    refuses: null,
    state: { unsafe, unsafeOrigin: null, safe: GENESIS, active: false, overridden: false, peers: 1 },
    told,
    chain: new Map(),
    async hashAt(number) {
      const { unsafe } = candidate.state
      const hash = number === unsafe.number ? unsafe.hash : candidate.chain.get(number)
      if (!candidate.answers || hash === undefined) throw new Error(`block ${number} is not known`)
      return hash
    },
    async status() {
      if (!candidate.answers) throw new Error('connection refused')
      return candidate.state
    },
    async start(head) {
      if (!candidate.answers) throw new Error('connection refused')
      told.push(`start ${head}`)
      if (candidate.refuses !== null) throw new Error(candidate.refuses)
      candidate.state = { ...candidate.state, active: true }
    },
    async stop() {
      if (!candidate.answers) throw new Error('connection refused')
      told.push('stop')
      candidate.state = { ...candidate.state, active: false }
    },
    async postUnsafePayload({ payload }) {
      told.push(`post ${payload.blockNumber}`)
      if (payload.parentHash !== candidate.state.unsafe.hash) return
      const unsafe = { number: payload.blockNumber, hash: payload.blockHash, timestampSec: payload.timestampSec }
      candidate.state = { ...candidate.state, unsafe }
    },
  }
  return candidate
}
