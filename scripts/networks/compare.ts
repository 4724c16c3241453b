import { FORKS } from '@keelson/chainspec'
import { describeTime } from './describe-time.ts'
import { networkTexts } from './network-files.ts'
import type { RegistryChain } from './registry-chain.ts'
import type { RegistryCheckout } from './registry-checkout.ts'
import { missingInheritedForks } from './rollup-json.ts'
import { networkName, reasonToLeaveOut } from './select-chains.ts'
import type { Shipped, ShippedNetwork } from './shipped.ts'

export interface Finding {
  readonly about: string
  readonly text: string
  /** `unknown`: an import does not suffice, because this release does not know the fork or setting. */
  readonly kind: 'changed' | 'unknown'
}

type Json = Readonly<Record<string, unknown>>

const KNOWN_HARDFORK_KEYS: ReadonlySet<string> = new Set([
  ...FORKS.map((fork) => `${fork}_time`),
  'pectra_blob_schedule_time',
  'keep_karst_upgrade_gas',
])

export function compareNetworks(registry: RegistryCheckout, shipped: Shipped, nowSec: number): readonly Finding[] {
  return [
    ...registry.unreadable.map(
      ({ id, reason }): Finding => ({ about: networkName({ id }), text: `cannot be read: ${reason}`, kind: 'unknown' }),
    ),
    ...[...registry.superchains.values()].flatMap(({ name, hardforks }) =>
      unknownForks(
        `superchain ${name}`,
        hardforks,
        shipped.networks.filter(({ network }) => network.superchain === name),
        nowSec,
      ),
    ),
    ...registry.chains.flatMap((chain) => compareChain(registry, chain, shipped, nowSec)),
    ...removedChains(registry, shipped),
  ]
}

function compareChain(registry: RegistryCheckout, chain: RegistryChain, { networks, leftOut }: Shipped, nowSec: number): Finding[] {
  const about = networkName(chain)
  const changed = (text: string): Finding => ({ about, text, kind: 'changed' })
  const network = networks.find((each) => each.network.source.chain === chain.id)
  const [reason, before] = [reasonToLeaveOut(chain), leftOut[chain.id]]
  if (network === undefined) {
    if (reason === before) return []
    const what = before === undefined ? `is new (chain ${chain.chainId})` : `was left out because ${before}`
    return [changed(reason === null ? `${what} and can be followed now` : `${what}; it stays out because ${reason}`)]
  }
  if (reason !== null) return [changed(`can no longer be followed: ${reason}`)]
  return [
    ...unknownForks(about, chain.hardforks, [network], nowSec),
    ...chain.unknownKeys.map((key): Finding => ({ about, text: `has the key ${key}, which this release does not know`, kind: 'unknown' })),
    ...missingInheritedForks(chain, registry.superchains.get(chain.superchain)?.hardforks ?? {}).map((key) =>
      changed(`does not list ${key}, although its superchain schedules it: ask which of the two files is right`),
    ),
    ...compareTexts(registry, chain, network, nowSec).map(changed),
  ]
}

/** Omits forks of known networks: the release stops before them and reports it. */
function unknownForks(
  about: string,
  hardforks: Readonly<Record<string, number | boolean>>,
  networks: readonly ShippedNetwork[],
  nowSec: number,
): Finding[] {
  return Object.entries(hardforks)
    .filter(([key, value]) => !KNOWN_HARDFORK_KEYS.has(key) && !networks.some(({ rollup }) => rollup[key] === value))
    .map(([key, value]) => {
      const what = key.endsWith('_time')
        ? `the fork ${key.slice(0, -'_time'.length)} at ${describeTime(value, nowSec)}`
        : `${key} = ${value}`
      return { about, text: `schedules ${what}, which this release does not implement`, kind: 'unknown' }
    })
}

function compareTexts(registry: RegistryCheckout, chain: RegistryChain, shipped: ShippedNetwork, nowSec: number): string[] {
  const { rollup, addresses, keelson } = networkTexts(registry, chain)
  const { bootnodes: _, source: __, ...network } = keelson.publicNetwork as unknown as Json
  const { bootnodes: ___, source: ____, ...before } = shipped.network as unknown as Json
  return [
    ...differences(flat(shipped.rollup), flat(rollup))
      .filter(([key]) => !(key in chain.hardforks) || KNOWN_HARDFORK_KEYS.has(key))
      .map(([key, was, is]) =>
        KNOWN_HARDFORK_KEYS.has(key) && key.endsWith('_time') ? forkText(key, was, is, nowSec) : valueText(key, was, is),
      ),
    ...differences(flat(shipped.addresses), flat(addresses)).map(([key, was, is]) => valueText(`the address ${key}`, was, is)),
    ...differences(flat(before), flat(network)).map(([key, was, is]) => valueText(key, was, is)),
  ]
}

function removedChains(registry: RegistryCheckout, { networks, leftOut }: Shipped): Finding[] {
  const present = new Set([...registry.chains, ...registry.unreadable].map(({ id }) => id))
  const gone = (about: string): Finding => ({ about, text: 'is no longer in the registry', kind: 'changed' })
  return [
    ...networks.filter(({ network }) => !present.has(network.source.chain) && !isBase(network.source.chain)).map(({ name }) => gone(name)),
    ...Object.keys(leftOut)
      .filter((id) => !present.has(id))
      .map((id) => gone(networkName({ id }))),
  ]
}

function isBase(id: string): boolean {
  return id.endsWith('/base')
}

function flat(json: Json, prefix = ''): ReadonlyMap<string, unknown> {
  const entries = Object.entries(json).flatMap(([key, value]): (readonly [string, unknown])[] =>
    typeof value === 'object' && value !== null ? [...flat(value as Json, `${prefix}${key}.`)] : [[`${prefix}${key}`, value]],
  )
  return new Map(entries)
}

function differences(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): (readonly [string, unknown, unknown])[] {
  const keys = [...new Set([...before.keys(), ...after.keys()])]
  return keys.filter((key) => before.get(key) !== after.get(key)).map((key) => [key, before.get(key), after.get(key)] as const)
}

function forkText(key: string, was: unknown, is: unknown, nowSec: number): string {
  const fork = key.slice(0, -'_time'.length)
  if (was === undefined) return `schedules the fork ${fork} at ${describeTime(is, nowSec)}`
  if (is === undefined) return `no longer schedules the fork ${fork}, which was at ${describeTime(was, nowSec)}`
  return `moves the fork ${fork} from ${describeTime(was, nowSec)} to ${describeTime(is, nowSec)}`
}

function valueText(what: string, was: unknown, is: unknown): string {
  return `changes ${what} from ${show(was)} to ${show(is)}`
}

function show(value: unknown): string {
  return value === undefined || value === null ? 'nothing' : String(value)
}

export function exitCodeOf(findings: readonly Finding[]): 0 | 1 | 3 {
  if (findings.length === 0) return 0
  return findings.some(({ kind }) => kind === 'unknown') ? 3 : 1
}
