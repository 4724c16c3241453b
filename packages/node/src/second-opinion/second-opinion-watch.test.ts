import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bytesToHex, decodeBlock, encodeBlock, type Hash, hexToBytes, ZERO_HASH } from '@keelson/primitives'
import { createMetrics, type Metrics } from '@keelson/runtime'
import { createExecutionWorld, type ExecutionWorld } from '../../../../test/support/execution-world.ts'
import { createRecordingLogger } from '../../../../test/support/recording-logger.ts'
import { judgeEvidence } from '../../../../test/support/second-opinion.ts'
import { parseEvidence } from './block-evidence.ts'
import { writeOpinionReport } from './opinion-reports.ts'
import type { OpinionRequest } from './opinion-thread.ts'
import { SecondOpinionWatch } from './second-opinion-watch.ts'

function tampered({ block, witness }: OpinionRequest): OpinionRequest {
  const decoded = decodeBlock(block)
  return { block: encodeBlock({ ...decoded, header: { ...decoded.header, stateRoot: ZERO_HASH } }), witness }
}

describe('the second opinion beside block import', () => {
  let world: ExecutionWorld
  let folder: string
  let metrics: Metrics
  beforeEach(async () => {
    world = await createExecutionWorld()
    folder = await mkdtemp(join(tmpdir(), 'keelson-opinion-'))
    metrics = createMetrics('test')
  })
  afterEach(async () => {
    await world.stop()
    await rm(folder, { recursive: true })
  })

  const evidenceOf = async (hash: Hash): Promise<OpinionRequest> => ({
    block: hexToBytes(await world.call('debug_getRawBlock', hash)),
    witness: JSON.stringify(await world.call('debug_executionWitness', hash)),
  })

  const watchEvery = (every: number, change: (request: OpinionRequest) => OpinionRequest = (request) => request, directory = folder) => {
    const log = createRecordingLogger()
    const watch = new SecondOpinionWatch(every, {
      evidence: async (hash) => change(await evidenceOf(hash)),
      judge: async ({ block, witness }) => {
        const evidence = parseEvidence(block, JSON.parse(witness))
        assert.ok(evidence !== null)
        return judgeEvidence(world, evidence)
      },
      write: (report) => writeOpinionReport(directory, report),
      log,
      metrics,
    })
    return { watch, log }
  }

  const outcomes = async () =>
    [...(await metrics.render()).text.matchAll(/second_opinion_blocks_total\{outcome="(\w+)"\} (\d+)/g)].map(
      ([, name, count]) => `${name} ${count}`,
    )

  it('judges every Nth block, and stays silent when it agrees', async () => {
    const { watch, log } = watchEvery(2)
    for (let i = 0; i < 4; i++) {
      const { header, hash } = await world.mine()
      watch.look(header.number, hash)
      await watch.stop()
    }
    assert.deepEqual(await outcomes(), ['agrees 2'])
    assert.equal(log.lines.filter(({ level }) => level !== 'debug').length, 0)
    assert.deepEqual(await readdir(folder), [])
  })

  it('skips blocks that arrive while one is being judged', async () => {
    const { watch } = watchEvery(1)
    const blocks = [await world.mine(), await world.mine()]
    for (const { header, hash } of blocks) watch.look(header.number, hash)
    await watch.stop()
    assert.deepEqual(await outcomes(), ['skipped 1', 'agrees 1'])
  })

  it('stops the node at a difference, and leaves block, witness and verdict in a report', async () => {
    const { watch } = watchEvery(1, tampered)
    const { header, hash } = await world.mine()
    watch.look(header.number, hash)
    await assert.rejects(watch.failure, /the second opinion on block 1 \(0x[0-9a-f]{64}\) contradicts this node/)
    await watch.stop()
    const [name] = await readdir(folder)
    assert.equal(name, `block-1-${hash}.json`)
    const report = JSON.parse(await readFile(join(folder, name as string), 'utf8'))
    assert.deepEqual(
      report.verdict.differences.map((difference: { field: string; header: string }) => [difference.field, difference.header]),
      [['stateRoot', ZERO_HASH]],
    )
    assert.equal(report.verdict.differences[0].computed, header.stateRoot)
    assert.notEqual(report.block, bytesToHex((await evidenceOf(hash)).block))
    assert.deepEqual(report.witness, JSON.parse((await evidenceOf(hash)).witness))
  })

  it('stops the node at a difference even when the report cannot be written', async () => {
    await writeFile(join(folder, 'file'), '')
    const { watch } = watchEvery(1, tampered, join(folder, 'file'))
    const { header, hash } = await world.mine()
    watch.look(header.number, hash)
    await assert.rejects(watch.failure, /contradicts this node; block, witness and verdict are in no report: /)
    await watch.stop()
  })

  it('keeps the reports of the newest 20 blocks, counted by number', async () => {
    const report = { hash: ZERO_HASH, verdict: { kind: 'agrees' }, block: new Uint8Array(0), witness: '{}' } as const
    for (let number = 90; number < 115; number++) await writeOpinionReport(folder, { ...report, number })
    const numbers = (await readdir(folder)).map((name) => Number(name.split('-')[1])).sort((a, b) => a - b)
    assert.deepEqual(
      numbers,
      Array.from({ length: 20 }, (_, i) => 95 + i),
    )
  })

  it('does not stop the node for a witness that lacks a node, but reports it', async () => {
    const { watch, log } = watchEvery(1, ({ block, witness }) => {
      const parsed = JSON.parse(witness)
      return { block, witness: JSON.stringify({ ...parsed, state: parsed.state.slice(0, 1) }) }
    })
    const { header, hash } = await world.mine()
    watch.look(header.number, hash)
    await watch.stop()
    assert.deepEqual(await outcomes(), ['incomplete 1'])
    assert.equal(log.matching('the execution witness of a block is incomplete').length, 1)
    assert.equal((await readdir(folder)).length, 1)
  })
})
