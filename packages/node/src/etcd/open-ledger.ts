/** The ledger of a conductor: on disk for itself, or in etcd with the conductors of other sequencers. */
import { join } from 'node:path'
import type { RollupConfig } from '@keelson/chainspec'
import { type Ledger, openDiskLedger, openEtcdStore, type Peers } from '@keelson/conductor'
import {
  type HealthCheck,
  type LevelStore,
  type OptionValues,
  openLevelStore,
  option,
  optionParsers as parse,
  type Service,
} from '@keelson/runtime'
import { AssemblyError } from '../errors.ts'
import { closing, type Role } from '../role/role.ts'
import { connectEtcd, DISK, etcdOptions, storeAddress } from './etcd-options.ts'

export const ledgerOptions = {
  store: option({
    key: 'store',
    parse: storeAddress,
    default: DISK,
    description:
      'Where the leader and the blocks are recorded: disk for one conductor of all sequencers, or etcd (3.4 or later) for a conductor beside each.',
  }),
  members: option({
    key: 'store.members',
    parse: parse.list(parse.text),
    default: [],
    description: 'With etcd: the names of all sequencers, those of other conductors included.',
  }),
  leaseTtl: option({
    key: 'store.leaseTtl',
    parse: parse.duration(1_000, 60_000),
    default: 2_000,
    description: 'With etcd: how long the lease of a leader outlives its conductor; in full seconds, and at least what etcd allows.',
  }),
  ...etcdOptions,
} as const

export interface OpenLedger {
  readonly ledger: Ledger
  readonly peers: Peers | null
  /** Longest wait between two looks at what others wrote; null when there are no others. */
  readonly followMs: number | null
  readonly services: readonly Service[]
  readonly checks: readonly HealthCheck[]
}

const FOLLOWS_PER_TTL = 8
/** A renewal that the first member does not answer reaches the next within the lease. */
const TIMEOUTS_PER_TTL = 2

export function openConductorStore(dataDir: string): Promise<LevelStore> {
  const remedy = 'it says who leads and which blocks may follow; keep a copy, stop all sequencers, and begin with an empty data directory'
  return openLevelStore({ directory: conductorStorePath(dataDir), irreplaceable: { remedy } })
}

export function conductorStorePath(dataDir: string): string {
  return join(dataDir, 'store')
}

export async function openLedger(
  values: OptionValues<typeof ledgerOptions> & { readonly dataDir: string },
  own: readonly string[],
  config: Pick<RollupConfig, 'l2ChainId' | 'genesis'>,
  { clock, log, metrics }: Pick<Role, 'clock' | 'log' | 'metrics'>,
): Promise<OpenLedger> {
  const { store: address, members } = values
  if (address.kind === 'disk') {
    const store = await openConductorStore(values.dataDir)
    return {
      ledger: openDiskLedger(store),
      peers: null,
      followMs: null,
      services: [closing('store', () => store.close())],
      checks: [],
    }
  }
  const missing = own.find((id) => !members.includes(id))
  if (missing !== undefined)
    throw new AssemblyError('node/usage', `--store.members does not name ${missing} of --candidates: name the sequencers of all conductors`)
  const ttlSec = Math.ceil(values.leaseTtl / 1_000)
  const mostMs = (ttlSec * 1_000) / TIMEOUTS_PER_TTL
  if (values.storeTimeout > mostMs)
    throw new AssemblyError(
      'node/usage',
      `--store.timeout is ${values.storeTimeout} ms, expected at most ${mostMs} ms with a lease of ${ttlSec} s (--store.lease-ttl): one silent member of etcd would cost the leader its lease`,
    )
  const { client, http } = connectEtcd({ endpoints: address.endpoints, options: values })
  const prefix = `keelson/conductor/${config.l2ChainId}-${config.genesis.l2.hash.slice(2, 18)}/`
  const store = await openConductorStore(values.dataDir)
  const { ledger, peers, service, check } = openEtcdStore({ prefix, ttlSec, own, members }, { client, store, clock, log, metrics })
  return {
    ledger,
    peers,
    followMs: (ttlSec * 1_000) / FOLLOWS_PER_TTL,
    services: [closing('store', () => store.close()), closing('etcd', async () => http.close()), service],
    checks: [{ name: 'store', check }],
  }
}
