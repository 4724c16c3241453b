import assert from 'node:assert/strict'
import {
  bytesToHex,
  type DepositTransaction,
  decodeTransaction,
  hexToBytes,
  type L2BlockRef,
  type Log,
  type PayloadAttributes,
  toHash,
  ZERO_HASH,
} from '@keelson/primitives'
import {
  createDerivationWorld,
  type DerivationWorld,
  emit,
  forksUpTo,
  GENESIS_TIME_SEC,
  PORTAL,
  SYSTEM_CONFIG,
} from '../../../test/support/derivation-world.ts'
import { createAttributesBuilder, depositsOnly, mayIncludeTransactions } from './attributes-builder.ts'
import { DEPOSIT_EVENT_TOPIC } from './codec/l1/deposit-log.ts'
import { decodeL1Info, type L1Info } from './codec/l1/l1-info.ts'
import { CONFIG_UPDATE_TOPIC } from './codec/l1/system-config-log.ts'
import { systemConfigOf } from './codec/payload.ts'

const word = (hex: string) => hex.padStart(64, '0')

function depositLog(value: string): Log {
  const opaque = `${word('0')}${word(value)}${'0000000000005208'}00`.padEnd(192, '0')
  return {
    address: PORTAL,
    topics: [DEPOSIT_EVENT_TOPIC, toHash(`0x${word('aa'.repeat(20))}`), toHash(`0x${word('bb'.repeat(20))}`), ZERO_HASH],
    data: hexToBytes(`0x${word('20')}${word('49')}${opaque}`),
  }
}

function updateLog(kind: number, value: string): Log {
  return {
    address: SYSTEM_CONFIG,
    topics: [CONFIG_UPDATE_TOPIC, ZERO_HASH, toHash(`0x${word(kind.toString(16))}`)],
    data: hexToBytes(`0x${word('20')}${word('20')}${word(value)}`),
  }
}

const deposits = (attributes: PayloadAttributes) => attributes.transactions.map((raw) => decodeTransaction(raw) as DepositTransaction)
const infoOf = (attributes: PayloadAttributes): L1Info => decodeL1Info((deposits(attributes)[0] as DepositTransaction).data)

async function atFirstEpoch(world: DerivationWorld): Promise<PayloadAttributes> {
  world.l1.mine(1)
  await world.sequence(1, 0)
  return world.builder.build(world.unsafe(), world.l1.head)
}

