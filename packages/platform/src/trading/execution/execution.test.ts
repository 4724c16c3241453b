import assert from 'node:assert/strict'
import { ClientError } from '@keelson/client'
import { eventTopic } from '@keelson/contracts'
import type { Hash } from '@keelson/primitives'
import { NATIVE_ADDRESS } from '../../market/chain/native-address.ts'
import { Decimal } from '../../market/decimal.ts'
import { type ExecutionRequest, ExecutionResult } from '../../schemas/execution.ts'
import { findBrokenAuditEntry } from '../audit/audit-log.ts'
import { BITCOIN, CHAIN, DOLLAR, ROUTER, STRANGE, swapInput } from '../market.test-support.ts'
import { changePolicy, codeOf, done, withTime } from './outcome.test-support.ts'
import { callerWith, createTradingWorld, order, type TradingWorld, UNITS, WALLET } from './trading-world.test-support.ts'

describe('execution: what it is asked', () => {
  for (const [confirm, simulateOnly, kind] of [
    [true, false, 'real'],
    [false, true, 'simulated'],
    [true, true, 'invalid'],
    [false, false, 'invalid'],
    [true, undefined, 'invalid'],
    [undefined, true, 'simulated'],
    [undefined, undefined, 'invalid'],
    [undefined, false, 'invalid'],
  ] as const) {
    it(`confirm ${confirm} and simulate_only ${simulateOnly} are ${kind}`, async () => {
      const world = createTradingWorld()
      const { simulate_only: _, ...input } = swapInput()
      const request: ExecutionRequest = {
        input: simulateOnly === undefined ? input : { ...input, simulate_only: simulateOnly },
        ...(confirm === undefined ? {} : { confirm }),
        wallet_ref: 'main',
      }
      const outcome = await world.executor.execute(request, callerWith('k'))
      const was = outcome.kind !== 'done' ? outcome.kind : outcome.result.tx_hash === undefined ? 'simulated' : 'real'
      assert.equal(was, kind)
      await world.settle()
      assert.equal(world.chain.trades.length, kind === 'real' ? 1 : 0)
    })
  }

  it('a simulation says what would be sent and leaves nothing behind', async () => {
    const world = createTradingWorld()
    const result = done(await world.executor.execute(order({ confirm: false }, { simulate_only: true }), callerWith(null)))
    assert.deepEqual(ExecutionResult.parse(result), result)
    assert.deepEqual([result.status, result.tx_hash, result.explorer_url, result.tx.to], ['success', undefined, null, ROUTER])
    assert.match(result.message, /nothing was sent/)
    assert.equal(world.chain.pool.size, 0)
    assert.equal(world.executions.records.size, 0)
    await world.executor.execute(order({ confirm: false }, { simulate_only: true, amount_in: '5000' }), callerWith(null))
    assert.deepEqual(world.auditStore.entries, [], 'what is kept for good does not grow with simulations')
  })

  it('a wallet is its owner’s, on the chain it is for', async () => {
    const world = createTradingWorld()
    const kindOf = async (request: ExecutionRequest, user: number) => codeOf(await world.executor.execute(request, callerWith(null, user)))
    assert.equal(await kindOf(order({ wallet_ref: 'other' }), 1), 'not-found')
    assert.equal(await kindOf(order(), 3), 'not-found')
    assert.equal(await kindOf(order({}, { chain_id: 1 }), 1), 'invalid chain_id')
  })
})

