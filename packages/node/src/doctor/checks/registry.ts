import { BUNDLED_FORKS, durationText, type RollupConfig, utcText } from '@keelson/chainspec'
import type { LeftRegistry } from '@keelson/devnet/network-files'
import { messageOf } from '@keelson/primitives'
import { FORK_TIMES_FILE } from '../../fork-times/fork-times-file.ts'
import { timesOf } from '../../fork-times/read-rollup.ts'
import { findShipped, type ShippedNetwork } from '../../networks/find-shipped.ts'
import {
  compareForks,
  type ForkDifference,
  type ForkTable,
  forkTableOf,
  forkTableOfRegistry,
  keepsUpgradeGasInRegistry,
} from '../../networks/fork-table.ts'
import { readRegistryFile } from '../../networks/read-registry.ts'
import type { DoctorCheck, DoctorContext } from '../doctor-context.ts'
import { fail, ok, type Result, skip, warn } from '../finding.ts'
import { networkNowSec } from './forks.ts'

const TIMEOUT_MS = 10_000

export const registryCheck: DoctorCheck = {
  name: 'registry',
  async run(context) {
    const { rollup, settings } = context
    if (rollup === null) return skip('superchain registry', 'the network cannot be read')
    const shipped = findShipped(rollup)
    if (shipped === null) return skip('superchain registry', 'the chain is not one of keelson network list')
    const nowSec = networkNowSec(context)
    const own = [...judge(ownCopy(shipped, context), rollup, nowSec), ...judgeListing(shipped)]
    if (settings.registry === null) return own
    return [...own, ...(await newerCopy(settings.registry, shipped, rollup, nowSec))]
  },
}

function judgeListing({ facts: { leftRegistry } }: ShippedNetwork): readonly Result[] {
  if (leftRegistry === null) return []
  return [
    warn(
      `the superchain registry has not listed this chain since ${leftRegistry.noticedOn} or earlier`,
      `${announced(leftRegistry)}releases after this one may not learn its forks (${leftRegistry.source})`,
      'follow the announcements of its operators, and enter their fork times in a copy of rollup.json',
    ),
  ]
}

function announced({ laterForks }: LeftRegistry): string {
  if (laterForks.length === 0) return ''
  return `this release lacks ${laterForks.map(({ name, at }) => `${name} (${utcText(Date.parse(at) / 1000)})`).join(', ')}, and `
}

interface Statement {
  readonly source: string
  readonly forks: ForkTable
  readonly keepsUpgradeGas: boolean
  readonly todo: string
}

function ownCopy({ name, rollup, facts: { source } }: ShippedNetwork, { newer }: DoctorContext): Statement {
  const repository = new URL(source.repository).pathname.slice(1)
  const also = `${source.also === undefined ? '' : ` and ${source.also}`}${newer === null ? '' : ` and ${FORK_TIMES_FILE}`}`
  const updated = newer === null ? [] : Object.entries(timesOf(newer))
  return {
    source: `this release (${repository} at ${source.commit.slice(0, 8)}${also})`,
    forks: new Map([...forkTableOf(rollup), ...updated]),
    keepsUpgradeGas: rollup.keepKarstUpgradeGas,
    todo: `start with --network ${name}, or correct rollup.json`,
  }
}

async function newerCopy(
  registry: string,
  { facts, ...shipped }: ShippedNetwork,
  rollup: RollupConfig,
  nowSec: number,
): Promise<readonly Result[]> {
  const path = `superchain/configs/${facts.source.chain}.toml`
  try {
    const toml = await readRegistryFile(registry, path, TIMEOUT_MS)
    const stated = forkTableOfRegistry(toml, rollup.genesis.l2TimestampSec)
    // A chain may announce a fork before the registry has it.
    const announced = facts.source.also === undefined ? [] : forkTableOf(shipped.rollup)
    const forks = new Map([...announced, ...stated])
    const todo = 'install a release that has these times, or take them over with keelson network update'
    return judge({ source: registry, forks, keepsUpgradeGas: keepsUpgradeGasInRegistry(toml), todo }, rollup, nowSec)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      return [
        warn(
          `the registry at ${registry} has no ${path}`,
          'its forks cannot be compared',
          'check that it is a checkout that has the chain',
        ),
      ]
    const why = messageOf(error)
    return [warn(`the registry at ${registry} cannot be read`, why, 'give --registry a checkout, or the URL of its files')]
  }
}

function judge(statement: Statement, rollup: RollupConfig, nowSec: number): readonly Result[] {
  const { source, forks, todo } = statement
  const differences = compareForks(forkTableOf(rollup), forks)
  const upgradeGas = judgeUpgradeGas(statement, rollup)
  if (differences.length === 0 && upgradeGas.length === 0) return [ok(`the forks are those of ${source}`)]
  const known = `this release implements forks up to ${rollup.forks.lineage.at(-1)}`
  const times = differences.map((fork) => {
    const why = `rollup.json ${fork.have === null ? 'does not schedule it' : `says ${utcText(fork.have)}`}; ${known}`
    const isPast = Math.min(fork.have ?? Number.POSITIVE_INFINITY, fork.want ?? Number.POSITIVE_INFINITY) <= nowSec
    return (isPast ? fail : warn)(describe(fork, source, nowSec), why, todo)
  })
  return [...times, ...upgradeGas]
}

/** The flag decides the gas limit, and so the hash, of all blocks from the fork on. */
function judgeUpgradeGas({ source, forks, keepsUpgradeGas: want, todo }: Statement, rollup: RollupConfig): readonly Result[] {
  const have = rollup.keepKarstUpgradeGas
  const own = forkTableOf(rollup)
  if (have === want || !BUNDLED_FORKS.some((fork) => own.has(fork) && forks.has(fork))) return []
  const why = `rollup.json says ${have}; the two chains part in the block after the one that activates the fork`
  return [fail(`${source} says keep_karst_upgrade_gas = ${want}`, why, todo)]
}

function describe({ name, want }: ForkDifference, source: string, nowSec: number): string {
  if (want === null) return `${source} does not schedule ${name}`
  const distance = want > nowSec ? `in ${durationText(want - nowSec)}` : `${durationText(nowSec - want)} ago`
  return `${source} schedules ${name} for ${utcText(want)}, ${distance}`
}
