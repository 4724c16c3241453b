/** Folds the fork definitions and a chain's activation times into frozen rule sets. specs: protocol/superchain-upgrades.md */
import { hexToBytes, type L2TimeSec } from '@keelson/primitives'
import { ChainspecError } from './errors.ts'
import { BASE_FORK, LATER_FORKS } from './forks/definitions.ts'
import {
  type BlockRules,
  type BlockTransition,
  type ChainConstants,
  type Fork,
  type ForkDefinition,
  type ForkSchedule,
  forksUpTo,
  type InclusionRules,
  LINEAGES,
  type Lineage,
  type OriginRules,
  type RuleChanges,
  type UpgradeBundle,
} from './rules.ts'

/** Unix seconds; null or absent means not scheduled. */
export type ForkTimes = Readonly<Partial<Record<LaterFork, number | null>>>
export type LaterFork = Exclude<Fork, 'bedrock'>

export interface ForkScheduleOptions {
  readonly times: ForkTimes
  readonly constants?: Partial<ChainConstants>
  /** Replaces the shipped bundles. */
  readonly upgradeBundles?: Readonly<Partial<Record<LaterFork, UpgradeBundle>>>
  /** `keep_karst_upgrade_gas` of rollup.json. */
  readonly keepKarstUpgradeGas?: boolean
  /** True if the chain's dependency set has other members: Lagoon then activates the contracts for cross-chain messages. */
  readonly hasDependencies?: boolean
}

export const DEFAULT_CHAIN_CONSTANTS: ChainConstants = {
  channelTimeoutL1Blocks: 300,
  baseFee: { elasticity: 6n, denominator: 50n },
  baseFeeCanyon: { elasticity: 6n, denominator: 250n },
}

interface Stage {
  readonly fork: Fork
  readonly timeSec: number
  readonly definition: ForkDefinition
  readonly inclusion: InclusionRules
  readonly origin: OriginRules
  readonly block: BlockRules
}

/** Schedules all forks up to `fork` at genesis. */
export function forksAtGenesis(fork: Fork): ForkTimes {
  return Object.fromEntries(
    forksUpTo(fork)
      .slice(1)
      .map((name) => [name, 0]),
  )
}

/** Forks whose upgrade transactions a private network may replace. */
export const BUNDLED_FORKS: readonly LaterFork[] = LATER_FORKS.filter(({ upgradeBundle }) => upgradeBundle !== undefined).map(
  ({ name }) => name as LaterFork,
)

/** Returns why the shipped bundle of `fork` may not be that of public networks, or null. */
export function unconfirmedBundle(fork: Fork): string | null {
  return LATER_FORKS.find(({ name }) => name === fork)?.unconfirmedBundle ?? null
}

/** Returns null for a fork without a bundle. */
export function shippedUpgradeBundle(fork: Fork): UpgradeBundle | null {
  return LATER_FORKS.find(({ name }) => name === fork)?.upgradeBundle?.() ?? null
}

/** Lineages with a fork in `times` that no other lineage has. */
function lineagesIn(times: ForkTimes): readonly Lineage[] {
  const names = Object.keys(LINEAGES) as Lineage[]
  const isOwn = (fork: Fork) => names.filter((name) => (LINEAGES[name] as readonly Fork[]).includes(fork)).length === 1
  return names.filter((name) => LINEAGES[name].some((fork) => isOwn(fork) && (times[fork as LaterFork] ?? null) !== null))
}

/** The OP Stack's forks unless `times` names another lineage. */
function lineageOf(times: ForkTimes): readonly Fork[] {
  return LINEAGES[lineagesIn(times)[0] ?? 'op']
}

/**
 * From Jovian on, two upgrades must not activate in one block after genesis. specs: superchain-upgrades.md, "At most one network
 * upgrade per activation timestamp" (pull request 942); op-node checks it since pull request 22838. Earlier forks of public chains
 * share times, and Base's own forks are not bound by that text.
 */
const ALONE_FROM: readonly Fork[] = LINEAGES.op.slice(LINEAGES.op.indexOf('jovian'))

/** Returns one line per mistake in order or lineage. Forks up to `genesisSec`, the time of the first block, may share a time. */
export function forkOrderMistakes(times: ForkTimes, genesisSec: number): string[] {
  const lineages = lineagesIn(times)
  if (lineages.length > 1) return [conflictOf(lineages, times)]
  const mistakes: string[] = []
  let before: { name: Fork; timeSec: number | null } = { name: 'bedrock', timeSec: 0 }
  for (const name of lineageOf(times).slice(1)) {
    const timeSec = times[name as LaterFork] ?? null
    if (timeSec !== null && before.timeSec === null) {
      mistakes.push(`fork ${name} is set to ${timeSec}, but the fork before it, ${before.name}, is not scheduled`)
    } else if (timeSec !== null && before.timeSec !== null && timeSec < before.timeSec) {
      mistakes.push(`fork ${name} is set to ${timeSec}, before ${before.name} at ${before.timeSec}`)
    } else if (timeSec !== null && timeSec === before.timeSec && timeSec > genesisSec && ALONE_FROM.includes(name)) {
      mistakes.push(`forks ${before.name} and ${name} are both set to ${timeSec}; from Jovian on, each fork needs a time of its own`)
    }
    before = { name, timeSec }
  }
  return mistakes
}

function conflictOf(lineages: readonly Lineage[], times: ForkTimes): string {
  const common = lineages.map((name): readonly Fork[] => LINEAGES[name]).reduce((all, forks) => all.filter((fork) => forks.includes(fork)))
  const own = lineages.flatMap((name) =>
    LINEAGES[name]
      .filter((fork) => !common.includes(fork) && (times[fork as LaterFork] ?? null) !== null)
      .map((fork) => `${fork} (at ${times[fork as LaterFork]}, lineage ${name})`),
  )
  return `forks ${own.join(' and ')} exclude each other: after ${common.at(-1)} a chain follows one lineage`
}

