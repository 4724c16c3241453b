/** Records are on disk before they take effect. */
import { type Address, bytesToHex, hexToBytes, toAddress } from '@keelson/primitives'
import { FaucetError } from '../faucet-error.ts'
import type { DurableWrite } from '../group-commit.ts'
import type { FaucetStore } from '../storage/faucet-store.ts'
import { APPLICATION_BUCKET, bucketRange, DEVELOPER_BUCKET, keyIn, LINK_BUCKET } from '../store-keys.ts'
import { type Application, isExpired, makeRoom } from './application.ts'
import type { Tier } from './tier.ts'

export interface Link {
  readonly address: Address
  readonly account: string
  readonly login: string
  readonly atMs: number
}

export interface Grant {
  readonly address: Address
  readonly atMs: number
}

export interface TierRecords {
  tierOf(address: Address): Tier
  linkOf(address: Address): Link | undefined
  addressesOf(account: string): readonly Address[]
  applications(nowMs: number): readonly Application[]
  grants(): readonly Grant[]
  readonly linkCount: number
  /** Returns `full` when nothing was written. */
  link(link: Link): Promise<'linked' | 'full'>
  apply(application: Omit<Application, 'seen'>): Promise<'applied' | 'full' | 'network-full'>
  markSeen(nowMs: number): Promise<void>
  grant(address: Address, atMs: number): Promise<boolean>
  revoke(address: Address): Promise<readonly ('developer' | 'verified' | 'application')[]>
}

const MAX_LINKS = 100_000
const MAX_GRANTS = 10_000

/** Throws FaucetError `apps/faucet-record`. */
export async function openTierRecords(store: Pick<FaucetStore, 'range'>, write: DurableWrite): Promise<TierRecords> {
  const links = await readAll<Link>(store, LINK_BUCKET)
  const grants = await readAll<Grant>(store, DEVELOPER_BUCKET)
  const applications = await readAll<Application>(store, APPLICATION_BUCKET)
  for (const [address, found] of applications) {
    if (typeof found.subscriber !== 'string') applications.set(address, { ...found, subscriber: 'unknown', seen: false })
  }
  const byAccount = new Map<string, Set<Address>>()
  const noteLink = ({ account, address }: Link) => byAccount.set(account, (byAccount.get(account) ?? new Set()).add(address))
  for (const link of links.values()) noteLink(link)
  const forgetLink = (address: Address) => {
    const account = links.get(address)?.account
    links.delete(address)
    if (account === undefined) return
    const own = byAccount.get(account)
    own?.delete(address)
    if (own?.size === 0) byAccount.delete(account)
  }
  const key = (bucket: number, address: Address) => keyIn(bucket, hexToBytes(address))
  /** Updates memory first, so that concurrent calls see each other. */
  async function put<T extends { readonly address: Address }>(map: Map<Address, T>, bucket: number, record: T): Promise<void> {
    const before = map.get(record.address)
    map.set(record.address, record)
    await write([{ put: key(bucket, record.address), value: new TextEncoder().encode(JSON.stringify(record)) }]).catch((error: unknown) => {
      if (before === undefined) map.delete(record.address)
      else map.set(record.address, before)
      throw error
    })
  }

  return {
    tierOf: (address) => (grants.has(address) ? 'developer' : links.has(address) ? 'verified' : 'anonymous'),
    linkOf: (address) => links.get(address),
    addressesOf: (account) => [...(byAccount.get(account) ?? [])],
    applications: (nowMs) => [...applications.values()].filter((found) => !isExpired(found, nowMs)).sort((a, b) => a.atMs - b.atMs),
    grants: () => [...grants.values()].sort((a, b) => a.atMs - b.atMs),
    get linkCount() {
      return links.size
    },
    async link(link) {
      if (links.size >= MAX_LINKS && !links.has(link.address)) return 'full'
      forgetLink(link.address)
      noteLink(link)
      await put(links, LINK_BUCKET, link)
      return 'linked'
    },
    async apply(application) {
      const gone = makeRoom(applications.values(), application, application.atMs)
      if (typeof gone === 'string') return gone
      for (const address of gone) applications.delete(address)
      const added = put(applications, APPLICATION_BUCKET, { ...application, seen: false })
      if (gone.length > 0) await Promise.all([added, write(gone.map((address) => ({ del: key(APPLICATION_BUCKET, address) })))])
      await added
      return 'applied'
    },
    async markSeen(nowMs) {
      const news = [...applications.values()].filter((found) => !found.seen && !isExpired(found, nowMs))
      await Promise.all(news.map((found) => put(applications, APPLICATION_BUCKET, { ...found, seen: true })))
    },
    async grant(address, atMs) {
      const isNew = !grants.has(address)
      if (isNew && grants.size >= MAX_GRANTS) {
        throw new FaucetError('apps/faucet-task', `there are ${MAX_GRANTS} developers already: revoke some first`)
      }
      if (isNew) await put(grants, DEVELOPER_BUCKET, { address, atMs })
      if (applications.has(address)) {
        await write([{ del: key(APPLICATION_BUCKET, address) }])
        applications.delete(address)
      }
      return isNew
    },
    async revoke(address) {
      const had = [
        ...(grants.has(address) ? (['developer'] as const) : []),
        ...(links.has(address) ? (['verified'] as const) : []),
        ...(applications.has(address) ? (['application'] as const) : []),
      ]
      if (had.length === 0) return had
      await write([DEVELOPER_BUCKET, LINK_BUCKET, APPLICATION_BUCKET].map((bucket) => ({ del: key(bucket, address) })))
      grants.delete(address)
      forgetLink(address)
      applications.delete(address)
      return had
    },
  }
}

async function readAll<T extends { readonly address: Address }>(
  store: Pick<FaucetStore, 'range'>,
  bucket: number,
): Promise<Map<Address, T>> {
  const records = new Map<Address, T>()
  for await (const [key, value] of store.range(...bucketRange(bucket))) {
    const address = toAddress(key.subarray(1))
    try {
      records.set(address, { ...(JSON.parse(new TextDecoder().decode(value)) as T), address })
    } catch (cause) {
      throw new FaucetError('apps/faucet-record', `the record of ${address} cannot be read (${bytesToHex(key)})`, {}, { cause })
    }
  }
  return records
}
