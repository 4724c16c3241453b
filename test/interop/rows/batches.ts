/** These four forms cover every pair of batch type, compression and data availability. */

import { DEV_ROLES } from '../../../packages/devnet/src/genesis/devnet/dev-accounts.ts'
import { eventually } from '../../support/eventually.ts'
import { rpcCall } from '../../support/json-rpc.ts'
import { assertForm, batchTransactions, l1Head } from '../l1-batches.ts'
import type { RunningProcess } from '../process-set.ts'
import { type BatchForm, KEELSON, opBatcher, ourBatcher, ourBatcherKey } from '../programs.ts'
import type { Row } from '../row.ts'
import { assertSameChain, type ChainView, heads, waitSafe } from '../same-chain.ts'
import { type MixedName, setBatching, type World } from '../world.ts'
import { following, foreignOf } from './following.ts'

const FORMS: readonly BatchForm[] = [
  { batchType: 'singular', compression: 'zlib', dataAvailability: 'calldata' },
  { batchType: 'span', compression: 'brotli', dataAvailability: 'calldata' },
  { batchType: 'singular', compression: 'brotli', dataAvailability: 'blobs' },
  { batchType: 'span', compression: 'zlib', dataAvailability: 'blobs' },
]
const BLOCKS = 10
/** kona derives only after a gossiped block. */
const DERIVES_ALONE: ReadonlySet<MixedName> = new Set(['ours on ours', 'ours on op-geth', 'op-node on ours'])
const TIMEOUT_MS = 150_000

const label = ({ batchType, compression, dataAvailability }: BatchForm) => `${batchType}, ${compression}, ${dataAvailability}`

export function ourBatches(name: MixedName): readonly Row[] {
  return FORMS.map((form) => ({
    what: `our batches (${label(form)}) derive in ${name}`,
    needs: foreignOf(name),
    run: (world) => withBatcher(world, name, form, (slug) => startOurs(world, slug, form, world.sequencer)),
  }))
}

function startOurs(world: World, slug: string, form: BatchForm, source: ChainView): RunningProcess {
  const args = ourBatcher(world, `${world.processes.folder}/${slug}`, form, source)
  return world.processes.start(slug, process.execPath, [KEELSON, ...args], { env: ourBatcherKey })
}

export const ourBatcherOnForeign: Row = {
  what: 'our batcher takes blocks from op-geth, heads from op-node; all derive the same',
  needs: ['op-node', 'op-geth'],
  async run(world) {
    const source = await world.node('op-node on op-geth')
    await source.run(await following(world))
    const [form] = FORMS
    await withBatcher(world, 'ours on ours', form as BatchForm, (slug) => startOurs(world, slug, form as BatchForm, source))
  },
}

export const opBatches: readonly Row[] = FORMS.map((form) => ({
  what: `op-batcher's batches (${label(form)}) derive in ours`,
  needs: ['op-batcher'],
  run: (world) =>
    withBatcher(world, 'ours on ours', form, (slug) =>
      world.processes.start(slug, world.programs['op-batcher'] as string, opBatcher(world, form)),
    ),
}))

async function withBatcher(world: World, name: MixedName, form: BatchForm, start: (slug: string) => RunningProcess): Promise<void> {
  const node = await world.node(name)
  await node.run(DERIVES_ALONE.has(name) ? { peers: null, sequencer: false } : await following(world))
  await setBatching(world, false)
  await nothingPending(world)
  const firstL1 = (await l1Head(world)) + 1
  const before = (await heads(world.sequencer)).safe
  const batcher = start(`batcher-${form.batchType}-${form.compression}-${form.dataAvailability}-${firstL1}`)
  try {
    const target = Math.max(before, (await heads(world.sequencer)).unsafe) + BLOCKS
    await waitSafe(world.sequencer, target, TIMEOUT_MS).catch((error: unknown) => {
      throw new Error(`${error instanceof Error ? error.message : error}; the batcher's last words: ${batcher.tail().slice(-800)}`)
    })
    await waitSafe(node, target, TIMEOUT_MS)
    assertForm(await batchTransactions(world, firstL1, await l1Head(world)), form)
    await assertSameChain(world.sequencer, node, before + 1, target)
  } finally {
    await batcher.stop()
    await nothingPending(world)
    await setBatching(world, true)
  }
}

/** Pending batches could be mistaken for the next batcher's or occupy its nonce. */
export async function nothingPending(world: World): Promise<void> {
  await eventually(
    'an empty queue of the batcher account',
    async () => {
      const [latest, pending] = await Promise.all(
        ['latest', 'pending'].map((tag) =>
          rpcCall<string>(world.devnet.facts.l1.rpcUrl, 'eth_getTransactionCount', [DEV_ROLES.batcher.address, tag]),
        ),
      )
      return latest === pending
    },
    TIMEOUT_MS,
  )
}
