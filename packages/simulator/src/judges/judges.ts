/** All judges, on a schedule of their own. */
import type { RollupWorld } from '../roles/rollup-world.ts'
import type { SimulatedNode } from '../roles/simulated-node.ts'
import { judgeBounds } from './bounds-judge.ts'
import { judgeBridge } from './bridge-judge.ts'
import { HeadsJudge, headsOf } from './heads-judge.ts'
import { judgeLiveness, RECOVERY_MS } from './liveness-judge.ts'
import { judgeL1Money, judgeL2Money } from './money-judge.ts'
import { judgeProposals } from './proposals-judge.ts'
import { TransactionsJudge, transactionsOf } from './transactions-judge.ts'
import type { ReportViolation, Violation } from './violation.ts'

const LOOK_EVERY_MS = 12_000
const MONEY_EVERY_MS = 10 * 60_000
/** More of one rule say nothing new. */
const MAX_OF_A_RULE = 10

export class Judges {
  readonly violations: Violation[] = []
  readonly report: ReportViolation = (rule, text) => {
    if (this.violations.filter((violation) => violation.rule === rule).length >= MAX_OF_A_RULE) return
    const { nowMs, startMs } = this.#world.simulation
    this.violations.push({ atMs: nowMs - startMs, rule, text })
  }
  readonly #world: RollupWorld
  readonly #heads = new HeadsJudge(this.report)
  readonly #transactions = new TransactionsJudge(this.report)

  constructor(world: RollupWorld) {
    this.#world = world
  }

  /** The highest safe block that any node had when it was last seen. */
  get highestSafe(): number {
    return this.#heads.highestSafe
  }

  start(): void {
    this.#every(LOOK_EVERY_MS, 'heads', () => this.#look())
    this.#every(MONEY_EVERY_MS, 'money', () => this.#lookAtMoney())
  }

  /** Call it inside the simulation, when nothing has been disturbed for `RECOVERY_MS`. `witness` derived the chain from L1 alone. */
  async conclude(witness: SimulatedNode): Promise<void> {
    this.#look()
    judgeLiveness(this.#world, this.report)
    await this.#lookAtMoney()
    judgeBridge(this.#world, this.report)
    if (witness.running !== null) await judgeProposals(this.#world.l1.head.state.proposals, witness.running, this.report)
    this.#transactions.conclude(this.#world.users.accepted)
  }

  #look(): void {
    const { nodes, simulation, lastFaultMs } = this.#world
    this.#heads.look(nodes.map(headsOf).filter((heads) => heads !== null))
    const sequencer = nodes[0]?.running
    const transactions = sequencer == null ? null : transactionsOf(sequencer)
    if (transactions !== null) this.#transactions.look(transactions)
    judgeBounds(this.#world, this.report)
    if (simulation.nowMs - lastFaultMs > RECOVERY_MS) judgeLiveness(this.#world, this.report)
  }

  async #lookAtMoney(): Promise<void> {
    for (const { name, running } of this.#world.nodes) if (running !== null) await judgeL2Money(this.#world, name, running, this.report)
    judgeL1Money(this.#world.l1, this.report)
  }

  #every(ms: number, what: string, look: () => void | Promise<void>): void {
    const { simulation } = this.#world
    simulation.after(ms, null, `judge ${what}`, () => {
      void Promise.resolve(look()).catch((error: unknown) => simulation.fail(error))
      this.#every(ms, what, look)
    })
  }
}