/** Throws ChainspecError `chainspec/fork-schedule`. */
export function createForkSchedule(options: ForkScheduleOptions): ForkSchedule {
  const mistakes = forkOrderMistakes(options.times, Number.POSITIVE_INFINITY)
  if (mistakes.length > 0) throw new ChainspecError('chainspec/fork-schedule', 'fork times', mistakes)
  const stages = foldStages(options)
  const stageAt = (timeSec: number): Stage => {
    for (let i = stages.length - 1; i > 0; i--) if ((stages[i] as Stage).timeSec <= timeSec) return stages[i] as Stage
    return stages[0] as Stage
  }
  return Object.freeze<ForkSchedule>({
    lineage: lineageOf(options.times),
    activationTimeSec: (fork) => stages.find((stage) => stage.fork === fork)?.timeSec ?? null,
    executionForkTimesSec: executionTimes(stages),
    forkAt: (block) => stageAt(block).fork,
    inclusionRules: (l1Inclusion) => stageAt(l1Inclusion).inclusion,
    originRules: (l1Origin) => stageAt(l1Origin).origin,
    blockRules: (l2Block) => stageAt(l2Block).block,
    transition(parent, block) {
      const own = stageAt(block)
      if (parent === null || stageAt(parent) === own) return quietTransition(own)
      const activating = stages.filter((stage) => stage.timeSec > parent && stage.timeSec <= block)
      return activation(activating, stageAt(parent), block, options)
    },
  })
}

function foldStages(options: ForkScheduleOptions): readonly Stage[] {
  const constants: ChainConstants = { ...DEFAULT_CHAIN_CONSTANTS, ...options.constants }
  const change = <T extends object>(before: T, changes: RuleChanges<T> | undefined): T =>
    Object.freeze({ ...before, ...(typeof changes === 'function' ? changes(constants) : changes) })
  let stage: Stage = {
    fork: BASE_FORK.name,
    timeSec: 0,
    definition: BASE_FORK,
    inclusion: Object.freeze(BASE_FORK.inclusion(constants)),
    origin: Object.freeze(BASE_FORK.origin),
    block: Object.freeze(BASE_FORK.block(constants)),
  }
  const stages = [stage]
  for (const name of lineageOf(options.times)) {
    const definition = LATER_FORKS.find((each) => each.name === name)
    if (definition === undefined) continue
    const timeSec = options.times[name as LaterFork] ?? null
    if (timeSec === null) break
    stage = {
      fork: definition.name,
      timeSec,
      definition,
      inclusion: change(stage.inclusion, definition.inclusion),
      origin: change(stage.origin, definition.origin),
      block: change(stage.block, definition.block),
    }
    stages.push(stage)
  }
  return stages
}

function executionTimes(stages: readonly Stage[]): readonly number[] {
  const counted = stages.filter(({ definition }) => definition.derivationOnly !== true)
  return [...new Set(counted.map(({ timeSec }) => timeSec))]
}

const quiet = new WeakMap<Stage, BlockTransition>()

/** Cached, because it is requested for each block. */
function quietTransition(stage: Stage): BlockTransition {
  let transition = quiet.get(stage)
  if (transition === undefined) {
    transition = Object.freeze<BlockTransition>({
      activates: [],
      upgradeTransactions: [],
      l1InfoFormat: stage.block.l1InfoFormat,
      userTransactionsAllowed: true,
      upgradeGas: 0n,
      keptUpgradeGas: 0n,
      irregularCode: [],
    })
    quiet.set(stage, transition)
  }
  return transition
}

function activation(stages: readonly Stage[], parent: Stage, block: L2TimeSec, options: ForkScheduleOptions): BlockTransition {
  const bundles = new Map(stages.map((stage) => [stage.fork, bundleOf(stage, options)]))
  const gasOf = (fork: Fork) => bundles.get(fork)?.gas ?? 0n
  return {
    activates: stages.map((stage) => stage.fork),
    upgradeTransactions: stages.flatMap(
      (stage) => bundles.get(stage.fork)?.transactions ?? (stage.definition.upgradeTransactions ?? []).map((hex) => hexToBytes(hex)),
    ),
    l1InfoFormat: parent.block.l1InfoFormat,
    userTransactionsAllowed: stages.every((stage) => stage.definition.userTransactionsInActivationBlock !== false),
    upgradeGas: stages.reduce((sum, stage) => sum + gasOf(stage.fork), 0n),
    keptUpgradeGas: options.keepKarstUpgradeGas === true ? gasOf('karst') : 0n,
    // op-geth sets the code only in a block with the timestamp of the fork (`EnsureCreate2Deployer`); a chain without a block at
    // that time never gets it.
    irregularCode: stages.filter((stage) => stage.timeSec === block).flatMap((stage) => stage.definition.irregularCode ?? []),
  }
}

/** The gas does not depend on the dependency set: the next block subtracts it without knowing that set (op-node, `UpgradeGas`). */
function bundleOf(stage: Stage, options: ForkScheduleOptions): Pick<UpgradeBundle, 'transactions' | 'gas'> | null {
  const bundle = options.upgradeBundles?.[stage.fork as LaterFork] ?? stage.definition.upgradeBundle?.()
  if (bundle === undefined) return null
  const around = stage.definition.dependencySetDeposits?.()
  const gas = bundle.gas + (bundle.extraGas ?? around?.gas ?? 0n)
  if (around === undefined || options.hasDependencies !== true) return { transactions: bundle.transactions, gas }
  return { transactions: [...around.before, ...bundle.transactions, ...around.after], gas }
}