describe('execution: a real trade', () => {
  it('approves exactly what it sells, enforces its least output on chain, and ends as success', async () => {
    const world = createTradingWorld()
    const outcome = await world.executor.execute(order(), callerWith('k'))
    const result = done(outcome)
    assert.deepEqual(ExecutionResult.parse(result), result)
    assert.equal(result.status, 'pending')
    assert.equal(result.explorer_url, `https://explorer.example/tx/${result.tx_hash}`)
    await world.settle()
    assert.deepEqual(world.chain.approvals, [{ wallet: WALLET.address, token: DOLLAR, spender: ROUTER, amount: 100n * UNITS.dollar }])
    const [trade] = world.chain.trades
    assert.equal(world.chain.trades.length, 1)
    assert.equal(trade?.amountIn, 100n * UNITS.dollar)
    assert.equal(trade?.minimumOut, ((trade?.amountOut ?? 0n) * 9_950n) / 10_000n)
    assert.equal(await world.chain.allowance(DOLLAR, WALLET.address, ROUTER), 0n)
    const after = done(await world.executor.execute(order(), callerWith('k')))
    assert.deepEqual([after.status, after.tx_hash, after.tx], ['success', result.tx_hash, result.tx])
    const id = outcome.kind === 'done' ? (outcome.executionId as string) : ''
    assert.deepEqual(await world.executor.find(id, 1), { kind: 'sent', result: after })
    assert.equal(await world.executor.find(id, 2), null)
    assert.equal(world.settled.length, 1)
    assert.equal(world.settled[0]?.settlement?.amountOut, String(trade?.amountOut))
    assert.deepEqual(
      world.auditStore.entries.map(({ event }) => event),
      ['accepted', 'allowed', 'placing', 'settled'],
    )
    assert.equal(findBrokenAuditEntry(world.auditStore.entries), null)
  })

  for (const [what, tokenIn, tokenOut, amount, allowances] of [
    ['the native coin for a token', NATIVE_ADDRESS, DOLLAR, '0.1', [] as bigint[]],
    ['a token for a token', BITCOIN, DOLLAR, '0.002', [200_000n]],
    ['the zero address as native coin', `0x${'0'.repeat(40)}`, BITCOIN, '0.1', []],
  ] as const) {
    it(`sells ${what}`, async () => {
      const world = createTradingWorld()
      const on = (address: typeof DOLLAR) => ({ chainId: CHAIN, address })
      changePolicy(world, { tokens: [DOLLAR, BITCOIN, NATIVE_ADDRESS].map(on) })
      done(
        await world.executor.execute(
          order({}, { token_in_address: tokenIn, token_out_address: tokenOut, amount_in: amount }),
          callerWith('k'),
        ),
      )
      await world.settle()
      assert.equal(world.chain.trades.length, 1)
      assert.deepEqual(
        world.chain.approvals.map((approval) => approval.amount),
        allowances,
      )
    })
  }

  it('takes an allowance that differs back before it gives its own', async () => {
    const world = createTradingWorld()
    world.chain.setAllowance(DOLLAR, WALLET.address, (1n << 256n) - 1n)
    done(await world.executor.execute(order(), callerWith('k')))
    await world.settle()
    assert.deepEqual(
      world.chain.approvals.map(({ amount }) => amount),
      [0n, 100n * UNITS.dollar],
    )
    assert.equal(world.chain.trades.length, 1)
  })

  it('trades nothing when the price moves beyond the least output, and frees the cap', async () => {
    const world = createTradingWorld()
    done(await world.executor.execute(order(), callerWith('k')))
    world.market.poolFactor = new Decimal('0.99')
    await world.settle()
    const result = done(await world.executor.execute(order(), callerWith('k')))
    assert.equal(result.status, 'failed')
    assert.match(result.message, /nothing was traded/)
    assert.deepEqual([world.chain.trades, world.settled], [[], []])
    assert.equal((await world.executions.spentUsd(WALLET.address, 0, '')).toFixed(), '0')
    assert.equal(world.chain.balance(DOLLAR, WALLET.address), 100_000n * UNITS.dollar)
  })

  it('is neither raised nor sent again while trading is stopped, and is over after its deadline', async () => {
    const world = createTradingWorld()
    const sold = order({}, { token_in_address: NATIVE_ADDRESS, token_out_address: DOLLAR, amount_in: '0.01' })
    done(await world.executor.execute(sold, callerWith('k')))
    world.chain.baseFeeWei = 5_000n
    let handedIn = 0
    world.chain.onSend = () => void handedIn++
    world.stopped = 'incident'
    for (let i = 0; i < 40; i++) {
      world.chain.mine()
      await world.clock.advance(2_000)
      await world.settler.step()
    }
    const [kept] = [...world.executions.records.values()]
    assert.deepEqual([kept?.state, kept?.steps[0]?.attempts.length, handedIn], ['failed', 1, 0])
    assert.match(kept?.message ?? '', /nothing was traded/)
  })

  it('is not sent again while its wallet is disabled, or has no policy any more', async () => {
    for (const change of [
      (world: TradingWorld) => changePolicy(world, { enabled: false }),
      (world: TradingWorld) => world.policies.clear(),
    ]) {
      const world = createTradingWorld()
      done(
        await world.executor.execute(
          order({}, { token_in_address: NATIVE_ADDRESS, amount_in: '0.01', token_out_address: DOLLAR }),
          callerWith('k'),
        ),
      )
      world.chain.pool.clear()
      let handedIn = 0
      world.chain.onSend = () => void handedIn++
      change(world)
      world.restart()
      for (let i = 0; i < 40; i++) {
        world.chain.mine()
        await world.clock.advance(2_000)
        await world.settler.step()
      }
      const [kept] = [...world.executions.records.values()]
      assert.deepEqual([kept?.state, kept?.steps[0]?.attempts.length, handedIn], ['failed', 1, 0])
    }
  })

  it('stopped while it is being signed, it is not sent, and says so', async () => {
    const world = createTradingWorld()
    const { save } = world.executions
    world.executions.save = (record, ...more) => {
      if (record.state === 'signed') world.stopped = 'incident'
      return save(record, ...more)
    }
    world.restart()
    const result = done(await world.executor.execute(order(), callerWith('k')))
    assert.deepEqual([result.status, world.chain.pool.size], ['pending', 0])
    assert.match(result.message, /signed and not sent.*incident/)
    await world.settle()
    assert.deepEqual(world.chain.approvals, [])
    world.stopped = null
    await world.settler.step()
    await world.settle()
    assert.equal(world.chain.trades.length, 1)
  })

  it('raises its price while it waits, under the same nonce, and is mined once', async () => {
    const world = createTradingWorld()
    done(
      await world.executor.execute(
        order({}, { token_in_address: NATIVE_ADDRESS, token_out_address: DOLLAR, amount_in: '0.01' }),
        callerWith('k'),
      ),
    )
    world.chain.baseFeeWei = 5_000n
    for (let i = 0; i < 14; i++) {
      await world.clock.advance(1_000)
      await world.settler.step()
    }
    const [kept] = [...world.executions.records.values()]
    assert.equal(kept?.steps[0]?.attempts.length, 2)
    await world.settle()
    assert.equal(world.chain.trades.length, 1)
    assert.equal(
      done(
        await world.executor.execute(
          order({}, { token_in_address: NATIVE_ADDRESS, token_out_address: DOLLAR, amount_in: '0.01' }),
          callerWith('k'),
        ),
      ).status,
      'success',
    )
  })

  it('is abandoned only after its deadline, and the next one uses its nonce', async () => {
    const world = createTradingWorld()
    world.chain.onSend = () => {
      throw new ClientError('client/timeout', 'temporary', 'no answer')
    }
    const lost = done(await world.executor.execute(order(), callerWith('lost')))
    const statusOf = async (key: string) => done(await world.executor.execute(order(), callerWith(key))).status
    world.chain.mine(25)
    await world.settler.step()
    assert.equal(await statusOf('lost'), 'pending')
    assert.equal(codeOf(await withTime(world, world.executor.execute(order(), callerWith('next')))), 'busy')
    world.chain.mine(10)
    await world.settler.step()
    assert.equal(await statusOf('lost'), 'failed')
    world.chain.onSend = () => undefined
    const next = done(await world.executor.execute(order(), callerWith('next')))
    assert.notEqual(next.tx_hash, lost.tx_hash)
    await world.settle()
    assert.deepEqual([await statusOf('lost'), await statusOf('next'), world.chain.trades.length], ['failed', 'success', 1])
  })

  it('counts what the wallet got, whatever other contracts on the way wrote into the logs, and is settled where they wrote nonsense', async () => {
    const world = createTradingWorld()
    const word = (account: string) => `0x${account.slice(2).padStart(64, '0')}` as Hash
    const transfer = eventTopic('Transfer(address,address,uint256)')
    const swapped = eventTopic('Swap(address,uint256,uint256,uint256,uint256,address)')
    const much = `0x${'f'.repeat(64)}` as const
    world.chain.logsBefore = [
      { address: STRANGE, topics: [transfer, word(ROUTER), word(WALLET.address)], data: much },
      { address: STRANGE, topics: [eventTopic('Withdrawal(address,uint256)'), word(ROUTER)], data: much },
      { address: STRANGE, topics: [swapped, word(ROUTER), word(WALLET.address)], data: '0x' },
      { address: DOLLAR, topics: [transfer, word(ROUTER), word(STRANGE)], data: much },
    ]
    for (const [key, token_in_address, token_out_address, amount_in] of [
      ['bought', DOLLAR, NATIVE_ADDRESS, '100'],
      ['sold', NATIVE_ADDRESS, DOLLAR, '0.01'],
    ] as const) {
      done(await world.executor.execute(order({}, { token_in_address, token_out_address, amount_in }), callerWith(key)))
      await world.settle()
      assert.equal(world.settled.at(-1)?.settlement?.amountOut, String(world.chain.trades.at(-1)?.amountOut))
    }
    assert.equal(world.settled.length, 2)
    world.chain.logsBefore = [{ address: DOLLAR, topics: [transfer, word(ROUTER), word(WALLET.address)], data: '0x' }]
    const sold = order({}, { token_in_address: NATIVE_ADDRESS, token_out_address: DOLLAR, amount_in: '0.02' })
    done(await world.executor.execute(sold, callerWith('unreadable')))
    await world.settle()
    assert.deepEqual([world.settled.length, world.settled.at(-1)?.settlement?.amountOut], [3, null])
  })

  it('is not called failed when it was mined and its receipt is lost, and is settled when another node has it', async () => {
    const world = createTradingWorld()
    done(await world.executor.execute(order(), callerWith('k')))
    world.chain.receiptsLag = true
    world.chain.mine(40)
    for (let i = 0; i < 65; i++) await world.settler.step()
    assert.equal(done(await world.executor.execute(order(), callerWith('k'))).status, 'pending')
    world.chain.receiptsLag = false
    await world.settler.step()
    assert.deepEqual([done(await world.executor.execute(order(), callerWith('k'))).status, world.settled.length], ['success', 1])
  })

  it('is not called failed while only its receipt is late', async () => {
    const world = createTradingWorld()
    done(await world.executor.execute(order(), callerWith('k')))
    world.chain.receiptsLag = true
    world.chain.mine(40)
    for (let i = 0; i < 10; i++) await world.settler.step()
    assert.equal(done(await world.executor.execute(order(), callerWith('k'))).status, 'pending')
    world.chain.receiptsLag = false
    await world.settler.step()
    assert.equal(done(await world.executor.execute(order(), callerWith('k'))).status, 'success')
  })
})
