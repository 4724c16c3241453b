/** A test can cut calls in either direction. */
import {
  type Arbiter,
  type Candidate,
  type ConductorOptions,
  createArbiter,
  createBlockProofCheck,
  createCandidateClient,
  createCandidateMethods,
  createOperatorMethods,
  defaultConductorOptions,
  openDiskLedger,
} from '@keelson/conductor'
import { createConductorClient, DEFAULT_SEQUENCER_OPTIONS, type UnsafeGossip } from '@keelson/consensus'
import { l2BlockRefOf } from '@keelson/derivation'
import type { EngineApi, Hash, PayloadEnvelope } from '@keelson/primitives'
import { createMemoryStore, createMetrics, type KeyValueStore, type RpcMethods } from '@keelson/runtime'
import { createRecordingLogger, type RecordingLogger } from './recording-logger.ts'
import { BLOCK_PROVER, createWorld, type Wire, type World, type WorldNode, type WorldOptions } from './world.ts'

export interface Faults {
  cannotBuild: boolean
  gossipCut: boolean
  unreachable: boolean
  cutOff: boolean
  /** The conductor records its requests, but answers are lost. */
  answersLost: boolean
  alone: boolean
}

export interface Member extends Faults {
  readonly id: string
  readonly node: WorldNode
}

export interface HandOverWorld {
  readonly world: World
  readonly members: readonly Member[]
  readonly arbiter: Arbiter
  readonly log: RecordingLogger
  readonly sealed: ReadonlyMap<number, ReadonlySet<Hash>>
  methodsOf(id: string): RpcMethods
  readonly operator: RpcMethods
  restartConductor(options?: { readonly emptied?: boolean }): void
  conductorDown: boolean
  member(id: string): Member
  leading(): Member | null
  advance(seconds: number): Promise<void>
  until(what: string, holds: () => boolean | Promise<boolean>, limitSec?: number): Promise<number>
  kill(member: Member): void
  revive(member: Member): Promise<void>
}

export interface HandOverOptions extends WorldOptions {
  readonly members?: number
  readonly arbiter?: Partial<ConductorOptions>
}

const STEP_MS = 500
const context = { signal: new AbortController().signal, transport: 'http' as const }

async function overWire(methods: RpcMethods, method: string, params: readonly unknown[]): Promise<unknown> {
  const handler = methods[method]
  if (handler === undefined) throw new Error(`the method ${method} does not exist`)
  const answer = await handler(JSON.parse(JSON.stringify(params)) as unknown[], context)
  return answer === undefined ? null : JSON.parse(JSON.stringify(answer))
}

function cuttable(member: UnsafeGossip, cut: () => boolean, onPublish: (envelope: PayloadEnvelope) => void): UnsafeGossip {
  return {
    ...member,
    async publish(envelope) {
      onPublish(envelope)
      if (!cut()) await member.publish(envelope)
    },
    onPayload: (handler) => member.onPayload((envelope, from) => (cut() ? undefined : handler(envelope, from))),
    requestPayload: async (number, hash) => (cut() ? null : member.requestPayload(number, hash)),
  }
}

function withoutBuilding(engine: EngineApi, faulty: () => boolean): EngineApi {
  return {
    newPayload: (...params) => engine.newPayload(...params),
    getPayload: (...params) => engine.getPayload(...params),
    async forkchoiceUpdated(state, attributes) {
      if (attributes !== null && faulty()) throw new Error('out of memory')
      return engine.forkchoiceUpdated(state, attributes)
    },
  }
}

