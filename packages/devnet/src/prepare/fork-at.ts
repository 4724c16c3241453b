import { FORKS, type Fork, type ForkTimes, forkOrderMistakes, forksAtGenesis, forksUpTo, type LaterFork } from '@keelson/chainspec'
import { option, type Parser, optionParsers as parse } from '@keelson/runtime'
import { DevnetError } from '../devnet-error.ts'

export type ForkAt = readonly [fork: LaterFork, afterSec: number]
export type BundleAt = readonly [fork: LaterFork, file: string]

const LATER_FORKS = FORKS.filter((fork): fork is LaterFork => fork !== 'bedrock')
const MAX_SECONDS = 366 * 86_400

function splitNamed(value: unknown, what: string): readonly [LaterFork, string] {
  const [, name, rest] = (typeof value === 'string' ? /^([a-z]+)=(.+)$/.exec(value) : null) ?? []
  if (name === undefined || rest === undefined) throw new parse.OptionValueError(`expected NAME=${what}, got ${JSON.stringify(value)}`)
  const fork = LATER_FORKS.find((known) => known === name)
  if (fork === undefined) throw new parse.OptionValueError(`fork "${name}" is not known; there are ${LATER_FORKS.join(', ')}`)
  return [fork, rest]
}

const forkAt: Parser<ForkAt> = Object.assign(
  (value: unknown): ForkAt => {
    const [fork, text] = splitNamed(value, 'SECONDS')
    return [fork, parse.integer(1, MAX_SECONDS)(text)]
  },
  { placeholder: '<fork>=<seconds>', schema: parse.text.schema, show: ([fork, afterSec]: ForkAt) => `${fork}=${afterSec}` },
)

const bundleAt: Parser<BundleAt> = Object.assign(
  (value: unknown): BundleAt => {
    const [fork, file] = splitNamed(value, 'FILE')
    return [fork, parse.path(file)]
  },
  { placeholder: '<fork>=<file>', schema: parse.text.schema, show: ([fork, file]: BundleAt) => `${fork}=${file}` },
)

export const forkAtOptions = {
  forkAt: option<readonly ForkAt[]>({
    key: 'forkAt',
    parse: parse.list(forkAt),
    default: [],
    description: 'A fork that activates so many seconds after genesis, chosen with a new chain; may be given several times.',
  }),
  upgradeBundle: option<readonly BundleAt[]>({
    key: 'upgradeBundle',
    parse: parse.list(bundleAt),
    default: [],
    description: "Upgrade transactions in place of a fork's own, as a JSON file in op-node's format; for private experiments.",
  }),
} as const

/**
 * `fork` defaults to the predecessor of the earliest in `forksAt`. Throws DevnetError `node/usage` for forks that are repeated or
 * out of order.
 */
export function genesisForkOf(fork: Fork | null, forksAt: readonly ForkAt[]): Fork | null {
  if (forksAt.length === 0) return fork
  const [first = []] = forksAt.map(([name]) => forksUpTo(name)).sort((a, b) => a.length - b.length)
  const genesis = fork ?? (first.at(-2) as Fork)
  const fromGenesis = forksUpTo(genesis)
  const mistakes = [
    ...forksAt
      .filter(([name]) => fromGenesis.includes(name))
      .map(([name]) => `fork ${name} cannot activate later, because ${genesis} is in force from the first block`),
    ...forksAt.filter(([name], i) => forksAt.findIndex(([other]) => other === name) < i).map(([name]) => `fork ${name} is given twice`),
  ]
  if (mistakes.length === 0) mistakes.push(...forkOrderMistakes({ ...forksAtGenesis(genesis), ...Object.fromEntries(forksAt) }, 0))
  if (mistakes.length > 0) throw new DevnetError('node/usage', `--fork-at: ${mistakes.join('; ')}`)
  return genesis
}

export function forkTimesOf(forksAt: readonly ForkAt[], genesisTimeSec: number): ForkTimes {
  return Object.fromEntries(forksAt.map(([fork, afterSec]) => [fork, genesisTimeSec + afterSec]))
}
