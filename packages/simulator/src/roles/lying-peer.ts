/** A peer that gossips blocks which honest nodes must refuse, some of them signed with the sequencer's key. */
import type { BlockRules } from '@keelson/chainspec'
import { createLocalBlockSigner, type GossipedBlock, type MemoryGossipNetwork, type UnsafeGossip } from '@keelson/consensus'
import { DEV_ROLES } from '@keelson/devnet/genesis'
import { nextBaseFeeWei } from '@keelson/evm'
import {
  type BlockSigningRequest,
  type ExecutionPayload,
  type Hash,
  hexToBytes,
  l2Time,
  type PayloadEnvelope,
  payloadHash,
  type Random,
  toHash,
} from '@keelson/primitives'
import type { SimProcess } from '../core/sim-process.ts'
import { openBlockValidator } from './consensus-role.ts'
import type { Host } from './host.ts'
import type { RollupNetwork } from './rollup-network.ts'

export const LIAR = 'liar'

type Sign = (request: BlockSigningRequest) => Promise<Uint8Array>

const OWN_KEY = new Uint8Array(32).fill(0x6c)
const BLOCK_TIME_SEC = 2
const MAX_HEARD = 64
/** Those of an hour; gossip refuses blocks that are older than a minute. */
const MAX_FORGED = 1_800
/** Gossip refuses blocks that are more than five seconds ahead. */
const LEAST_AHEAD_SEC = 6
const MOST_AHEAD_SEC = 100_000
const MAX_ANSWER_BYTES = 2_000

export class LyingPeer {
  /** Messages so far. */
  published = 0
  /** The latest blocks that bear its own signature alone. */
  readonly forged = new Set<Hash>()
  readonly #open: () => Host
  readonly #network: RollupNetwork
  readonly #gossip: MemoryGossipNetwork
  #process: SimProcess | null = null
  #member: UnsafeGossip | null = null
  #heard: GossipedBlock[] = []
  #sign: Sign = async () => new Uint8Array(65)

  constructor(open: () => Host, network: RollupNetwork, gossip: MemoryGossipNetwork) {
    this.#open = open
    this.#network = network
    this.#gossip = gossip
  }

  /** Null unless it takes part. */
  get process(): SimProcess | null {
    return this.#process
  }

  join({ hasKey }: { readonly hasKey: boolean }): void {
    const host = this.#open()
    const { process, world } = host
    const { config } = this.#network
    const sequencer = createLocalBlockSigner(world.crypto, hexToBytes(DEV_ROLES.sequencer.privateKey))
    const own = createLocalBlockSigner(world.crypto, OWN_KEY)
    const validator = openBlockValidator(host, config, sequencer.address)
    const signer = { sign: (request: BlockSigningRequest) => this.#sign(request) }
    const member = this.#gossip.join({ name: LIAR, chainId: config.l2ChainId, validator, signer })
    member.onSignedBlock((block) => {
      void this.#answerWithLies(member, block, hasKey ? [own.sign, sequencer.sign] : [own.sign], process.random)
    })
    member.serve({ answer: async () => process.random.bytes(Math.floor(process.random.next() * MAX_ANSWER_BYTES)) })
    this.#process = process
    this.#member = member
    process.after(0, 'start', () => void member.start())
  }

  leave(): void {
    void this.#member?.stop()
    this.#process?.kill()
    this.#process = null
    this.#member = null
    this.#heard = []
  }

  async #answerWithLies(member: UnsafeGossip, block: GossipedBlock, keys: readonly Sign[], random: Random): Promise<void> {
    this.#heard = [...this.#heard, block].slice(-MAX_HEARD)
    const publish = async (envelope: PayloadEnvelope, sign: Sign) => {
      this.#sign = sign
      this.published++
      await member.publish(envelope)
    }
    const old = this.#heard[Math.floor(random.next() * this.#heard.length)] as GossipedBlock
    await publish(old.envelope, async () => old.signature)
    const lie = LIES[Math.floor(random.next() * LIES.length)] as Lie
    const sign = keys[Math.floor(random.next() * keys.length)] as Sign
    const wrong = lie(block.envelope, random, (timestampSec) => this.#network.config.forks.blockRules(l2Time(timestampSec)))
    this.#note(wrong.payload.blockHash, sign === keys[0])
    await publish(wrong, sign)
  }

  #note(hash: Hash, isForged: boolean): void {
    this.forged.delete(hash)
    if (isForged) this.forged.add(hash)
    if (this.forged.size > MAX_FORGED) this.forged.delete(this.forged.values().next().value as Hash)
  }
}

type Lie = (envelope: PayloadEnvelope, random: Random, rules: (timestampSec: number) => BlockRules) => PayloadEnvelope

const otherHash = (random: Random): Hash => toHash(random.bytes(32))

const wrongState: Lie = (envelope, random) => sealed(envelope, { stateRoot: otherHash(random) })
const wrongReceipts: Lie = (envelope, random) => sealed(envelope, { receiptsRoot: otherHash(random) })
const wrongParent: Lie = (envelope, random) => sealed(envelope, { parentHash: otherHash(random) })
const wrongHash: Lie = ({ payload, parentBeaconBlockRoot }, random) => ({
  payload: { ...payload, blockHash: otherHash(random) },
  parentBeaconBlockRoot,
})
const farFuture: Lie = (envelope, random) =>
  sealed(envelope, { timestampSec: envelope.payload.timestampSec + LEAST_AHEAD_SEC + Math.floor(random.next() * MOST_AHEAD_SEC) })
/** A child that comes before the honest one, and is right up to its state. */
const wrongChild: Lie = (envelope, random, rules) => {
  const { payload } = envelope
  const timestampSec = payload.timestampSec + BLOCK_TIME_SEC
  return sealed(envelope, {
    parentHash: payload.blockHash,
    blockNumber: payload.blockNumber + 1,
    timestampSec,
    baseFeeWei: nextBaseFeeWei(payload, rules(timestampSec)),
    transactions: payload.transactions.slice(0, 1),
    stateRoot: otherHash(random),
  })
}
const noTransactions: Lie = (envelope) => sealed(envelope, { transactions: [] })

const LIES: readonly Lie[] = [wrongState, wrongReceipts, wrongParent, wrongHash, farFuture, wrongChild, noTransactions]

function sealed({ payload, parentBeaconBlockRoot }: PayloadEnvelope, change: Partial<ExecutionPayload>): PayloadEnvelope {
  const changed = { ...payload, ...change }
  return { payload: { ...changed, blockHash: payloadHash(changed, parentBeaconBlockRoot) }, parentBeaconBlockRoot }
}