export async function createHandOverWorld(options: HandOverOptions = {}): Promise<HandOverWorld> {
  const members: Member[] = []
  const ids = Array.from({ length: options.members ?? 2 }, (_, i) => `sequencer-${i + 1}`)
  const log = createRecordingLogger()
  let store: KeyValueStore = createMemoryStore()
  let arbiter: Arbiter
  let conductorDown = false
  let nextStepMs = 0

  const proof = createBlockProofCheck({ ...BLOCK_PROVER, signer: () => BLOCK_PROVER.signer.address })
  const methodsOf = (id: string) => createCandidateMethods(arbiter, id, proof)
  const conductorFor = (id: string, faults: Faults) =>
    createConductorClient(async (method, params) => {
      if (faults.alone) return method === 'conductor_leader' ? true : null
      if (conductorDown || faults.cutOff) throw new Error('connection refused')
      const answer = await overWire(methodsOf(id), method, params)
      if (faults.answersLost) throw new Error('timed out')
      return answer
    }, BLOCK_PROVER)
  const sealed = new Map<number, Set<Hash>>()
  const noteSealed = ({ payload }: PayloadEnvelope) =>
    void sealed.set(payload.blockNumber, (sealed.get(payload.blockNumber) ?? new Set()).add(payload.blockHash))
  const frozen = (id: string) => members.find((member) => member.id === id)?.node.frozen === true
  const wireOf =
    (id: string, faults: Faults): Wire =>
    (real) => ({
      ...real,
      conductor: conductorFor(id, faults),
      engine: withoutBuilding(real.engine, () => faults.cannotBuild),
      gossip: real.gossip === null ? null : cuttable(real.gossip, () => faults.gossipCut || frozen(id), noteSealed),
    })
  const sequencer = { ...DEFAULT_SEQUENCER_OPTIONS, l1Confirmations: 0, ...options.sequencer }
  const faultsOf = ids.map(
    (): Faults => ({ cannotBuild: false, gossipCut: false, unreachable: false, cutOff: false, answersLost: false, alone: false }),
  )
  const world = await createWorld({ ...options, wire: wireOf(ids[0] as string, faultsOf[0] as Faults) })
  for (const [i, id] of ids.entries()) {
    const faults = faultsOf[i] as Faults
    const node =
      i === 0 ? world.sequencer : await world.addFollower(id, { consensus: { role: 'sequencer', sequencer }, wire: wireOf(id, faults) })
    members.push(Object.assign(faults, { id, node }))
  }
  const candidates: readonly Candidate[] = members.map((member) =>
    createCandidateClient(member.id, `memory:${member.id}`, async (method, params) => {
      if (member.node.frozen || member.unreachable) throw new Error('connection refused')
      const { consensus } = member.node
      const answer = await overWire({ ...consensus.methods, ...consensus.adminMethods }, method, params)
      if (member.node.frozen) throw new Error('connection reset')
      return answer
    }),
  )
  const newArbiter = () =>
    createArbiter(
      { ...defaultConductorOptions(world.config.blockTimeSec), ...options.arbiter },
      {
        candidates,
        ledger: openDiskLedger(store),
        peers: null,
        l1: {
          async hashAt(number) {
            if (world.l1.unreachable) throw new Error('L1 does not answer')
            return (await world.l1.reader.blockRef(number))?.hash ?? null
          },
        },
        originOf: ({ payload }) => l2BlockRefOf(payload, world.config.genesis).l1Origin,
        clock: world.clock,
        log,
        metrics: createMetrics('keelson_conductor'),
      },
    )
  arbiter = newArbiter()

  const handOver: HandOverWorld = {
    world,
    members,
    log,
    sealed,
    get arbiter() {
      return arbiter
    },
    get conductorDown() {
      return conductorDown
    },
    set conductorDown(value) {
      conductorDown = value
    },
    methodsOf,
    get operator() {
      return createOperatorMethods(arbiter)
    },
    restartConductor({ emptied = false } = {}) {
      if (emptied) store = createMemoryStore()
      arbiter = newArbiter()
      nextStepMs = 0
    },
    member: (id) => members.find((member) => member.id === id) as Member,
    leading: () => members.find(({ id, node }) => arbiter.leads(id) && !node.frozen && node.consensus.sequencer?.active === true) ?? null,
    async advance(seconds) {
      const untilMs = world.clock.nowMs() + seconds * 1000
      while (world.clock.nowMs() < untilMs) {
        await world.clock.advance(Math.min(STEP_MS, untilMs - world.clock.nowMs()))
        world.l1.mineUntil(Math.floor(world.clock.nowMs() / 1000))
        await world.settle()
        if (conductorDown || world.clock.nowMs() < nextStepMs) continue
        nextStepMs = world.clock.nowMs() + (await arbiter.step())
        await world.settle()
      }
    },
    async until(what, holds, limitSec = 60) {
      const startMs = world.clock.nowMs()
      while (!(await holds())) {
        if (world.clock.nowMs() - startMs > limitSec * 1000) throw new Error(`not within ${limitSec} s: ${what}`)
        await handOver.advance(STEP_MS / 1000)
      }
      return (world.clock.nowMs() - startMs) / 1000
    },
    kill(member) {
      member.node.frozen = true
    },
    async revive(member) {
      member.node.frozen = false
      await member.node.restart()
    },
  }
  return handOver
}
