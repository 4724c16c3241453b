/** All judges, on a schedule of their own. */
import type { PayloadEnvelope } from '@keelson/primitives'
import type { RollupWorld } from '../roles/rollup-world.ts'
import type { SimulatedNode } from '../roles/simulated-node.ts'
import { judgeBounds } from './bounds-judge.ts'
import { judgeBridge, judgeJourneys } from './bridge-judge.ts'
import { BridgeStatusJudge, truthOf } from './bridge-status-judge.ts'
import { EarlyProposalsJudge, originNumberAt } from './early-proposals-judge.ts'
import { judgeExchange } from './exchange-judge.ts'
import { judgeFaucet } from './faucet-judge.ts'
import { finishedTransfers } from './finished-transfers.ts'
import { HeadsJudge, headsOf } from './heads-judge.ts'
import { LeadersJudge } from './leaders-judge.ts'
import { judgeLiveness } from './liveness-judge.ts'
import { judgeL1Money, judgeL2Money } from './money-judge.ts'
import { PostedChannels } from './posted-channels.ts'
import { PostedJudge } from './posted-judge.ts'
import { judgeProposals } from './proposals-judge.ts'
import { type IsOnL1, PublishedJudge } from './published-judge.ts'
import { OffencesJudge } from './staking/offences-judge.ts'
import { judgeStakes } from './staking/stake-judge.ts'
import { viewOffences } from './staking/view-offences.ts'
import { TransactionsJudge, transactionsOf } from './transactions-judge.ts'
import type { ReportViolation, Violation } from './violation.ts'

