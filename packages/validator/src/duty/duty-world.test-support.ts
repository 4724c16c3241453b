import type { SeenAttestation } from '@keelson/contracts'
import { decodeParameters, encodeStakingSignature, OWN_CONTRACTS, type SignedAttestation } from '@keelson/contracts'
import { type Address, bytesToHex, type Hash, type L2BlockRef, type Logger, l2Time, type SyncStatus, ZERO_HASH } from '@keelson/primitives'
import { createManualClock, createMemoryStore, createMetrics, type KeyValueStore } from '@keelson/runtime'
import { ANCHOR, addressOf, crypto, hashOf, privateKeyOf } from '../attestation.test-support.ts'
import { createGuardedSigner } from '../guarded-signer.ts'
import { createSlashingProtection } from '../protection/create-protection.ts'
import { initialiseProtectionStore } from '../protection/protection-store.ts'
import { signingRequestDigest } from '../signer.ts'
import type { KeyPosition, Seen, StakingChain, StakingEvents } from '../staking/staking-chain.ts'
import { createDutyLoop } from './duty-loop.ts'
import type { DutyLoopOptions, KeyStatus } from './duty-ports.ts'

export const TERMS = {
  epochBlocks: 15,
  graceBlocks: 10,
  dayBlocks: 90,
  maxDowntimeDays: 30,
  evidenceBlocks: 90,
  unbondingBlocks: 150,
  seats: 100,
  minimumStakeWei: 1_000n,
  retentionStakeWei: 950n,
  rewardPerBlockWei: 2n,
}
const START_SEC = 1_700_000_000
const BLOCK_SEC = 2
const CHAIN_ID = 901n
const TURNS = 20

function createRecordingLogger() {
  const messages: string[] = []
  const keep = (message: string) => void messages.push(message)
  const log: Logger = { debug: keep, info: keep, warn: keep, error: keep, child: () => log }
  return { ...log, matching: (text: string) => messages.filter((message) => message.includes(text)) }
}

interface Sent {
  readonly label: string
  readonly data: Uint8Array
  resolve(receipt: { succeeded: boolean; blockNumber: number; transactionHash: string }): void
  reject(error: Error): void
}

export interface DutyWorldOptions {
  readonly keys?: number
  readonly store?: KeyValueStore
  readonly loop?: Partial<DutyLoopOptions>
  readonly head?: number
  readonly finalized?: number
  readonly second?: boolean
  readonly chance?: number
}

