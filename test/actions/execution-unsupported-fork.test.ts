import assert from 'node:assert/strict'
import { forkLimitOf } from '@keelson/chainspec'
import { blockToPayload, builtPayloadToJson, encodeBlock, payloadAttributesToJson, ZERO_HASH } from '@keelson/primitives'
import { toRpcError } from '@keelson/runtime'
import { createExecutionWorld, type ExecutionWorld } from '../support/execution-world.ts'

const GENESIS_SEC = 1_700_000_000
const LIMIT = forkLimitOf({
  firstUnsupportedFork: { name: 'beryl', timeSec: GENESIS_SEC + 6 },
  blockTimeSec: 2,
  genesis: { l2: { number: 0 }, l2TimestampSec: GENESIS_SEC },
})
const LAST = 2

const call = (world: ExecutionWorld, method: string, ...params: readonly unknown[]) =>
  world.node.engineMethods[method]?.(params, { signal: new AbortController().signal, transport: 'http' })

const failure = async (promise: unknown) => {
  try {
    await promise
  } catch (error) {
    const { number, message } = toRpcError(error)
    return [number, message] as const
  }
  return [0, 'no error'] as const
}

async function openBoth() {
  const options = { genesisTimestampSec: GENESIS_SEC }
  const [limited, other] = [await createExecutionWorld({ ...options, limit: LIMIT }), await createExecutionWorld(options)]
  for (let number = 1; number <= LAST; number++) {
    const block = await other.mine({ timestampSec: GENESIS_SEC + 2 * number })
    const json = builtPayloadToJson({ ...blockToPayload(block, true), blockValueWei: 0n }, 4) as Record<string, unknown>
    await call(limited, 'engine_newPayloadV4', json.executionPayload, [], json.parentBeaconBlockRoot, [])
    const state = { headBlockHash: block.hash, safeBlockHash: ZERO_HASH, finalizedBlockHash: ZERO_HASH }
    await call(limited, 'engine_forkchoiceUpdatedV3', state, null)
  }
  const next = await other.mine({ timestampSec: GENESIS_SEC + 2 * (LAST + 1) })
  return { limited, other, next }
}

describe('execution: a fork that this release does not implement', () => {
  it('answers its payloads with an error in every version, without a verdict', async () => {
    const { limited, next } = await openBoth()
    const json = builtPayloadToJson({ ...blockToPayload(next, true), blockValueWei: 0n }, 4) as Record<string, unknown>
    for (const method of ['engine_newPayloadV4', 'engine_newPayloadV3'] as const) {
      const [number, message] = await failure(call(limited, method, json.executionPayload, [], json.parentBeaconBlockRoot, []))
      assert.equal(number, -38005, method)
      assert.match(message, /^Unsupported fork: stopped before fork beryl: it activates at 1700000006 .*, and block 2 is the last one/)
    }
    assert.equal(limited.node.chain.label('unsafe').header.number, LAST)
    await limited.stop()
  })

  it('answers its attributes with a temporary error, after it has moved the head', async () => {
    const { limited, other } = await openBoth()
    const state = {
      headBlockHash: (await other.call('eth_getBlockByNumber', '0x1', false)).hash,
      safeBlockHash: ZERO_HASH,
      finalizedBlockHash: ZERO_HASH,
    }
    const attributes = payloadAttributesToJson({ ...limited.attributes(), timestampSec: GENESIS_SEC + 6 })
    const [number, message] = await failure(call(limited, 'engine_forkchoiceUpdatedV3', state, attributes))
    // On -38003, op-node drops the batch; on any other engine error, it resets.
    assert.equal(number, -32000)
    assert.match(message, /^this block cannot be built: stopped before fork beryl/)
    assert.equal(await limited.call('eth_blockNumber'), '0x1')
    await limited.stop()
  })

  it('ends an import of exported blocks', async () => {
    const { limited, next } = await openBoth()
    const verdict = await limited.node.importExported(encodeBlock(next))
    assert.equal(verdict.kind, 'unsupported-fork')
    await limited.stop()
  })

  it('is reported by readiness and log at the last block, while the client keeps serving', async () => {
    const { limited, other } = await openBoth()
    const check = async () => {
      const failed = (await Promise.all(limited.node.checks.map((each) => each.check()))).filter(({ ok }) => !ok)
      return failed.map((result) => (result.ok ? '' : result.reason))
    }
    await limited.clock.advance(3_600_000)
    assert.equal((await check()).length, 1)
    assert.match((await check())[0] ?? '', /^stopped before fork beryl: it activates at/)
    const tx = limited.transfer(0, '0x00000000000000000000000000000000000000aa', 1n)
    assert.equal(await limited.call('eth_sendRawTransaction', `0x${Buffer.from(tx.raw).toString('hex')}`), tx.hash)
    assert.equal(await limited.call('eth_blockNumber'), '0x2')
    assert.deepEqual(await limited.call('eth_getBlockByNumber', '0x2', false), await other.call('eth_getBlockByNumber', '0x2', false))
    await limited.stop()
  })
})
