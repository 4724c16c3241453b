/** All judges, on a schedule of their own. */
import type { RollupWorld } from '../roles/rollup-world.ts'
import { HeadsJudge, headsOf } from './heads-judge.ts'
import { judgeLiveness, RECOVERY_MS } from './liveness-judge.ts'
import { judgeMoney } from './money-judge.ts'
import { judgeProposals } from './proposals-judge.ts'
import { TransactionsJudge } from './transactions-judge.ts'
import type { ReportViolation, Violation } from './violation.ts'

const LOOK_EVERY_MS = 12_000
const MONEY_EVERY_MS = 10 * 60_000
/** More of one rule say nothing new. */
const MAX_OF_A_RULE = 10

export class Judges {
  readonly violations: Violation[] = []
  readonly transactions: TransactionsJudge
  readonly #world: RollupWorld
  readonly #heads: HeadsJudge
  readonly #report: ReportViolation = (rule, text) => {
    if (this.violations.filter((violation) => violation.rule === rule).length >= MAX_OF_A_RULE) return
    const { nowMs, startMs } = this.#world.simulation
    this.violations.push({ atMs: nowMs - startMs, rule, text })
  }

  constructor(world: RollupWorld) {
    this.#world = world
    this.#heads = new HeadsJudge(this.#report)
    this.transactions = new TransactionsJudge(this.#report)
  }

  start(): void {
    this.#every(LOOK_EVERY_MS, 'heads', () => this.#look())
    this.#every(MONEY_EVERY_MS, 'money', () => this.#lookAtMoney())
  }

  /** Call it inside the simulation, when nothing has been disturbed for `RECOVERY_MS`. */
  async conclude(): Promise<void> {
    this.#look()
    judgeLiveness(this.#world, this.#report)
    await this.#lookAtMoney()
    await judgeProposals(this.#world, this.#report)
    this.transactions.conclude(this.#world.users.accepted)
  }

  #look(): void {
    const { nodes, simulation, lastFaultMs } = this.#world
    this.#heads.look(nodes.map(headsOf).filter((heads) => heads !== null))
    const sequencer = nodes[0]?.running
    if (sequencer != null) this.transactions.look(sequencer)
    if (simulation.nowMs - lastFaultMs > RECOVERY_MS) judgeLiveness(this.#world, this.#report)
  }

  async #lookAtMoney(): Promise<void> {
    for (const { name, running } of this.#world.nodes) if (running !== null) await judgeMoney(name, running, this.#report)
  }

  #every(ms: number, what: string, look: () => void | Promise<void>): void {
    const { simulation } = this.#world
    simulation.after(ms, null, `judge ${what}`, () => {
      void Promise.resolve(look()).catch((error: unknown) => simulation.fail(error))
      this.#every(ms, what, look)
    })
  }
}