describe('attributes builder', () => {
  it('takes the fields of the block from its L1 origin', async () => {
    const world = createDerivationWorld()
    const attributes = await atFirstEpoch(world)
    const { header } = world.l1.block(1) as NonNullable<ReturnType<typeof world.l1.block>>
    assert.equal(attributes.timestampSec, GENESIS_TIME_SEC + 4)
    assert.equal(attributes.prevRandao, header.mixHash)
    assert.equal(attributes.parentBeaconBlockRoot, header.parentBeaconBlockRoot)
    assert.equal(attributes.feeRecipient, '0x4200000000000000000000000000000000000011')
    assert.deepEqual(attributes.withdrawals, [])
    assert.equal(attributes.gasLimit, 30_000_000n)
    assert.equal(attributes.noTxPool, true)
    const info = infoOf(attributes)
    assert.deepEqual(
      [info.format, info.number, info.timestampSec, info.hash, info.sequenceNumber, info.baseFeeWei],
      ['jovian', 1, header.timestampSec, world.l1.head.hash, 0, header.baseFeeWei],
    )
    assert.deepEqual(
      [info.baseFeeScalar, info.blobBaseFeeScalar, info.blobBaseFeeWei, info.daFootprintGasScalar],
      [0x558, 0xc5fc5, 1n, 400],
    )
  })

  it('increments the sequence number within an epoch and resets it in a new one', async () => {
    const world = createDerivationWorld()
    world.l1.mine(1)
    await world.sequence(4, 0)
    const numbers = [1, 2, 3, 4].map((n) =>
      decodeL1Info((decodeTransaction(world.sequenced.block(n).transactions[0] as Uint8Array) as DepositTransaction).data),
    )
    assert.deepEqual(
      numbers.map((info) => [info.number, info.sequenceNumber]),
      [
        [0, 1],
        [1, 0],
        [1, 1],
        [1, 2],
      ],
    )
  })

  it('puts the deposits of a new epoch after L1 info, in log order, and only there', async () => {
    const world = createDerivationWorld()
    emit(world, depositLog('11'))
    emit(world, depositLog('22'))
    const attributes = await atFirstEpoch(world)
    assert.deepEqual(
      deposits(attributes).map((tx) => tx.valueWei),
      [0n, 0x11n, 0x22n],
    )
    await world.sequence(1, 0)
    assert.equal((await world.builder.build(world.unsafe(), world.unsafe().l1Origin)).transactions.length, 1)
  })

  it('applies a system configuration update from its epoch on', async () => {
    const world = createDerivationWorld()
    emit(world, updateLog(2, '3938700'))
    emit(world, updateLog(4, '0000006400000005'))
    emit(world, updateLog(5, '0000000700000000000003e8'))
    emit(world, updateLog(6, 'ff'))
    emit(world, updateLog(7, '200'))
    emit(world, updateLog(99, '1'))
    const attributes = await atFirstEpoch(world)
    assert.equal(attributes.gasLimit, 60_000_000n)
    assert.equal(bytesToHex(attributes.eip1559Params as Uint8Array), '0x0000006400000005')
    assert.equal(attributes.minBaseFeeWei, 255n)
    const info = infoOf(attributes)
    assert.deepEqual([info.operatorFeeScalar, info.operatorFeeConstant, info.daFootprintGasScalar], [7, 1000n, 512])

    const [block] = await world.sequence(1, 0)
    const config = systemConfigOf(block as never, world.config)
    assert.deepEqual(
      [config.gasLimit, config.operatorFeeScalar, config.minBaseFeeWei, config.daFootprintGasScalar],
      [60_000_000n, 7, 255n, 512],
    )
    const next = await world.builder.build(world.unsafe(), world.unsafe().l1Origin)
    assert.equal(next.gasLimit, 60_000_000n)
    assert.equal(next.minBaseFeeWei, 255n)
  })

  // holocene/derivation.md#attributes-builder
  for (const [what, holocene, expected] of [
    ['the block before the activation', GENESIS_TIME_SEC + 6, null],
    ['the activation block', GENESIS_TIME_SEC + 4, '0x0000000000000000'],
    ['the block after it', GENESIS_TIME_SEC + 2, '0x0000006400000005'],
  ] as const) {
    it(`an update of EIP-1559 parameters at the origin of ${what} of Holocene gives ${expected}`, async () => {
      const world = createDerivationWorld({ forks: { ...forksUpTo('granite'), holocene } })
      emit(world, updateLog(4, '0000006400000005'))
      const { eip1559Params } = await atFirstEpoch(world)
      assert.equal(eip1559Params === null ? null : bytesToHex(eip1559Params), expected)
    })
  }

  it('omits the fields that the fork of the block lacks', async () => {
    const old = await atFirstEpoch(createDerivationWorld({ forks: forksUpTo('regolith') }))
    assert.deepEqual([old.withdrawals, old.parentBeaconBlockRoot, old.eip1559Params, old.minBaseFeeWei], [null, null, null, null])
    assert.equal(infoOf(old).format, 'bedrock')
    const ecotone = await atFirstEpoch(createDerivationWorld({ forks: forksUpTo('ecotone') }))
    assert.equal(ecotone.eip1559Params, null)
    assert.equal(infoOf(ecotone).format, 'ecotone')
    const isthmus = await atFirstEpoch(createDerivationWorld({ forks: forksUpTo('isthmus') }))
    assert.equal(isthmus.minBaseFeeWei, null)
    assert.equal(infoOf(isthmus).format, 'isthmus')
  })

  for (const [fork, before, format, upgrades] of [
    ['ecotone', 'delta', 'bedrock', 6],
    ['fjord', 'ecotone', 'ecotone', 3],
    ['isthmus', 'holocene', 'ecotone', 8],
    ['jovian', 'isthmus', 'isthmus', 5],
    ['karst', 'jovian', 'jovian', 31],
  ] as const) {
    it(`activates ${fork} with ${upgrades} transactions after the deposits, once, with the previous fork's L1 info`, async () => {
      const forks = { ...forksUpTo(before), [fork]: GENESIS_TIME_SEC + 4 }
      const world = createDerivationWorld({ forks })
      emit(world, depositLog('11'))
      const attributes = await atFirstEpoch(world)
      assert.equal(infoOf(attributes).format, format)
      assert.equal(deposits(attributes)[1]?.valueWei, 0x11n)
      assert.equal(attributes.transactions.length, 2 + upgrades)
      await world.sequenceWith(world.l1.head, [])
      assert.equal((await world.builder.build(world.unsafe(), world.l1.head)).transactions.length, 1)
    })
  }

  it('derives across the activation of every fork', async () => {
    const names = ['canyon', 'delta', 'ecotone', 'fjord', 'granite', 'holocene', 'isthmus', 'jovian', 'karst']
    const times = Object.fromEntries(names.map((name, i) => [name, GENESIS_TIME_SEC + 8 * (i + 1)]))
    const world = createDerivationWorld({ forks: { regolith: 0, ...times } })
    for (let i = 0; i < 20; i++) {
      world.l1.mine(1)
      world.submitter.submit(await world.sequence(2, 1), { batches: 'singular', compression: 'zlib', carrier: 'calldata' })
    }
    world.l1.mine(1)
    await world.derive()
    assert.equal(world.derived.head.blockNumber, 40)
    assert.deepEqual(world.derived.hashes, world.sequenced.hashes)
  })

  it('rejects origins that do not follow the parent', async () => {
    const world = createDerivationWorld()
    world.l1.mine(3)
    const mismatch = { code: 'derivation/l2-parent-mismatch', severity: 'reset' }
    await assert.rejects(world.builder.build(world.unsafe(), { ...world.l1.genesis, hash: world.l1.head.hash }), mismatch)
    await assert.rejects(world.builder.build(world.unsafe(), world.l1.head), mismatch)
    const one = world.l1.block(1)?.ref
    assert.ok(one)
    await assert.rejects(world.builder.build(world.unsafe(), one), /would precede its L1 origin/)
  })

  it('asks for a reset when L1 does not know the origin', async () => {
    const world = createDerivationWorld()
    const parent: L2BlockRef = { ...world.unsafe(), l1Origin: { hash: ZERO_HASH, number: 0 } }
    await assert.rejects(world.builder.build(parent, parent.l1Origin), { code: 'derivation/l1-reorg', severity: 'reset' })
  })

  it('retries when the parent is unavailable', async () => {
    const world = createDerivationWorld()
    world.l1.mine(1)
    await world.sequence(1, 0)
    const builder = createAttributesBuilder(world.config, world.l1.chain, { l1: world.l1.reader, l2: { payload: async () => null } })
    await assert.rejects(builder.build(world.unsafe(), world.l1.head), { code: 'derivation/l2-unavailable', severity: 'temporary' })
  })

  it('stops at a malformed deposit', async () => {
    const world = createDerivationWorld()
    const log = depositLog('1')
    emit(world, { ...log, data: log.data.subarray(0, 64) })
    await assert.rejects(atFirstEpoch(world), { code: 'derivation/deposit-malformed', severity: 'critical' })
  })

  it('reports whether a block may include user transactions', () => {
    const world = createDerivationWorld({ forks: { ...forksUpTo('isthmus'), jovian: GENESIS_TIME_SEC + 4 } })
    const { genesis } = world.l1
    const parent = world.unsafe()
    const at = (timestampSec: number): L2BlockRef => ({ ...parent, timestampSec: timestampSec as L2BlockRef['timestampSec'] })
    assert.equal(mayIncludeTransactions(world.config, parent, genesis), true)
    assert.equal(mayIncludeTransactions(world.config, at(GENESIS_TIME_SEC + 2), genesis), false, 'the block that activates a fork')
    assert.equal(mayIncludeTransactions(world.config, at(GENESIS_TIME_SEC + 1798), genesis), true)
    assert.equal(mayIncludeTransactions(world.config, at(GENESIS_TIME_SEC + 1800), genesis), false)
  })

  it('replaces an invalid payload by its deposits', async () => {
    const world = createDerivationWorld()
    const attributes = await atFirstEpoch(world)
    const replaced = depositsOnly({ ...attributes, transactions: [...attributes.transactions, world.userTransaction()] })
    assert.deepEqual(replaced, attributes)
  })
})
