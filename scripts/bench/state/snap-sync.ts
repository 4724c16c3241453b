/**
 * Accounts a second of a snap sync between two stores on LevelDB, in one process: serving, both codecs, verifying and writing, without
 * a connection. `--kills N` abandons the sync N times on the way.
 *   node --import=tsx scripts/bench/state/snap-sync.ts [--accounts N] [--slots N] [--kills N]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bigintToBytes, bytesToHex, EMPTY_CODE_HASH_BYTES, type Hash, type Header, keccak256, rlpEncode } from '@keelson/primitives'
import { createSystemClock, type KeyValueStore, openLevelStore } from '@keelson/runtime'
import { openStateStore, type ReceivedAccount, type StateBlock } from '@keelson/state'
import { createPeerPool } from '../../../packages/execution/src/sync/peers/peer-pool.ts'
import { listOf, localPeer } from '../../../packages/execution/src/sync/snap/local-peer.test-support.ts'
import type { SnapPeer } from '../../../packages/execution/src/sync/snap/ports.ts'
import type { SnapRequestKind } from '../../../packages/execution/src/sync/snap/snap-requests.ts'
import { createSnapSync } from '../../../packages/execution/src/sync/snap/snap-sync.ts'
import { SILENT_LOGGER } from '../silent-logger.ts'

const { values } = parseArgs({
  options: {
    accounts: { type: 'string', default: '1000000' },
    slots: { type: 'string', default: '200000' },
    kills: { type: 'string', default: '0' },
  },
})
const [accountCount, slotCount, kills] = [Number(values.accounts), Number(values.slots), Number(values.kills)]
const ACCOUNTS_PER_WRITE = 5_000
const keyOf = (kind: string, i: number) => keccak256(new TextEncoder().encode(`${kind} ${i}`))
const none = () => undefined

function* accountBatches(): Generator<ReceivedAccount[]> {
  // One account holds all the slots.
  const slots = Array.from({ length: slotCount }, (_, i) => ({ key: keyOf('slot', i), value: rlpEncode(BigInt(i + 1)) }))
  for (let from = 0; from < accountCount; from += ACCOUNTS_PER_WRITE) {
    yield Array.from({ length: Math.min(ACCOUNTS_PER_WRITE, accountCount - from) }, (_, n) => ({
      addressHash: keyOf('account', from + n),
      account: { nonce: BigInt(n), balanceWei: 10n ** 18n + BigInt(from + n), codeHash: EMPTY_CODE_HASH_BYTES },
      slots: from + n === 0 ? slots : [],
    }))
  }
}

async function writeSource(store: KeyValueStore): Promise<StateBlock> {
  const download = await (await openStateStore(store)).download()
  for (const accounts of accountBatches()) await download.write({ accounts, codes: [], progress: new Uint8Array(0) })
  const block = { hash: bytesToHex(bigintToBytes(1n, 32)) as Hash, number: 1, stateRoot: bytesToHex(download.root) as Hash }
  await download.finish(block)
  return block
}

/** Its writes fail once `due` says so, as if the process were gone. */
function mortal(store: KeyValueStore, due: () => boolean): KeyValueStore {
  return {
    ...store,
    async batch(ops, options) {
      if (due()) throw new Error('killed')
      await store.batch(ops, options)
    },
  }
}

const directory = mkdtempSync(join(tmpdir(), 'keelson-bench-snap-'))
try {
  const source = await openLevelStore({ directory: join(directory, 'source') })
  const target = await openLevelStore({ directory: join(directory, 'target') })
  const block = await writeSource(source)
  console.log(`source: ${accountCount} accounts, ${slotCount} slots, root ${block.stateRoot}`)
  const state = await openStateStore(source)
  const header = { number: block.number, stateRoot: block.stateRoot, parentHash: block.hash } as Header
  const chain = { label: () => ({ hash: block.hash, header }), header: () => header }
  const peers = listOf(...['a', 'b', 'c'].map((id) => localPeer({ chain, state }, id)))
  const clock = createSystemClock()
  const [startedMs, cpu] = [performance.now(), process.cpuUsage()]
  let killed = 0
  let peakBytes = 0
  for (let done = false; !done; ) {
    const lastsMs = 1_000 + ((killed * 7_919) % 4_000)
    const openedMs = performance.now()
    const store = mortal(target, () => {
      peakBytes = Math.max(peakBytes, process.memoryUsage.rss())
      return killed < kills && performance.now() - openedMs > lastsMs
    })
    const pool = createPeerPool<SnapPeer, SnapRequestKind>({ peers, clock, log: SILENT_LOGGER })
    const pivots = { current: () => block, onChange: () => none }
    const sync = createSnapSync({ state: await openStateStore(store), pool, pivots, log: SILENT_LOGGER })
    try {
      const reached = await sync.run(new AbortController().signal)
      done = reached.stateRoot === block.stateRoot
    } catch (error) {
      if (killed === kills) throw error
      killed++
      console.log(`killed ${killed} times, ${((sync.status()?.done ?? 0) * 100).toFixed(1)} % done`)
    }
    pool.close()
  }
  const seconds = (performance.now() - startedMs) / 1000
  const { user, system } = process.cpuUsage(cpu)
  console.log(`root equal after ${killed} kills`)
  console.log(
    `${Math.round(accountCount / seconds)} accounts/s over ${seconds.toFixed(1)} s; ${((user + system) / accountCount).toFixed(1)} us of processor time an account, both sides`,
  )
  console.log(`${Math.round(peakBytes / 2 ** 20)} MiB resident at most`)
  await target.close()
  await source.close()
} finally {
  rmSync(directory, { recursive: true, force: true })
}
