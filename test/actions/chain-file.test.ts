import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type Block, concatBytes, encodeBlock } from '@keelson/primitives'
import { exportChainFile, importChainFile } from '../../packages/node/src/chain-file/chain-file.ts'
import { createExecutionWorld, type ExecutionWorld } from '../support/execution-world.ts'
import { createRecordingLogger } from '../support/recording-logger.ts'

describe('chain files', () => {
  let folder: string
  let source: ExecutionWorld
  const blocks: Block[] = []
  const opened: ExecutionWorld[] = []

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'keelson-chain-file-'))
    source = await open()
    for (let i = 0; i < 140; i++) {
      const transactions = i % 3 === 0 ? [source.transfer(i % 5, `0x${'11'.repeat(20)}`, BigInt(i)).raw] : []
      blocks.push(await source.mine({ transactions }))
    }
  })
  after(async () => {
    for (const world of opened) await world.stop()
    rmSync(folder, { recursive: true })
  })

  async function open(): Promise<ExecutionWorld> {
    const world = await createExecutionWorld()
    opened.push(world)
    return world
  }
  const deps = ({ node, clock }: ExecutionWorld, signal = new AbortController().signal) => ({
    node,
    clock,
    log: createRecordingLogger(),
    signal,
  })
  const head = (world: ExecutionWorld) => world.node.chain.label('unsafe')
  const write = (name: string, raws: readonly Uint8Array[]) => {
    const file = join(folder, name)
    writeFileSync(file, concatBytes(...raws))
    return file
  }
  const tip = () => blocks.at(-1) as Block

  for (const name of ['chain.rlp', 'chain.rlp.gz']) {
    it(`${name}: the importer has the same head, states and balances`, async () => {
      const file = join(folder, name)
      assert.equal(await exportChainFile(file, { from: 0, to: null }, deps(source)), 141)
      assert.deepEqual(
        readdirSync(folder).filter((entry) => entry.endsWith('.unfinished')),
        [],
      )
      const target = await open()
      const outcome = await importChainFile(file, deps(target))
      assert.deepEqual([outcome.imported, outcome.skipped], [140, 1])
      assert.equal(head(target).hash, tip().hash)
      assert.equal(head(target).header.stateRoot, head(source).header.stateRoot)
      const receiver = `0x${'11'.repeat(20)}`
      assert.equal(await target.call('eth_getBalance', receiver, 'latest'), await source.call('eth_getBalance', receiver, 'latest'))
    })
  }

  it('contain only concatenated RLP blocks', async () => {
    const file = join(folder, 'part.rlp.gz')
    await exportChainFile(file, { from: 3, to: 5 }, deps(source))
    const expected = blocks.slice(2, 5).map((block) => encodeBlock(block))
    assert.deepEqual(new Uint8Array(gunzipSync(readFileSync(file))), concatBytes(...expected))
  })

  it('an aborted import continues where it stopped', async () => {
    const raws = blocks.map((block) => encodeBlock(block))
    const target = await open()
    await importChainFile(write('first.rlp', raws.slice(0, 50)), deps(target))
    assert.equal(head(target).header.number, 50)
    const outcome = await importChainFile(write('all.rlp', raws), deps(target))
    assert.deepEqual([outcome.imported, outcome.skipped], [90, 50])
    assert.equal(head(target).hash, tip().hash)
    const again = await importChainFile(write('first.rlp', raws.slice(0, 50)), deps(target))
    assert.equal(again.imported, 0)
    assert.equal(head(target).hash, tip().hash, 'known blocks do not take the head back')
  })

  it('an import stops at an invalid block with its number, hash and reason, and keeps the blocks before it', async () => {
    const target = await open()
    const bad = { ...(blocks[7] as Block), transactions: (blocks[7] as Block).transactions.slice(1) }
    const raws = [...blocks.slice(0, 7), bad, ...blocks.slice(8)].map((block) => encodeBlock(block))
    await assert.rejects(importChainFile(write('bad.rlp', raws), deps(target)), {
      code: 'node/import',
      message: new RegExp(
        `block 8 \\(${bad.hash}\\) is invalid: .*transactions.*; blocks up to 7 \\(${blocks[6]?.hash}\\) are in, 7 of them new`,
      ),
    })
    assert.equal(head(target).hash, blocks[6]?.hash)
    await importChainFile(
      write(
        'good.rlp',
        blocks.map((block) => encodeBlock(block)),
      ),
      deps(target),
    )
    assert.equal(head(target).hash, tip().hash)
  })

  it('an import reports a truncated or badly compressed file and missing parents', async () => {
    const target = await open()
    const raws = blocks.slice(0, 4).map((block) => encodeBlock(block))
    const cut = concatBytes(...raws).subarray(0, -5)
    await assert.rejects(importChainFile(write('cut.rlp', [cut]), deps(target)), {
      code: 'node/import',
      message: /is damaged: .*ends within a block.*blocks up to 3/,
    })
    assert.equal(head(target).header.number, 3)
    await assert.rejects(importChainFile(write('not.rlp.gz', raws), deps(target)), { code: 'node/usage', message: /cannot be unpacked/ })
    const later = write('later.rlp', [encodeBlock(blocks[9] as Block)])
    await assert.rejects(importChainFile(later, deps(target)), {
      code: 'node/import',
      message: /block 10 .*a parent this chain does not know/,
    })
    await assert.rejects(importChainFile(join(folder, 'none.rlp'), deps(target)), { code: 'node/usage', message: /cannot read/ })
  })

  it('an interrupted import keeps its blocks; an interrupted export keeps nothing', async () => {
    const stop = new AbortController()
    stop.abort()
    const target = await open()
    const file = write(
      'whole.rlp',
      blocks.map((block) => encodeBlock(block)),
    )
    await assert.rejects(importChainFile(file, deps(target, stop.signal)), { code: 'node/interrupted', message: /nothing was imported/ })
    const out = join(folder, 'interrupted.rlp')
    await assert.rejects(exportChainFile(out, { from: 0, to: null }, deps(source, stop.signal)), { code: 'node/interrupted' })
    assert.ok(!readdirSync(folder).some((name) => name.startsWith('interrupted')))
  })

  it('an export rejects a range beyond the chain', async () => {
    await assert.rejects(exportChainFile(join(folder, 'x'), { from: 5, to: 900 }, deps(source)), {
      code: 'node/usage',
      message: /from 0 to 140/,
    })
  })
})
