import assert from 'node:assert/strict'
import { bytesToHex, hexToBytes, type Log, type Receipt, type SystemConfig, toAddress, toHash, ZERO_HASH } from '@keelson/primitives'
import { encodeFeeScalars } from './fee-scalars.ts'
import { applySystemConfigLog, applySystemConfigLogs, CONFIG_UPDATE_TOPIC } from './system-config-log.ts'

const CONTRACT = toAddress(`0x${'5c'.repeat(20)}`)
const BEFORE: SystemConfig = {
  batcherAddress: toAddress(`0x${'01'.repeat(20)}`),
  overhead: new Uint8Array(32),
  scalar: encodeFeeScalars({ baseFeeScalar: 1, blobBaseFeeScalar: 2 }),
  gasLimit: 30_000_000n,
  eip1559Params: new Uint8Array(8),
  operatorFeeScalar: 0,
  operatorFeeConstant: 0n,
  minBaseFeeWei: 0n,
  daFootprintGasScalar: 0,
}
const word = (hex: string) => hex.padStart(64, '0')
const VERSIONED = { versionedFeeScalars: true }

function update(kind: number, ...words: string[]): Log {
  const data = hexToBytes(`0x${word('20')}${word((32 * words.length).toString(16))}${words.map(word).join('')}`)
  return { address: CONTRACT, topics: [CONFIG_UPDATE_TOPIC, ZERO_HASH, toHash(`0x${word(kind.toString(16))}`)], data }
}

const apply = (log: Log) => applySystemConfigLog(BEFORE, log, VERSIONED)
const CODE = { code: 'codec/system-config' }
const UNKNOWN = { code: 'codec/system-config-unknown' }

describe('system config updates', () => {
  it('set the batcher with type 0', () => {
    assert.equal(apply(update(0, 'ab'.repeat(20))).batcherAddress, `0x${'ab'.repeat(20)}`)
    assert.throws(() => apply(update(0, `01${'ab'.repeat(20)}`)), CODE)
  })

  it('set the scalar with type 1, and the overhead before Ecotone', () => {
    const scalar = bytesToHex(encodeFeeScalars({ baseFeeScalar: 9, blobBaseFeeScalar: 8 })).slice(2)
    const after = apply(update(1, 'ff', scalar))
    assert.equal(bytesToHex(after.scalar).slice(2), scalar)
    assert.deepEqual(after.overhead, new Uint8Array(32))
    const old = applySystemConfigLog(BEFORE, update(1, 'ff', '7b'), { versionedFeeScalars: false })
    assert.equal(old.overhead[31], 0xff)
    assert.equal(old.scalar[31], 0x7b)
  })

  it('keep the old scalar when the new one is not acceptable, and report it', () => {
    const unknownVersion = update(1, '0', `02${'00'.repeat(31)}`)
    const receipt: Receipt = {
      type: 2,
      outcome: { status: 1 },
      cumulativeGasUsed: 0n,
      logsBloom: new Uint8Array(256),
      logs: [unknownVersion],
      depositNonce: null,
      depositReceiptVersion: null,
    }
    const { config, skipped } = applySystemConfigLogs(BEFORE, [receipt], CONTRACT, VERSIONED)
    assert.equal(config, BEFORE)
    assert.equal(skipped.length, 1)
    assert.match(skipped[0]?.message ?? '', /^fee scalar 0x0200/)
  })

  it('set the gas limit, a uint64, with type 2', () => {
    assert.equal(apply(update(2, 'ffffffffffffffff')).gasLimit, 2n ** 64n - 1n)
    assert.throws(() => apply(update(2, '10000000000000000')), CODE)
  })

  it('ignore type 3, which only concerns gossip', () => {
    assert.equal(apply(update(3, 'ab'.repeat(20))), BEFORE)
  })

  it('set the EIP-1559 parameters with type 4', () => {
    assert.equal(bytesToHex(apply(update(4, '000000fa00000006')).eip1559Params), '0x000000fa00000006')
  })

  it('set the operator fee with type 5', () => {
    const after = apply(update(5, '0000abcd000000000000dcba'))
    assert.equal(after.operatorFeeScalar, 0xabcd)
    assert.equal(after.operatorFeeConstant, 0xdcban)
  })

  it('set the minimum base fee with type 6 and the DA footprint scalar with type 7', () => {
    assert.equal(apply(update(6, '3b9aca00')).minBaseFeeWei, 1_000_000_000n)
    assert.equal(apply(update(7, 'ffff')).daFootprintGasScalar, 0xffff)
    assert.throws(() => apply(update(7, '10000')), CODE)
  })

  it('are rejected with unknown types or versions, wrong topics or lengths', () => {
    assert.throws(() => apply(update(8, '1')), UNKNOWN)
    assert.throws(() => apply(update(2, '1', '2')), CODE)
    const log = update(2, '1')
    assert.throws(() => apply({ ...log, topics: log.topics.slice(0, 2) }), CODE)
    assert.throws(() => apply({ ...log, topics: [CONFIG_UPDATE_TOPIC, toHash(`0x${word('1')}`), log.topics[2] as never] }), UNKNOWN)
    assert.throws(() => apply({ ...log, data: log.data.subarray(0, 64) }), CODE)
  })

  it('apply in order from successful transactions; malformed ones are skipped', () => {
    const receipt = (status: 0 | 1, ...logs: Log[]): Receipt => ({
      type: 2,
      outcome: { status },
      cumulativeGasUsed: 0n,
      logsBloom: new Uint8Array(256),
      logs,
      depositNonce: null,
      depositReceiptVersion: null,
    })
    const elsewhere = { ...update(2, '1'), address: toAddress(`0x${'5d'.repeat(20)}`) }
    const { config, skipped } = applySystemConfigLogs(
      BEFORE,
      [receipt(1, update(2, '10'), elsewhere, update(9, '1'), update(2, '11')), receipt(0, update(2, '12'))],
      CONTRACT,
      VERSIONED,
    )
    assert.equal(config.gasLimit, 0x11n)
    assert.deepEqual(skipped, [{ reason: 'system-config-unknown', message: 'ConfigUpdate of type 9 is not known' }])
  })
})
