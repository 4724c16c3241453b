import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ExecutionChain, exportSnapshot, importSnapshot, type TaskContext } from '@keelson/execution'
import { blockToPayload, type Hash, ZERO_HASH } from '@keelson/primitives'
import { type LevelStore, openLevelStore } from '@keelson/runtime'
import { createSnapshotWriter, readChunk, readManifest } from '../../packages/node/src/commands/db/snapshot-folder.ts'
import { reopen } from '../support/examine-store.ts'
import { createExecutionWorld, type ExecutionWorld } from '../support/execution-world.ts'

/** superchain/configs/mainnet/op.toml */
const BEDROCK_BLOCK = 105_235_063
const CONTEXT: TaskContext = { signal: new AbortController().signal, report: () => undefined, breathe: async () => undefined }

describe('a chain that continues an older one', () => {
  let folder: string
  let source: LevelStore
  let target: LevelStore
  let world: ExecutionWorld
  let chain: ExecutionChain

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-migrated-'))
    source = await openLevelStore({ directory: join(folder, 'source') })
    target = await openLevelStore({ directory: join(folder, 'target') })
    world = await createExecutionWorld({ genesisNumber: BEDROCK_BLOCK, store: source })
    const alloc = {
      [Symbol.iterator]: () => {
        throw new Error('no genesis file holds the accounts')
      },
    }
    chain = { ...world.chain, genesis: { header: world.chain.genesis.header, alloc } }
  })
  afterEach(async () => {
    await world.stop()
    await source.close()
    await target.close()
    await rm(folder, { recursive: true })
  })

  it('starts from the snapshot of another node and follows the chain', async () => {
    for (let i = 0; i < 3; i++) await world.mine()
    const { hash } = world.genesis
    const taken = await exportSnapshot(
      world.node.database(source),
      { blocks: 100 },
      createSnapshotWriter(join(folder, 'snapshot')),
      CONTEXT,
    )
    assert.equal(taken.oldestBlock, BEDROCK_BLOCK)
    for (let i = 0; i < 2; i++) await world.mine()

    await importSnapshot(
      {
        store: target,
        manifest: await readManifest(join(folder, 'snapshot')),
        chainId: world.chainId,
        genesis: { hash, header: chain.genesis.header },
        outputRoot: null,
        rootInHeader: () => true,
        crypto: world.crypto,
        read: (file) => readChunk(join(folder, 'snapshot'), file),
      },
      CONTEXT,
    )
    const node = await reopen({ store: target, chain, crypto: world.crypto })
    await node.start(new AbortController().signal)
    const head = world.node.chain.label('unsafe')
    for (let number = node.chain.label('unsafe').header.number + 1; number <= head.header.number; number++) {
      const block = world.node.chain.block(world.node.chain.canonicalHash(number) as Hash)
      assert.ok(block !== null)
      const { payload, parentBeaconBlockRoot } = blockToPayload(block, true)
      assert.equal((await node.engine.newPayload(payload, parentBeaconBlockRoot)).status, 'VALID')
      await node.engine.forkchoiceUpdated({ head: block.hash, safe: ZERO_HASH, finalized: ZERO_HASH }, null)
    }
    assert.equal(node.chain.label('unsafe').hash, head.hash)
    assert.equal(head.header.number, BEDROCK_BLOCK + 5)
    await node.stop()
  })

  it('does not start with an empty directory', async () => {
    await assert.rejects(reopen({ store: target, chain, crypto: world.crypto }), /no genesis file holds the accounts/)
  })
})
