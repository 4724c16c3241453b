import type { Hash, Logger } from '@keelson/primitives'
import { createManualClock, createMemoryStore, createMetrics, createSilentLogger, type KeyValueStore } from '@keelson/runtime'
import { createArbiter } from './arbiter.ts'
import { blockOn, createFakeCandidate, type FakeCandidate, GENESIS, GENESIS_SEC } from './conductor.test-support.ts'
import { createCandidateMethods, createOperatorMethods } from './conductor-rpc.ts'
import { openDiskLedger } from './disk-ledger.ts'
import { type ConductorOptions, defaultConductorOptions } from './options.ts'
import type { L1Hashes, Ledger } from './ports.ts'

const context = { signal: new AbortController().signal, transport: 'http' as const }

export interface ArbiterSetup {
  readonly options?: Partial<ConductorOptions>
  readonly store?: KeyValueStore
  /** Default: knows the blocks of `canonical`. */
  readonly l1?: L1Hashes
  /** Stands between the arbiter and its ledger on disk. */
  around?(ledger: Ledger): Ledger
}

/** An arbiter of two candidates with its record on disk, at the origin of all blocks: L1 block 1, with the hash of genesis. */
export function setupArbiter({ options = {}, store = createMemoryStore(), l1, around = (ledger) => ledger }: ArbiterSetup = {}) {
  const clock = createManualClock(GENESIS_SEC * 1000)
  const said: string[] = []
  const log: Logger = {
    ...createSilentLogger(),
    error: (message) => void said.push(message),
    warn: (message, fields) => void said.push(`${message}${fields?.leader === undefined ? '' : `: ${fields.leader}`}`),
  }
  const candidates = [createFakeCandidate('a'), createFakeCandidate('b')] as [FakeCandidate, FakeCandidate]
  const canonical = new Map<number, Hash>()
  const arbiter = createArbiter(
    { ...defaultConductorOptions(2), ...options },
    {
      candidates,
      ledger: around(openDiskLedger(store)),
      peers: null,
      l1: l1 ?? { hashAt: async (number) => canonical.get(number) ?? null },
      originOf: () => ({ number: 1, hash: GENESIS.hash }),
      clock,
      log,
      metrics: createMetrics('keelson_conductor'),
    },
  )
  const [a, b] = candidates
  const call = async (id: string, method: string, ...params: unknown[]) =>
    createCandidateMethods(arbiter, id, null)[`conductor_${method}`]?.(params, context)
  const operate = async (method: string, ...params: unknown[]) => createOperatorMethods(arbiter)[`conductor_${method}`]?.(params, context)
  const seal = async (leader: FakeCandidate, salt = 0) => {
    const next = blockOn(leader.state.unsafe, salt)
    const outcome = await arbiter.commit(leader.id, next)
    if (outcome.kind === 'recorded') leader.state = { ...leader.state, unsafe: next.block }
    return { outcome, ...next }
  }
  return { clock, arbiter, a, b, call, operate, seal, canonical, store, said }
}