export async function createDutyWorld(options: DutyWorldOptions = {}) {
  const count = options.keys ?? 1
  const keys = Array.from({ length: count }, (_, index) => addressOf(index))
  const clock = createManualClock(0)
  const log = createRecordingLogger()
  const metrics = createMetrics('validator')
  const store = options.store ?? createMemoryStore()
  await initialiseProtectionStore(store, clock)
  const protection = createSlashingProtection(store, { clock })
  for (const key of keys) await protection.beginKey(key)

  const state = {
    head: options.head ?? 50,
    /** Head that the execution client reports; null for the real one. */
    headNumber: null as number | null,
    finalized: options.finalized ?? 40,
    shortfallWei: 0n,
    poolWei: 0n,
    hashes: new Map<number, Hash | null>(),
    positions: new Map<Address, KeyPosition>(),
    events: { attested: [], slashed: [], weights: [] } as {
      attested: Seen<StakingEvents['attested'][number]>[]
      slashed: Seen<StakingEvents['slashed'][number]>[]
      weights: Seen<StakingEvents['weights'][number]>[]
    },
    /** The execution client's final block; undefined: the same as the consensus client's. */
    executionFinal: undefined as number | null | undefined,
    outputs: new Map<number, L2BlockRef>(),
    second: { finalized: 0, blocks: new Map<number, L2BlockRef>(), fails: false },
    gossip: [] as SeenAttestation[],
    gossipFails: false,
    rollupFails: false,
    rollupAnswers: Promise.resolve() as Promise<void>,
    published: [] as SignedAttestation[],
    sent: [] as Sent[],
    journal: [] as { label: string; receipt: Promise<unknown> }[],
    signed: [] as { key: Address; epoch: number; digest: string }[],
  }
  for (const [index, key] of keys.entries()) {
    state.positions.set(key, {
      key,
      record: {
        owner: addressOf(90),
        id: index + 1,
        slashed: false,
        ejected: false,
        payout: addressOf(90),
        availableAt: 0,
        openOffences: 0,
        blockKey: addressOf(91),
        stakeWei: 1_000n,
        unbondingWei: 0n,
        rewardsWei: 0n,
      },
      duty: { silentFrom: 0, activeUntil: 2 ** 48 - 1, lastEpoch: 0, lateFrom: 0, silentBefore: 0, daysPaid: 0 },
      weightWei: 1_000n,
      nextWeightWei: 1_000n,
      silentEpochs: 0,
    })
  }
  const hash = (number: number) => {
    const other = state.hashes.get(number)
    return other === undefined ? hashOf(number) : other
  }
  const ref = (number: number): L2BlockRef => ({
    number,
    hash: number < 0 ? ZERO_HASH : hashOf(number),
    parentHash: hashOf(Math.max(0, number - 1)),
    timestampSec: l2Time(START_SEC + number * BLOCK_SEC),
    l1Origin: { number: Math.floor(number / 6), hash: hashOf(7_000_000 + Math.floor(number / 6)) },
    sequenceNumber: 0,
  })
  const chain: StakingChain = {
    contract: OWN_CONTRACTS.Staking,
    chainId: async () => CHAIN_ID,
    head: async () => ({
      number: state.headNumber ?? state.head,
      hash: hashOf(state.head),
      timestampSec: START_SEC + state.head * BLOCK_SEC,
    }),
    blockHash: async (number) => hash(number),
    finalizedNumber: async () => (state.executionFinal === undefined ? state.finalized : state.executionFinal),
    genesisTimeSec: async () => START_SEC,
    terms: async () => TERMS,
    positions: async (wanted) => ({
      anchor: ANCHOR,
      shortfallWei: state.shortfallWei,
      accounts: { stakesWei: 0n, unbondingWei: 0n, rewardsWei: 0n, poolWei: state.poolWei, slashedWei: 0n },
      totalWeightWei: 1_000n,
      keys: wanted.map((key) => state.positions.get(key) as KeyPosition),
    }),
    ranking: async () => [],
    events: async (wanted, from, to) => {
      const within = <E extends { validator: Address; blockNumber: number }>(event: E) =>
        wanted.includes(event.validator) && event.blockNumber >= from && event.blockNumber <= to
      const { attested, slashed, weights } = state.events
      return { attested: attested.filter(within), slashed: slashed.filter(within), weights: weights.filter(within) }
    },
    firstAttestedEpoch: async () => state.events.attested[0]?.epoch ?? null,
  }
  const signers = keys.map((key, index) =>
    createGuardedSigner(
      {
        address: key,
        async signUnguarded(request) {
          const digest = signingRequestDigest(request)
          if (request.kind === 'attestation') {
            state.signed.push({ key, epoch: request.attestation.epoch, digest: bytesToHex(digest) })
          }
          return encodeStakingSignature(crypto.sign(digest, privateKeyOf(index)))
        },
      },
      protection,
    ),
  )
  const loop = createDutyLoop(
    {
      chainId: CHAIN_ID,
      blockTimeSec: BLOCK_SEC,
      pollIntervalMs: 1_000,
      doppelgangerEpochs: 0,
      maxHeadAgeSec: 60,
      slashingsKnownUntil: 0,
      ...options.loop,
    },
    {
      chain,
      rollup: {
        async syncStatus() {
          await state.rollupAnswers
          if (state.rollupFails) throw new Error('it cannot be reached')
          return { finalizedL2: ref(state.finalized), safeL2: ref(state.head - 10), unsafeL2: ref(state.head) } as SyncStatus
        },
        outputAtBlock: async (at) => ({ block: state.outputs.get(at as number) ?? ref(at as number) }) as never,
      },
      ...(options.second === true && {
        secondRollup: {
          async syncStatus() {
            if (state.second.fails) throw new Error('it cannot be reached')
            return { finalizedL2: ref(state.second.finalized) } as SyncStatus
          },
          outputAtBlock: async (at) => ({ block: state.second.blocks.get(at as number) ?? ref(at as number) }) as never,
        },
      }),
      gossip: {
        async publishAttestation(signed) {
          if (state.gossipFails) throw new Error('no peers')
          state.published.push(signed)
          return 'accepted'
        },
        async attestations(epoch) {
          if (state.rollupFails) throw new Error('it cannot be reached')
          return state.gossip.filter(({ attestation }) => attestation.epoch === epoch)
        },
      },
      signers,
      protection,
      random: { next: () => options.chance ?? 0 },
      sender: {
        address: addressOf(99),
        trouble: () => null,
        recover: async () => state.journal,
        send: ({ label, data }) =>
          new Promise((resolve, reject) => {
            state.sent.push({ label, data, resolve, reject })
          }),
      },
      clock,
      log,
      metrics,
    },
  )
  const world = {
    ref,
    state,
    keys,
    clock,
    log,
    store,
    protection,
    loop,
    async moveTo(head: number) {
      state.head = head
      const timeMs = (START_SEC + head * BLOCK_SEC) * 1000 + 500
      if (timeMs > clock.nowMs()) await clock.advanceTo(timeMs)
    },
    change(key: Address, changes: Partial<KeyPosition>) {
      state.positions.set(key, { ...(state.positions.get(key) as KeyPosition), ...changes })
    },
    async step(): Promise<readonly KeyStatus['state'][]> {
      const step = await loop.step()
      if (step.kind !== 'looked') throw new Error(`the step did not look: ${step.reason}`)
      return step.keys.map(({ state: its }) => its)
    },
    async include(block: number, index = state.sent.length - 1): Promise<void> {
      const sent = state.sent[index] as Sent
      const [, key, epoch] = sent.label.split(' ') as [string, Address, string]
      const before = state.positions.get(key) as KeyPosition
      world.change(key, { duty: { ...before.duty, lastEpoch: Number(epoch) } })
      const [, checkpointNumber, checkpointHash, l1OriginNumber, l1OriginHash] = decodeParameters(
        'uint64,uint64,bytes32,uint64,bytes32',
        sent.data.subarray(4),
      ) as [bigint, bigint, Uint8Array, bigint, Uint8Array]
      const checkpoint = { checkpointNumber: Number(checkpointNumber), checkpointHash: bytesToHex(checkpointHash) as Hash }
      const origin = { l1OriginNumber: Number(l1OriginNumber), l1OriginHash: bytesToHex(l1OriginHash) as Hash }
      state.events.attested.push({
        validator: key,
        epoch: Number(epoch),
        ...checkpoint,
        signed: { attestation: { epoch: Number(epoch), ...checkpoint, ...origin }, signature: new Uint8Array(65) },
        weightWei: 1_000n,
        lateBlocks: block - Number(epoch) * TERMS.epochBlocks,
        blockNumber: block,
      })
      sent.resolve({ succeeded: true, blockNumber: block, transactionHash: hashOf(block) })
      for (let turn = 0; turn < TURNS; turn++) await Promise.resolve()
    },
    async metric(name: string): Promise<string | null> {
      const { text } = await metrics.render()
      return text.split('\n').find((line) => line.startsWith(`keelson_${name}`) || line.startsWith(`validator_${name}`)) ?? null
    },
  }
  await world.moveTo(state.head)
  return world
}

export type DutyWorld = Awaited<ReturnType<typeof createDutyWorld>>
