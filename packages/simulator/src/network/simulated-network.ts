/** Links between machines. Each has a generator of its own, so that traffic on one does not change another. */
import type { Random } from '@keelson/primitives'
import type { SimProcess } from '../core/sim-process.ts'
import type { Simulation } from '../core/simulation.ts'

export interface LinkQuality {
  readonly latencyMs: number
  /** Up to so much is added to each message, which reorders them. */
  readonly jitterMs: number
  /** Share of messages that are lost; on a connection they arrive later. */
  readonly loss: number
  /** Share of messages that arrive twice; never on a connection. */
  readonly duplication: number
}

export const DEFAULT_LINK: LinkQuality = { latencyMs: 20, jitterMs: 10, loss: 0, duplication: 0 }
const WITHIN_MACHINE: LinkQuality = { latencyMs: 0.05, jitterMs: 0, loss: 0, duplication: 0 }
/** A lost segment of a connection is sent again after this time. */
const RESEND_MS = 200
/** A connection in which so many segments in a row were lost counts as cut. */
const MAX_RESENDS = 15

export interface NetworkCounts {
  sent: number
  lost: number
  duplicated: number
  resent: number
  cutOff: number
}

export class SimulatedNetwork {
  readonly counts: NetworkCounts = { sent: 0, lost: 0, duplicated: 0, resent: 0, cutOff: 0 }
  quality: LinkQuality = DEFAULT_LINK
  readonly #simulation: Simulation
  readonly #links = new Map<string, Random>()
  readonly #cut = new Set<string>()
  readonly #dark = new Set<string>()
  readonly #open = new Map<SimProcess, number>()

  constructor(simulation: Simulation) {
    this.#simulation = simulation
  }

  /** The most answers that one process waits for. */
  get mostOpen(): number {
    for (const process of this.#open.keys()) if (!process.alive) this.#open.delete(process)
    return Math.max(0, ...this.#open.values())
  }

  countOpen(process: SimProcess, change: 1 | -1): void {
    this.#open.set(process, (this.#open.get(process) ?? 0) + change)
  }

  /** In this direction only. */
  cut(from: string, to: string): void {
    this.#cut.add(`${from}>${to}`)
  }

  mend(from: string, to: string): void {
    this.#cut.delete(`${from}>${to}`)
  }

  isCut(from: string, to: string): boolean {
    return this.#cut.has(`${from}>${to}`)
  }

  /** Directed links, as `from>to`. */
  get cuts(): ReadonlySet<string> {
    return this.#cut
  }

  /** A machine without power neither hears nor answers. */
  losePower(machine: string): void {
    this.#dark.add(machine)
  }

  regainPower(machine: string): void {
    this.#dark.delete(machine)
  }

  hasPower(machine: string): boolean {
    return !this.#dark.has(machine)
  }

  /** `arrive` runs in the receiving process: never, once or twice. */
  datagram(from: string, to: { readonly machine: string; readonly process: SimProcess }, bytes: Uint8Array, arrive: () => void): void {
    const { random, quality } = this.#link(from, to.machine)
    this.#simulation.trace.content(bytes)
    this.counts.sent++
    if (this.isCut(from, to.machine) || !this.hasPower(to.machine)) {
      this.counts.cutOff++
      return
    }
    if (random.next() < quality.loss) {
      this.counts.lost++
      return
    }
    const twice = random.next() < quality.duplication
    if (twice) this.counts.duplicated++
    for (let copies = twice ? 2 : 1; copies > 0; copies--) to.process.after(delayMs(quality, random), `datagram from ${from}`, arrive)
  }

  /** A message on a connection: it arrives once, later after losses, or never. `arrive` runs in `process`. */
  segment(from: string, to: string, process: SimProcess, text: string | Uint8Array, arrive: () => void): void {
    const { random, quality } = this.#link(from, to)
    this.#simulation.trace.content(text)
    this.counts.sent++
    if (this.isCut(from, to) || !this.hasPower(to)) {
      this.counts.cutOff++
      return
    }
    let resends = 0
    while (resends < MAX_RESENDS && random.next() < quality.loss) resends++
    this.counts.resent += resends
    if (resends < MAX_RESENDS) process.after(delayMs(quality, random) + resends * RESEND_MS, `segment from ${from}`, arrive)
  }

  #link(from: string, to: string): { readonly random: Random; readonly quality: LinkQuality } {
    const name = `${from}>${to}`
    let random = this.#links.get(name)
    if (random === undefined) {
      random = this.#simulation.seed.random(`link ${name}`)
      this.#links.set(name, random)
    }
    return { random, quality: from === to ? WITHIN_MACHINE : this.quality }
  }
}

function delayMs({ latencyMs, jitterMs }: LinkQuality, random: Random): number {
  return latencyMs + random.next() * jitterMs
}
