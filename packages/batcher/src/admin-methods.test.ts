import assert from 'node:assert/strict'
import type { RpcContext } from '@keelson/runtime'
import { createBatcherWorld } from '../../../test/support/batcher-world.ts'
import type { BatcherStatus } from './admin-methods.ts'

describe('admin methods of the batcher', () => {
  it('report the activity of the batcher and why it waits', async () => {
    const { world, batcher, mine, sender, drain } = createBatcherWorld({ maxChannelDurationL1Blocks: 2 })
    const context = {} as RpcContext
    const status = () => batcher.methods.admin_batcherStatus?.([], context) as BatcherStatus
    assert.equal(status().waitingFor, 'started')
    await mine(3)
    await world.sequence(3)
    await batcher.step()
    const open = status()
    assert.deepEqual(
      [
        open.active,
        open.waitingFor,
        open.lastBatchedBlock,
        open.openChannel?.fromBlock,
        open.openChannel?.toBlock,
        open.pendingTransactions,
        open.placing,
      ],
      [true, null, 3, 1, 3, 0, false],
    )
    await mine(2)
    sender.failNext('the account is out of funds')
    await batcher.step()
    await Promise.resolve()
    assert.deepEqual([status().trouble, status().waitingTransactions.length], ['the account is out of funds', 1])
    assert.equal(batcher.trouble()?.reason, 'the account is out of funds')
    await batcher.step()
    assert.deepEqual([status().trouble, status().pendingTransactions, status().channels.length], [null, 1, 1])
    await drain()
    await batcher.step()
    assert.deepEqual([status().pendingTransactions, status().channels, status().lastInclusionL1Block !== null], [0, [], true])
  })

  it('report a transaction that is being sent, which a stop does not prevent', async () => {
    const { world, batcher, mine, sender } = createBatcherWorld({ maxChannelDurationL1Blocks: 2 })
    const context = {} as RpcContext
    const status = () => batcher.methods.admin_batcherStatus?.([], context) as BatcherStatus
    await mine(3)
    await world.sequence(3)
    await batcher.step()
    await mine(2)
    const place = sender.holdNext()
    await batcher.step()
    batcher.methods.admin_stopBatcher?.([], context)
    assert.deepEqual([status().active, status().placing, status().pendingTransactions], [false, true, 0])
    place()
    assert.deepEqual([status().placing, status().pendingTransactions], [false, 1])
  })

  it('report a stopped batcher as unhealthy: trouble, status and a flush name the cause', async () => {
    const { batcher } = createBatcherWorld({})
    const context = {} as RpcContext
    const call = (method: string) => batcher.methods[method]?.([], context)
    const status = () => call('admin_batcherStatus') as BatcherStatus
    assert.equal(call('admin_flushBatcher'), null)
    call('admin_stopBatcher')
    assert.match(batcher.trouble()?.reason ?? '', /^stopped by an operator/)
    assert.match(status().waitingFor ?? '', /^stopped by an operator/)
    assert.throws(() => call('admin_flushBatcher'), /the batcher is stopped.*admin_startBatcher/)
    call('admin_startBatcher')
    assert.equal(batcher.trouble(), null)
    assert.equal(status().waitingFor, 'started by an operator')
    assert.match(createBatcherWorld({ stopped: true }).batcher.trouble()?.reason ?? '', /^stopped by an option \(--stopped\)/)
  })

  it('read and change the throttle controller', async () => {
    const { world, batcher, mine } = createBatcherWorld({ throttleLowerThresholdBytes: 10, throttleUpperThresholdBytes: 1_000_000 })
    const context = {} as RpcContext
    const call = (method: string, ...params: unknown[]) => batcher.methods[method]?.(params, context) as Record<string, unknown>
    await mine(3)
    await world.sequence(10, 5)
    await batcher.step()
    const before = call('admin_getThrottleController')
    assert.deepEqual([before.type, before.lower_threshold, before.upper_threshold], ['quadratic', 10, 1_000_000])
    assert.ok((before.current_load as number) > 10 && (before.intensity as number) > 0 && (before.intensity as number) < 0.1)
    call('admin_setThrottleController', 'step', null)
    await batcher.step()
    assert.deepEqual(call('admin_getThrottleController'), {
      ...before,
      type: 'step',
      intensity: 1,
      max_tx_size: 150,
      max_block_size: 2_000,
    })
    assert.throws(() => call('admin_setThrottleController', 'pid'), { number: -32602, message: /step, linear, quadratic/ })
    call('admin_resetThrottleController')
    assert.equal(call('admin_getThrottleController').type, 'quadratic')
  })
})
