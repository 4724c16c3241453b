import assert from 'node:assert/strict'
import { bytesToHex, hexToBytes, type Log, type Receipt, toAddress, toHash, userDepositSourceHash, ZERO_HASH } from '@keelson/primitives'
import { DEPOSIT_EVENT_TOPIC, decodeDepositLog, depositsOf } from './deposit-log.ts'

const PORTAL = toAddress(`0x${'de'.repeat(20)}`)
const BLOCK = toHash(`0x${'b1'.repeat(32)}`)
const word = (hex: string) => hex.padStart(64, '0')
const FROM = 'aa'.repeat(20)
const TO = 'bb'.repeat(20)

function deposit(calldata: string, changes: { creation?: string; length?: number; padding?: number; version?: string } = {}): Log {
  const opaque = `${word('05')}${word('06')}${'00000000000186a0'}${changes.creation ?? '00'}${calldata}`
  const length = changes.length ?? opaque.length / 2
  const padded = opaque.padEnd(Math.ceil(opaque.length / 64) * 64 + (changes.padding ?? 0) * 64, '0')
  return {
    address: PORTAL,
    topics: [DEPOSIT_EVENT_TOPIC, ...[FROM, TO, changes.version ?? '0'].map((hex) => toHash(`0x${word(hex)}`))],
    data: hexToBytes(`0x${word('20')}${word(length.toString(16))}${padded}`),
  }
}

const CODE = { code: 'codec/deposit-log' }

describe('deposit log', () => {
  it('becomes a deposit transaction', () => {
    const tx = decodeDepositLog(deposit('c0ffee'), BLOCK, 3)
    assert.equal(bytesToHex(tx.from), `0x${FROM}`)
    assert.equal(tx.to && bytesToHex(tx.to), `0x${TO}`)
    assert.equal(tx.mintWei, 5n)
    assert.equal(tx.valueWei, 6n)
    assert.equal(tx.gasLimit, 100_000n)
    assert.equal(bytesToHex(tx.data), '0xc0ffee')
    assert.equal(tx.isSystemTx, false)
    assert.deepEqual(tx.sourceHash, userDepositSourceHash(BLOCK, 3))
  })

  it('creates a contract when isCreation is set, whatever the target', () => {
    assert.equal(decodeDepositLog(deposit('00', { creation: '01' }), BLOCK, 0).to, null)
    assert.equal(decodeDepositLog(deposit('00', { creation: 'ff' }), BLOCK, 0).to, null)
  })

  it('holds data that fills its words exactly', () => {
    // 73 bytes precede the data, so 23 fill the third word
    assert.equal(decodeDepositLog(deposit('11'.repeat(23)), BLOCK, 0).data.length, 23)
    assert.equal(decodeDepositLog(deposit(''), BLOCK, 0).data.length, 0)
  })

  it('rejects other versions, missing topics, wrong lengths and wrong padding', () => {
    const log = deposit('c0ffee')
    assert.throws(() => decodeDepositLog(deposit('c0ffee', { version: '1' }), BLOCK, 0), CODE)
    assert.throws(() => decodeDepositLog({ ...log, topics: log.topics.slice(0, 3) }, BLOCK, 0), CODE)
    assert.throws(() => decodeDepositLog({ ...log, topics: [ZERO_HASH, ...log.topics.slice(1)] }, BLOCK, 0), CODE)
    assert.throws(() => decodeDepositLog({ ...log, data: log.data.subarray(1) }, BLOCK, 0), CODE)
    assert.throws(() => decodeDepositLog({ ...log, data: log.data.subarray(0, 32) }, BLOCK, 0), CODE)
    assert.throws(() => decodeDepositLog(deposit('c0ffee', { padding: 1 }), BLOCK, 0), CODE)
    assert.throws(() => decodeDepositLog(deposit('c0ffee', { length: 97 }), BLOCK, 0), CODE)
    assert.throws(() => decodeDepositLog(deposit('c0ffee', { length: 72 }), BLOCK, 0), CODE)
  })

  it('counts all logs of the block, including those of other contracts and failed transactions', () => {
    const other: Log = { address: toAddress(`0x${'0e'.repeat(20)}`), topics: [], data: new Uint8Array(0) }
    const receipt = (status: 0 | 1, ...logs: Log[]): Receipt => ({
      type: 2,
      outcome: { status },
      cumulativeGasUsed: 0n,
      logsBloom: new Uint8Array(256),
      logs,
      depositNonce: null,
      depositReceiptVersion: null,
    })
    const elsewhere = { ...deposit('03'), address: other.address }
    const deposits = depositsOf(
      [receipt(1, other, deposit('01')), receipt(0, deposit('02')), receipt(1, elsewhere, deposit('04'))],
      BLOCK,
      PORTAL,
    )
    assert.deepEqual(
      deposits.map((tx) => [bytesToHex(tx.data), bytesToHex(tx.sourceHash)]),
      [
        ['0x01', bytesToHex(userDepositSourceHash(BLOCK, 1))],
        ['0x04', bytesToHex(userDepositSourceHash(BLOCK, 4))],
      ],
    )
  })
})