const LOOK_EVERY_MS = 12_000
const MONEY_EVERY_MS = 10 * 60_000
/** Gossip takes attestations of two epochs, which last a minute. */
const OFFENCES_EVERY_MS = 20_000
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
  readonly #published = new PublishedJudge(this.report)
  readonly #leaders = new LeadersJudge(this.report)
  readonly #posted = new PostedJudge(this.report)
  readonly #channels: PostedChannels
  readonly #transactions = new TransactionsJudge(this.report)
  readonly #bridgeStatus = new BridgeStatusJudge(this.report)
  readonly #offences = new OffencesJudge(this.report)
  readonly #earlyProposals = new EarlyProposalsJudge(this.report)
  readonly #recoveryMs: number
  readonly #isOnL1: IsOnL1 = ({ number, hash }) => this.#world.l1.block(number)?.hash === hash

  /** Some time after the last fault, the network must be live. */
  constructor(world: RollupWorld, recoveryMs: number) {
    this.#world = world
    this.#recoveryMs = recoveryMs
    this.#channels = new PostedChannels(world.l1, world.rollup.config)
  }

  /** The highest safe block that any node had when it was last seen. */
  get highestSafe(): number {
    return this.#heads.highestSafe
  }

  get #undamaged(): readonly SimulatedNode[] {
    return this.#world.nodes.filter(({ damaged }) => !damaged)
  }

  start(): void {
    this.#world.onHeard = (block, from) => this.#hear(block, from)
    this.#world.apps.bridgeWatchers.onAnswer((answer) => this.#bridgeStatus.hear(answer, truthOf(this.#world)))
    this.#every(LOOK_EVERY_MS, 'heads', () => this.#look())
    this.#every(MONEY_EVERY_MS, 'money', () => this.#lookAtMoney())
    if (this.#world.stakers !== null) this.#every(OFFENCES_EVERY_MS, 'offences', () => this.#lookAtOffences())
  }

  /** Call it inside the simulation, when nothing has been disturbed for the time of a recovery. `witness` derived the chain from L1 alone. */
  async conclude(witness: SimulatedNode): Promise<void> {
    this.#look()
    judgeLiveness(this.#world, this.#world.nodes, this.report)
    await this.#lookAtMoney()
    await this.#lookAtOffences()
    judgeBridge(this.#world, this.report)
    judgeJourneys(this.#world, this.report)
    this.#bridgeStatus.conclude(finishedTransfers(this.#world))
    judgeFaucet(this.#world, this.report)
    if (witness.running !== null) await judgeProposals(this.#world.l1.head.state.proposals, witness.running, this.report)
    this.#transactions.conclude(this.#world.users.accepted)
  }

  #look(): void {
    const { l1, simulation, lastFaultMs, sequencers, sequencer, cluster } = this.#world
    const nodes = this.#undamaged
    const { nowMs } = simulation
    const listeners = nodes.filter(({ gossips }) => gossips)
    const running = (some: readonly SimulatedNode[]) => some.map((node) => headsOf(node, l1)).filter((heads) => heads !== null)
    this.#heads.look(running(nodes))
    const validators = running(listeners.filter((node) => !sequencers.includes(node)))
    const sequencerHeads = sequencer === undefined ? null : headsOf(sequencer, l1)
    this.#published.look({ validators, sequencer: sequencerHeads, isOnL1: this.#isOnL1 })
    if (cluster !== null) this.#leaders.look({ ...cluster.takeNotes(), isOnL1: this.#isOnL1 })
    const transactions = sequencer?.running == null ? null : transactionsOf(sequencer.running)
    if (transactions !== null) this.#transactions.look(transactions)
    this.#lookAtProposals()
    this.#bridgeStatus.look(truthOf(this.#world))
    this.#world.restarts.look(this.report)
    this.#world.operator.look(this.report)
    this.#lookAtChannels()
    judgeBounds(this.#world, this.report)
    this.#world.stakers?.signing.look(this.report)
    if (nowMs - lastFaultMs > this.#recoveryMs) judgeLiveness(this.#world, listeners, this.report)
  }

  #hear(block: PayloadEnvelope, from: string): void {
    const { sequencers, lyingPeer } = this.#world
    if (sequencers.some(({ name }) => name === from)) this.#published.hear(this.#world.refOf(block), this.#isOnL1)
    const { blockHash: hash, blockNumber: number } = block.payload
    if (lyingPeer.forged.has(hash)) this.report('blocks need the signature of the sequencer', `${number}: ${hash}, heard from ${from}`)
  }

  #lookAtChannels(): void {
    const { l1, l1Provider } = this.#world
    const isL1Wrong = l1Provider.misconduct.some(({ kind }) => kind !== 'limit')
    this.#posted.look({ channels: this.#channels.take(), isL1Wrong, l1Number: l1.head.header.number })
  }

  #lookAtProposals(): void {
    const { l1 } = this.#world
    const nodes = this.#undamaged
    this.#earlyProposals.look({
      proposals: l1.head.state.proposals,
      finalizedL1Number: l1.finalizedNumber,
      originNumber: (l2BlockNumber) => originNumberAt(nodes, l2BlockNumber),
    })
  }

  async #lookAtMoney(): Promise<void> {
    for (const node of this.#undamaged) {
      const { name, running } = node
      if (running === null) continue
      await judgeL2Money(this.#world, name, running, this.report)
      const { stakers } = this.#world
      if (stakers !== null)
        await judgeStakes(
          stakers.honest.map((machine) => stakers.keyOf(machine)),
          name,
          running,
          this.report,
        )
      await judgeExchange(this.#world.rollup.pairs, node, running, this.report)
    }
    judgeL1Money(this.#world.l1, this.report)
  }

  async #lookAtOffences(): Promise<void> {
    const { stakers } = this.#world
    if (stakers === null || stakers.suspects.length === 0) return
    const view = await viewOffences(this.#world, stakers)
    if (view !== null) this.#offences.look(view)
  }

  #every(ms: number, what: string, look: () => void | Promise<void>): void {
    const { simulation } = this.#world
    simulation.after(ms, null, `judge ${what}`, () => {
      void Promise.resolve(look()).catch((error: unknown) => simulation.fail(error))
      this.#every(ms, what, look)
    })
  }
}
