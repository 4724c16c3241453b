/** Forks that activate while the chain runs. The chain begins with the fork before the first of them. */
import {
  createForkSchedule,
  FORKS,
  type Fork,
  type ForkTimes,
  forkOrderMistakes,
  forksAtGenesis,
  forksUpTo,
  type LaterFork,
  LINEAGES,
} from '@keelson/chainspec'
import { l2Time, type Random } from '@keelson/primitives'

export interface Upgrade {
  readonly fork: LaterFork
  /** After genesis, as `--fork-at` of `keelson devnet`. */
  readonly atSec: number
}

const LATER_FORKS = FORKS.slice(1) as readonly LaterFork[]
export const UPGRADE_FORKS: readonly LaterFork[] = LATER_FORKS.filter(isUpgrade)
/** A seed draws from one lineage. */
const DRAWN_FORKS: readonly LaterFork[] = UPGRADE_FORKS.filter((fork) => (LINEAGES.op as readonly Fork[]).includes(fork))
const FIRST_SEC = 60

/** Null without upgrades. */
export function forkBefore(upgrades: readonly Upgrade[]): Fork | null {
  const [first] = upgrades
  return first === undefined ? null : (forksUpTo(first.fork).at(-2) ?? null)
}

export function activationTimes(upgrades: readonly Upgrade[], genesisTimeSec: number): ForkTimes {
  return Object.fromEntries(upgrades.map(({ fork, atSec }) => [fork, genesisTimeSec + atSec]))
}

/** Reads `FORK@SECONDS,...`, in the order of time. Throws an Error that says what is wrong. */
export function readUpgrades(text: string): readonly Upgrade[] {
  return checkUpgrades(
    text.split(',').map((part) => {
      const [, fork, atSec] = /^([a-z]+)@([0-9]+)$/.exec(part) ?? []
      if (fork === undefined) throw new Error(`expected FORK@SECONDS, got ${part}`)
      return { fork, atSec: Number(atSec) }
    }),
  )
}

export function upgradesText(upgrades: readonly Upgrade[]): string {
  return upgrades.map(({ fork, atSec }) => `${fork}@${atSec}`).join(',')
}

/** Throws an Error that says what is wrong. */
export function checkUpgrades(given: readonly { readonly fork: unknown; readonly atSec: unknown }[]): readonly Upgrade[] {
  const upgrades = given.map(({ fork: name, atSec }) => {
    const fork = UPGRADE_FORKS.find((known) => known === name)
    if (fork === undefined) throw new Error(`expected a fork of ${UPGRADE_FORKS.join(', ')}, got ${name}`)
    if (!Number.isInteger(atSec) || (atSec as number) < 1) throw new Error(`${fork}: expected whole seconds after genesis, got ${atSec}`)
    return { fork, atSec: atSec as number }
  })
  const genesis = forkBefore(upgrades)
  if (genesis === null) return upgrades
  const [mistake] = forkOrderMistakes({ ...forksAtGenesis(genesis), ...activationTimes(upgrades, 0) }, 0)
  if (mistake !== undefined) throw new Error(mistake)
  return upgrades
}

/** Two of three seeds get none; the others get one fork, or two successive ones, in the first `untilSec` seconds. */
export function drawUpgrades(random: Random, untilSec: number): readonly Upgrade[] {
  const [upgrades, both] = [random.next() < 1 / 3, random.next() < 1 / 3]
  const at = Math.floor(random.next() * DRAWN_FORKS.length)
  const times = [random.next(), random.next()]
    .map((share) => Math.floor(FIRST_SEC + share * Math.max(0, untilSec - FIRST_SEC)))
    .sort((a, b) => a - b)
  // Forks from Jovian on must not share a time.
  if (times[0] === times[1]) times[1] = (times[1] as number) + 1
  if (!upgrades) return []
  return DRAWN_FORKS.slice(at, at + (both ? 2 : 1)).map((fork, i) => ({ fork, atSec: times[i] as number }))
}

/** Whether a chain can begin with the fork before. Without blobs, the contracts of a development network have another form on L1. */
function isUpgrade(fork: Fork): boolean {
  const before = forksUpTo(fork).at(-2)
  return before !== undefined && createForkSchedule({ times: forksAtGenesis(before) }).blockRules(l2Time(0)).blobFields
}
