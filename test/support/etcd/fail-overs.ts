/** Faults of the machine that leads, and how long the others take. */
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { DEADLINE_MS, eventually, patience } from '../eventually.ts'
import type { LeaderNetwork } from './leader-network.ts'
import type { Machine } from './machine.ts'

/** `partition` leaves to the conductor the member of etcd on its machine, which the other members do not reach. */
export const FAULTS = ['kill', 'freeze', 'cut', 'answers-lost', 'partition'] as const
export type Fault = (typeof FAULTS)[number]

export interface FailOver {
  readonly fault: Fault
  readonly from: string
  readonly to: string
  /** From the fault until another conductor leads, and until its first block is on a machine that was not hurt. */
  readonly leaderMs: number
  readonly blockMs: number
}

/** How long the hurt machine stays so after the next leader's block. */
const STAYS_MS = 1_500

/** Separates the etcd of two machines, and each conductor from the etcd of the other machine, or joins them again. */
export function setPartition(one: Machine, other: Machine, isParted: boolean): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    to.etcdDoor.set(from.etcdDoor.port, !isParted)
    const link = from.links.get(to.id)
    if (link !== undefined) link.state = isParted ? 'cut' : 'whole'
  }
}

async function hurt(machine: Machine, others: readonly Machine[], fault: Fault): Promise<void> {
  if (fault === 'kill') await machine.kill()
  else if (fault === 'freeze') machine.freeze()
  else if (fault === 'partition') for (const other of others) setPartition(machine, other, true)
  else for (const link of machine.links.values()) link.state = fault
}

function mend(machine: Machine, others: readonly Machine[], fault: Fault): void {
  if (fault === 'kill') machine.start()
  else if (fault === 'freeze') machine.thaw()
  else if (fault === 'partition') for (const other of others) setPartition(machine, other, false)
  else for (const link of machine.links.values()) link.state = 'whole'
}

/** Hurts the leader's machine, waits for the next leader and its block, and mends the machine. */
export async function failOver(network: LeaderNetwork, fault: Fault): Promise<FailOver> {
  const from = await eventually('a leader', () => network.leader())
  const others = network.machines.filter((machine) => machine !== from)
  await eventually('a standby at the head', async () => (await network.head(others)) >= (await network.head()) - 1)
  const startedMs = performance.now()
  await hurt(from, others, fault)
  const head = await network.head(others)
  const to = await waitFor('another leader', async () => {
    const leads = await Promise.all(others.map((machine) => machine.leads()))
    return others[leads.indexOf(true)] ?? null
  })
  const leaderMs = performance.now() - startedMs
  await waitFor('its block', async () => (await network.head(others)) > head)
  const blockMs = performance.now() - startedMs
  await delay(STAYS_MS)
  mend(from, others, fault)
  await eventually(`the conductor of ${from.id} not leading, and its chain following`, async () => {
    return !(await from.leads()) && (await network.head([from])) >= head
  })
  return { fault, from: from.id, to: to.id, leaderMs, blockMs }
}

/** Looks more often than `eventually`, because the time is measured. */
async function waitFor<T>(what: string, probe: () => Promise<T | null | false>): Promise<T> {
  const limitMs = DEADLINE_MS * patience()
  for (const untilMs = performance.now() + limitMs; performance.now() < untilMs; await delay(25)) {
    const found = await probe()
    if (found !== null && found !== false) return found
  }
  throw new assert.AssertionError({ message: `${what}: not within ${limitMs / 1_000} s` })
}

export function assertOneBlockAtEachHeight({ seen }: Pick<LeaderNetwork, 'seen'>): void {
  for (const [number, hashes] of seen) assert.equal(hashes.size, 1, `block ${number} has the hashes ${[...hashes].join(', ')}`)
}

export function describeTimes(timesMs: readonly number[]): string {
  const sorted = [...timesMs].sort((a, b) => a - b)
  const at = (share: number) => ((sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] as number) / 1_000).toFixed(1)
  return `median ${at(0.5)} s, 90% ${at(0.9)} s, longest ${at(1)} s`
}
