import assert from 'node:assert/strict'
import { encodeCall, FAILED_RELAYED_MESSAGE_TOPIC, revertReason } from '@keelson/contracts'
import { type Hash, keccak256Hash, L2_CROSS_DOMAIN_MESSENGER, L2_STANDARD_BRIDGE, toAddress } from '@keelson/primitives'
import {
  ALICE,
  depositLog,
  depositTx,
  type FakeTransaction,
  GENESIS_SEC,
  hashOf,
  L1_BLOCK_SEC,
} from '../../../../test/support/bridge/fake-chains.ts'
import { createWorld, MESSENGER, STANDARD_BRIDGE, type World } from '../../../../test/support/bridge/status-world.ts'
import { aliasOf } from './deposit-facts.ts'

const MINUTE_MS = 60_000
const ETHER = 10n ** 18n
const BOB = toAddress(`0x${'b0'.repeat(20)}`)

describe('bridge status', () => {
  let world: World
  beforeEach(async () => {
    world = createWorld()
    await world.open()
  })

  it('is pending in the pool and in a block of L1, relaying when included, complete when safe; its L2 hash follows from L1 alone', async () => {
    const { l1, l2 } = world
    const tx = depositTx('one')
    assert.deepEqual(await world.answer(tx.hash), { kind: 'unknown' })
    l1.pool.push(tx)
    const pooled = await world.status(tx.hash)
    assert.deepEqual([pooled.state, pooled.l1.status, pooled.l2TxHash, pooled.l1.confirmations], ['pending', 'pool', null, 0])
    l1.mine()
    l1.mine([])
    await world.step()
    const mined = await world.status(tx.hash)
    assert.deepEqual([mined.state, mined.l1.status, mined.l1.blockNumber, mined.l1.confirmations], ['pending', 'included', 1, 2])
    l2.adopt(l1)
    const included = await world.status(tx.hash)
    assert.deepEqual([included.state, included.l2TxHash, included.l2BlockNumber], ['relaying', mined.l2TxHash, 1])
    assert.ok(l2.blocks[1]?.receipts.has(mined.l2TxHash as Hash))
    l2.safe = 1
    const complete = await world.status(tx.hash)
    assert.deepEqual([complete.state, complete.deposits[0]?.l2?.finalized, complete.nextAction.code], ['complete', false, 'none'])
    assert.deepEqual([complete.deposits[0]?.recipient, complete.deposits[0]?.amount, complete.deposits[0]?.kind], [ALICE, '5', 'native'])
    l2.finalized = 1
    assert.equal((await world.status(tx.hash)).deposits[0]?.l2?.finalized, true)
  })

  it('makes no more queries about final transactions', async () => {
    const tx = depositTx('one')
    world.l1.mine([tx])
    world.l2.adopt(world.l1)
    world.l2.safe = world.l2.finalized = 1
    await world.step()
    world.l1.down = world.l2.down = true
    const { asked } = world.l1
    const status = await world.status(tx.hash)
    assert.deepEqual([status.state, status.stale, world.l1.asked], ['complete', null, asked])
  })

  it('lists each of several deposits; the least advanced decides, and a failure when all are settled', async () => {
    const tx = depositTx('two', depositLog({ valueWei: 1n }), depositLog({ valueWei: 2n, to: BOB }))
    world.l1.mine([tx])
    await world.step()
    const status = await world.status(tx.hash)
    assert.deepEqual(
      status.deposits.map(({ amount, recipient, l1LogIndex }) => [amount, recipient, l1LogIndex]),
      [
        ['1', ALICE, 0],
        ['2', BOB, 1],
      ],
    )
    assert.equal(new Set(status.l2TxHashes).size, 2)
    world.l2.outcomes.set(tx.hash, { succeeded: false })
    world.l2.adopt(world.l1)
    assert.equal(await world.state(tx.hash), 'relaying')
    world.l2.safe = 1
    assert.equal(await world.state(tx.hash), 'failed')
  })

  it('explains failures', async () => {
    const { l1, l2 } = world
    const entry = toAddress('0x4200000000000000000000000000000000000010')
    const belowMinimum = encodeCall('BelowMinimum(uint256,uint256)', [5n, 10n ** 16n])
    const cases = {
      'below-minimum': { ...depositTx('small'), to: entry, reverts: belowMinimum },
      'l1-reverted': { ...depositTx('l1'), reverts: encodeCall('Error(string)', ['paused']) },
      'no-deposit': { hash: hashOf('tx', 'none'), logs: [] },
      'l2-out-of-gas': depositTx('gas'),
      'l2-reverted': depositTx('revert'),
    }
    l2.outcomes.set(cases['l2-out-of-gas'].hash, { succeeded: false, failure: { kind: 'out-of-gas' } })
    const output = encodeCall('Error(string)', ['no such token'])
    assert.equal(revertReason(output), 'no such token')
    l2.outcomes.set(cases['l2-reverted'].hash, { succeeded: false, failure: { kind: 'reverted', output } })
    l1.mine(Object.values(cases))
    l2.adopt(l1)
    l2.safe = 1
    await world.step()
    const texts: Record<string, string> = {}
    for (const [code, { hash }] of Object.entries(cases)) {
      const { state, reason } = await world.status(hash)
      assert.deepEqual([state, reason?.code], ['failed', code])
      texts[code] = reason?.text ?? ''
    }
    assert.match(texts['below-minimum'] as string, /0\.000000000000000005 is below the minimum of 0\.01/)
    assert.match(texts['l1-reverted'] as string, /reverted on L1: paused/)
    assert.match(texts['l2-out-of-gas'] as string, /out of gas on L2 \(limit 100000\); the 0\.000000000000000005 deposited stay with/)
    assert.match(texts['l2-reverted'] as string, /reverted on L2: no such token/)
  })

  it('a deposit of 0.001 through the standard bridge or the portal is complete and reported as below the minimum', async () => {
    const amount = 10n ** 15n
    const inner = encodeCall('finalizeBridgeETH(address,address,uint256,bytes)', [ALICE, BOB, amount, '0x'])
    const relay = [1n, STANDARD_BRIDGE, L2_STANDARD_BRIDGE, amount, 50_000n, inner] as const
    const data = encodeCall('relayMessage(uint256,address,address,uint256,uint256,bytes)', relay)
    const forced = depositTx('forced', depositLog({ mintWei: 0n }))
    const enough = depositTx('enough', depositLog({ mintWei: 10n ** 16n }))
    const small = {
      'standard bridge': depositTx(
        'bridged',
        depositLog({ from: aliasOf(MESSENGER), to: L2_CROSS_DOMAIN_MESSENGER, mintWei: amount, data }),
      ),
      portal: depositTx('plain', depositLog({ mintWei: amount })),
      'portal with a call': depositTx('call', depositLog({ mintWei: amount, valueWei: 0n, data: Uint8Array.of(1) })),
    }
    world.l1.mine([...Object.values(small), forced, enough])
    await world.step()
    assert.equal((await world.status(small.portal.hash)).reason?.code, 'below-minimum', 'as soon as L1 has it')
    world.l2.adopt(world.l1)
    world.l2.safe = 1
    await world.step()
    for (const [path, { hash }] of Object.entries(small)) {
      const { state, reason, deposits, nextAction } = await world.status(hash)
      assert.deepEqual(
        [state, reason?.code, deposits[0]?.reason?.code, nextAction.code],
        ['complete', 'below-minimum', 'below-minimum', 'none'],
        path,
      )
      assert.match(reason?.text ?? '', /^0\.001 is below the minimum of 0\.01; /)
    }
    for (const { hash } of [forced, enough]) assert.equal((await world.status(hash)).reason, null)
  })

  it('a failed message can be replayed and is then complete', async () => {
    const inner = encodeCall('finalizeBridgeETH(address,address,uint256,bytes)', [ALICE, BOB, 9n * ETHER, '0x'])
    const data = encodeCall('relayMessage(uint256,address,address,uint256,uint256,bytes)', [
      1n,
      STANDARD_BRIDGE,
      L2_STANDARD_BRIDGE,
      9n * ETHER,
      50_000n,
      inner,
    ])
    const tx = depositTx('message', depositLog({ from: aliasOf(MESSENGER), to: L2_CROSS_DOMAIN_MESSENGER, mintWei: 9n * ETHER, data }))
    const topics = [FAILED_RELAYED_MESSAGE_TOPIC, keccak256Hash(data)]
    world.l2.outcomes.set(tx.hash, { succeeded: true, logs: [{ address: L2_CROSS_DOMAIN_MESSENGER, topics, data: new Uint8Array(0) }] })
    world.l1.mine([tx])
    world.l2.adopt(world.l1)
    await world.step()
    const relaying = await world.status(tx.hash)
    assert.deepEqual(
      [relaying.state, relaying.deposits[0]?.kind, relaying.deposits[0]?.recipient, relaying.deposits[0]?.amount],
      ['relaying', 'native', BOB, `${9n * ETHER}`],
    )
    world.l2.safe = world.l2.finalized = 1
    const failed = await world.status(tx.hash)
    assert.deepEqual(
      [failed.state, failed.reason?.code, failed.nextAction.code, failed.deposits[0]?.replayable],
      ['failed', 'message-failed', 'replay', true],
    )
    world.l2.doneMessages.add(keccak256Hash(data))
    const replayed = await world.status(tx.hash)
    assert.deepEqual([replayed.state, replayed.reason, replayed.deposits[0]?.replayable], ['complete', null, false])
  })

  it('reads ERC-20 deposits, and trusts only the messenger', async () => {
    const tokens = { l2: toAddress(`0x${'02'.repeat(20)}`), l1: toAddress(`0x${'01'.repeat(20)}`) }
    const inner = encodeCall('finalizeBridgeERC20(address,address,address,address,uint256,bytes)', [
      tokens.l2,
      tokens.l1,
      ALICE,
      BOB,
      77n,
      '0x',
    ])
    const data = encodeCall('relayMessage(uint256,address,address,uint256,uint256,bytes)', [
      1n,
      STANDARD_BRIDGE,
      L2_STANDARD_BRIDGE,
      0n,
      0n,
      inner,
    ])
    const call = { to: L2_CROSS_DOMAIN_MESSENGER, mintWei: 0n, data }
    const [real, forged] = [depositTx('real', depositLog({ ...call, from: aliasOf(MESSENGER) })), depositTx('forged', depositLog(call))]
    world.l1.mine([real, forged])
    await world.step()
    const [first, second] = [(await world.status(real.hash)).deposits[0], (await world.status(forged.hash)).deposits[0]]
    assert.deepEqual([first?.kind, first?.amount, first?.recipient, first?.token], ['erc20', '77', BOB, tokens])
    assert.deepEqual(
      [second?.kind, second?.amount, second?.recipient, second?.messageHash],
      ['message', '0', L2_CROSS_DOMAIN_MESSENGER, null],
    )
  })

  it('is stuck after 30 minutes, and reports the cause', async () => {
    const { l1, l2, clock } = world
    const [tx, waiting] = [depositTx('one'), depositTx('two')]
    l1.pool.push(waiting)
    l1.mine([tx])
    await world.step()
    assert.equal((await world.status(waiting.hash)).stuck, false)
    await clock.advance(29 * MINUTE_MS)
    assert.equal((await world.status(tx.hash)).stuck, false)
    await clock.advance(2 * MINUTE_MS)
    const pooled = await world.status(waiting.hash)
    assert.match(pooled.stuckReason ?? '', /L1 has not included it for 31 minutes: its fee may be too low/)
    const pending = await world.status(tx.hash)
    assert.equal(pending.stuck, true)
    assert.match(pending.stuckReason ?? '', /adopted L1 only up to block 0, the deposit is in 1/)
    l2.adopt(l1)
    assert.match((await world.status(tx.hash)).stuckReason ?? '', /not safe after .*batcher has not put it on L1/)
    l2.down = true
    assert.match((await world.status(tx.hash)).stuckReason ?? '', /L2 is unavailable since/)
    l2.down = false
    l2.safe = 1
    const done = await world.status(tx.hash)
    assert.deepEqual([done.state, done.stuck, done.stuckReason, done.estimatedCompletionTime], ['complete', false, null, null])
  })

  it('estimates from the lag of L2, never in the past', async () => {
    const { l1, l2, clock } = world
    for (let i = 0; i < 3; i++) l1.mine([])
    l2.adopt(l1)
    l2.safe = 2
    await clock.advance(4 * L1_BLOCK_SEC * 1000)
    await world.step()
    const tx = depositTx('one')
    l1.mine([tx])
    await world.step()
    const status = await world.status(tx.hash)
    const at = Date.parse(status.estimatedCompletionTime as string) - (GENESIS_SEC + 4 * L1_BLOCK_SEC) * 1000
    assert.ok(at >= 24_000 && at <= 60_000, `${at} ms after its L1 block`)
    await clock.advance(10 * MINUTE_MS)
    assert.ok(Date.parse((await world.status(tx.hash)).estimatedCompletionTime as string) > clock.nowMs())
  })

  it('is unavailable instead of unknown when L1 is unavailable', async () => {
    world.l1.down = true
    assert.equal((await world.answer(hashOf('tx', 'any'))).kind, 'unavailable')
    await world.step()
    await world.clock.advance(31_000)
    await world.step()
    assert.match(world.trouble()?.reason ?? '', /L1.*is unavailable since/)
    world.l1.down = false
    await world.step()
    assert.equal(world.trouble(), null)
    assert.equal((await world.answer(hashOf('tx', 'any'))).kind, 'unknown')
  })

  it('waits again after an L1 reorg, and has another L2 hash in its new block; the old deposit no longer counts', async () => {
    const { l1, l2 } = world
    const tx = depositTx('one')
    l1.mine([])
    l1.mine([tx])
    l2.adopt(l1)
    l2.safe = 2
    await world.step()
    const before = await world.status(tx.hash)
    assert.equal(before.state, 'complete')
    l1.takeBack(1)
    l1.mine([])
    await world.step()
    await world.step()
    const between = await world.status(tx.hash)
    assert.deepEqual([between.state, between.l1.status, between.l1.reorged, between.l2TxHash], ['pending', 'pool', true, null])
    l1.mine()
    l2.takeBack(2)
    await world.step()
    const again = await world.status(tx.hash)
    assert.deepEqual([again.state, again.l1.blockNumber], ['pending', 3])
    assert.notEqual(again.l2TxHash, before.l2TxHash)
    l2.adopt(l1)
    l2.safe = 3
    assert.equal(await world.state(tx.hash), 'complete')
  })

  it('is not moved back by a node that has not seen the reorg', async () => {
    const { l1, l2 } = world
    const tx = depositTx('one')
    l1.mine([tx])
    l2.adopt(l1)
    await world.step()
    const stale = await l1.transaction(tx.hash)
    l1.takeBack(1)
    l1.mine([])
    l1.mine([])
    l2.takeBack(1)
    await world.step()
    await world.step()
    l1.transaction = async () => stale
    const status = await world.status(tx.hash)
    assert.deepEqual([status.state, status.l1.blockHash, status.l1.reorged], ['pending', null, true])
    l1.mine()
    await world.step()
    assert.equal((await world.status(tx.hash)).l1.blockNumber, 3)
  })

  it('a safe deposit does not fall to a node on another unsafe chain, an unsafe one does', async () => {
    const { l1, l2 } = world
    const [first, second] = [depositTx('one'), depositTx('two')]
    l1.mine([first])
    l1.mine([second])
    l2.adopt(l1)
    l2.safe = 1
    await world.step()
    assert.deepEqual([await world.state(first.hash), await world.state(second.hash)], ['complete', 'relaying'])
    l2.takeBack(1)
    l2.safe = 0
    l2.adopt({ ...l1, blocks: l1.blocks.map((block) => ({ ...block, txs: [] })) } as never)
    assert.deepEqual([await world.state(first.hash), await world.state(second.hash)], ['complete', 'pending'])
    l2.safe = 2
    assert.deepEqual([await world.state(first.hash), await world.state(second.hash)], ['pending', 'pending'])
  })

  it('indexes history by page and continues after a restart', async () => {
    const { l1 } = world
    const txs: FakeTransaction[] = []
    for (let i = 1; i <= 300; i++) {
      const tx = depositTx(`old-${i}`)
      if (i % 7 === 0) txs.push(tx)
      l1.mine(i % 7 === 0 ? [tx] : [])
    }
    l1.finalized = 280
    assert.equal(await world.step(), 0)
    const { asked } = l1
    await world.open()
    for (let i = 0; i < 5; i++) await world.step()
    assert.ok(l1.asked - asked < 300, 'not from the start')
    l1.down = true
    for (const { hash } of txs) assert.equal(await world.state(hash), 'pending')
  })

  it('deletes records beyond the retention, and pool transactions after a day', async () => {
    const { l1, l2, clock } = world
    const [old, fresh, pooled] = [depositTx('old'), depositTx('fresh'), depositTx('pooled')]
    l1.pool.push(pooled)
    l1.mine([old])
    l2.adopt(l1)
    await world.step()
    assert.equal(await world.state(pooled.hash), 'pending')
    await world.open(120 * MINUTE_MS)
    await clock.advance(25 * 60 * MINUTE_MS)
    while (l1.blocks.length * L1_BLOCK_SEC < 24 * 3600) l1.mine([])
    l1.mine([fresh])
    l1.finalized = l1.blocks.length - 10
    for (let i = 0; i < 60; i++) await world.step()
    l1.down = true
    const kinds = []
    for (const { hash } of [old, pooled, fresh]) kinds.push((await world.answer(hash)).kind)
    assert.deepEqual(kinds, ['unavailable', 'unavailable', 'found'])
  })
})
