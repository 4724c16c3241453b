import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepareNetwork } from '@keelson/devnet'
import { L1_BLOCK, type PayloadEnvelope, ZERO_HASH } from '@keelson/primitives'
import { claimE2ePorts } from '../support/e2e-ports.ts'
import { eventually, growsTo } from '../support/eventually.ts'
import { buildChain, type ExecutionProcess, startExecution } from '../support/execution-process.ts'
import { type HeldLink, openHeldLink } from '../support/held-link.ts'
import { endAllKeelson } from '../support/keelson-process.ts'

const { spare } = await claimE2ePorts()
const LENGTH = 1_500
/** A small part of the chain. */
const SHARE_BYTES = 8_000

describe('two execution clients over RLPx', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-sync-'))
  const network = join(folder, 'network')
  let source: ExecutionProcess
  let link: HeldLink
  let tip: PayloadEnvelope

  before(async () => {
    const choice = { fork: null, l1Fork: null, symbol: null, allowSameChainId: false }
    await prepareNetwork(network, choice, 1_700_000_000_000, () => assert.fail('the default network is prebuilt'))
    source = await startExecution({ network, dataDir: join(folder, 'source'), port: spare })
    tip = await buildChain(source, network, LENGTH)
    link = await openHeldLink(spare + 12, Number(new URL(source.enode).port))
  })
  after(async () => {
    await link?.close()
    await endAllKeelson()
    rmSync(folder, { recursive: true, force: true })
  })

  const startTarget = (name = 'target', ...args: readonly string[]) => {
    const enode = new URL(source.enode)
    enode.port = String(spare + 12)
    return startExecution({ network, dataDir: join(folder, name), port: spare + 6, args: ['--p2p.static', enode.href, ...args] })
  }
  const head = async (node: ExecutionProcess) => Number(await node.call('eth_blockNumber'))
  const want = async (node: ExecutionProcess) =>
    (await node.engine.forkchoiceUpdated({ head: tip.payload.blockHash, safe: ZERO_HASH, finalized: ZERO_HASH }, null)).status.status

  it('fetch a chain from one another, over kill -9 in the middle', async () => {
    const reached: number[] = []
    for (let kills = 0; kills < 3; kills++) {
      const target = await startTarget()
      const before = await head(target)
      assert.equal(await target.engine.newPayload(tip.payload, tip.parentBeaconBlockRoot).then(({ status }) => status), 'SYNCING')
      assert.equal(await want(target), 'SYNCING')
      reached.push(
        await eventually('a part of the chain', async () => {
          link.allow(SHARE_BYTES)
          const number = await head(target)
          return number > before && number
        }),
      )
      await target.process.kill()
    }
    const target = await startTarget()
    const kept = await head(target)
    assert.ok(kept > 0 && kept < LENGTH, `killed at ${reached.join(', ')}, kept ${kept}`)
    await want(target)
    link.allow(Number.POSITIVE_INFINITY)
    await growsTo('the target', LENGTH, () => head(target))
    for (const number of [1, 128, 129, 700, LENGTH]) {
      const at = `0x${number.toString(16)}`
      for (const [method, ...params] of [
        ['eth_getBlockByNumber', at, true],
        ['eth_getBlockReceipts', at],
      ] as const)
        assert.deepEqual(await target.call(method, ...params), await source.call(method, ...params), `${method} ${number}`)
    }
    assert.equal(await want(target), 'VALID')
    await target.process.stop()
  })

  it('fetch the state of a recent block from one another, over kill -9 in the middle, and serve calls at the head', async () => {
    const stored = async (node: ExecutionProcess) => {
      const status = await node.call<false | { stage?: string; currentBlock: string }>('eth_syncing')
      return status !== false && status.stage !== undefined && status.stage !== 'headers' ? Number(status.currentBlock) : 0
    }
    link.hold()
    const killed = await startTarget('snap', '--syncmode', 'snap')
    assert.equal(await want(killed), 'SYNCING')
    await eventually('a part of the chain', () => {
      link.allow(SHARE_BYTES)
      return stored(killed)
    })
    await killed.process.kill()
    const target = await startTarget('snap', '--syncmode', 'snap')
    assert.ok((await head(target)) < LENGTH)
    await want(target)
    link.allow(Number.POSITIVE_INFINITY)
    await eventually('the whole chain', async () => (await head(target)) === LENGTH)
    for (const [method, ...params] of [
      ['eth_getBlockByNumber', 'latest', true],
      ['eth_getBlockByNumber', '0x1', true],
      ['eth_getBlockReceipts', '0x64'],
      ['eth_getProof', L1_BLOCK, ['0x0'], 'latest'],
      ['eth_call', { to: L1_BLOCK, data: '0x54fd4d50' }, 'latest'],
      ['eth_getCode', L1_BLOCK, 'latest'],
    ] as const)
      assert.deepEqual(await target.call(method, ...params), await source.call(method, ...params), `${method} ${params[0]}`)
    assert.equal(await want(target), 'VALID')
    await assert.rejects(target.call('eth_getBalance', L1_BLOCK, '0x64'), /missing trie node/)
    await target.process.stop()
  })
})
