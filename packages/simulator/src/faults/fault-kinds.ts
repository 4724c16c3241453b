/** What can go wrong. Each kind picks its victim and its duration from its own generator. */
import type { Random } from '@keelson/primitives'
import { DEFAULT_LINK } from '../network/simulated-network.ts'
import type { RollupWorld } from '../roles/rollup-world.ts'
import type { SimulatedNode } from '../roles/simulated-node.ts'

export interface Fault {
  /** For a reader: what happened to whom. */
  readonly story: string
  readonly durationMs: number
  /** Called after the duration. */
  heal(): void
}

export interface FaultKind {
  readonly name: string
  /** Mean time between two faults, before the seed's own rate. */
  readonly meanMinutes: number
  /** Null if there is no victim now. */
  inject(world: RollupWorld, random: Random): Fault | null
}

const SECOND_MS = 1_000
const MINUTE_MS = 60_000
const SLOT_MS = 12_000
const nothing = () => undefined

const kill: FaultKind = {
  name: 'kill',
  meanMinutes: 20,
  inject(world, random) {
    const durationMs = between(random, SECOND_MS, 2 * MINUTE_MS)
    const node = pick(world.nodes, random)
    if (random.next() < 0.5) {
      node.killExecution()
      return { story: `the execution client of ${node.name} is killed`, durationMs, heal: () => node.startExecution() }
    }
    node.killConsensus()
    return { story: `the consensus client of ${node.name} is killed`, durationMs, heal: () => node.startConsensus() }
  },
}

const power: FaultKind = {
  name: 'power',
  meanMinutes: 60,
  inject(world, random) {
    const node = pick(world.nodes, random)
    const lost = losePower(node)
    return {
      story: `${node.name} loses power, and ${lost} writes with it`,
      durationMs: between(random, 10 * SECOND_MS, 5 * MINUTE_MS),
      heal: () => node.start(),
    }
  },
}

const submitterKill: FaultKind = {
  name: 'submitter-kill',
  meanMinutes: 30,
  inject(world, random) {
    const submitter = pick(world.submitters, random)
    submitter.kill()
    return {
      story: `the ${submitter.name} is killed`,
      durationMs: between(random, SECOND_MS, 10 * MINUTE_MS),
      heal: () => submitter.start(),
    }
  },
}

const freeze: FaultKind = {
  name: 'freeze',
  meanMinutes: 20,
  inject(world, random) {
    const node = pick(world.nodes, random)
    const thaw = node.freeze(random.next() < 0.5 ? 'execution' : 'consensus')
    if (thaw === null) return null
    return { story: `a process of ${node.name} stands still`, durationMs: between(random, SECOND_MS, MINUTE_MS), heal: thaw }
  },
}

const partition: FaultKind = {
  name: 'partition',
  meanMinutes: 30,
  inject({ machines, network }, random) {
    const alone = pick(machines, random)
    const others = machines.filter((machine) => machine !== alone && random.next() < 0.7)
    const oneWay = random.next() < 0.3
    for (const other of others) {
      network.cut(alone, other)
      if (!oneWay) network.cut(other, alone)
    }
    return {
      story: `${alone} is cut off from ${others.join(', ') || 'nobody'}${oneWay ? ', but hears them' : ''}`,
      durationMs: between(random, 5 * SECOND_MS, 8 * MINUTE_MS),
      heal() {
        for (const other of others) {
          network.mend(alone, other)
          network.mend(other, alone)
        }
      },
    }
  },
}

const badLinks: FaultKind = {
  name: 'bad-links',
  meanMinutes: 45,
  inject({ network }, random) {
    const loss = random.next() * 0.3
    const jitterMs = between(random, 10, 3_000)
    network.quality = { ...DEFAULT_LINK, loss, jitterMs, duplication: random.next() * 0.2 }
    return {
      story: `links lose ${Math.round(loss * 100)} percent and delay up to ${Math.round(jitterMs)} ms`,
      durationMs: between(random, MINUTE_MS, 10 * MINUTE_MS),
      heal() {
        network.quality = DEFAULT_LINK
      },
    }
  },
}

const l1Reorg: FaultKind = {
  name: 'l1-reorg',
  meanMinutes: 30,
  inject({ l1 }, random) {
    const depth = 1 + Math.floor(random.next() ** 3 * 12)
    l1.reorg(depth)
    return { story: `L1 replaces its top ${depth} blocks`, durationMs: 0, heal: nothing }
  },
}

const l1Stall: FaultKind = {
  name: 'l1-stall',
  meanMinutes: 60,
  inject({ l1 }, random) {
    if (l1.stalled) return null
    l1.stalled = true
    return {
      story: 'L1 makes no blocks',
      durationMs: between(random, SLOT_MS, 25 * SLOT_MS),
      heal() {
        l1.stalled = false
      },
    }
  },
}

const slowDisk: FaultKind = {
  name: 'slow-disk',
  meanMinutes: 45,
  inject(world, random) {
    const node = pick(world.nodes, random)
    const slowness = between(random, 10, 2_000)
    for (const disk of Object.values(node.disks)) disk.slowness = slowness
    return {
      story: `the disk of ${node.name} is ${Math.round(slowness)} times slower`,
      durationMs: between(random, 10 * SECOND_MS, 5 * MINUTE_MS),
      heal() {
        for (const disk of Object.values(node.disks)) disk.slowness = 1
      },
    }
  },
}

export const FAULT_KINDS: readonly FaultKind[] = [kill, power, submitterKill, freeze, partition, badLinks, l1Reorg, l1Stall, slowDisk]

function losePower(node: SimulatedNode): number {
  node.killConsensus()
  node.killExecution()
  return Object.values(node.disks).reduce((sum, disk) => sum + disk.losePower(), 0)
}

function pick<T>(all: readonly T[], random: Random): T {
  return all[Math.floor(random.next() * all.length)] as T
}

function between(random: Random, least: number, most: number): number {
  return least + random.next() * (most - least)
}
