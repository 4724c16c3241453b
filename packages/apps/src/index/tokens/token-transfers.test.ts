import assert from 'node:assert/strict'
import { addressWord, encodeParameters, eventTopic } from '@keelson/contracts'
import { bytesToHex, type Hash, type Hex, toAddress } from '@keelson/primitives'
import { transfersOf } from './token-transfers.ts'

const TOKEN = toAddress(`0x${'70'.repeat(20)}`)
const ALICE = toAddress(`0x${'a1'.repeat(20)}`)
const BOB = toAddress(`0x${'b0'.repeat(20)}`)
const TRANSFER = eventTopic('Transfer(address,address,uint256)')
const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}` as Hash
const log = (topics: readonly Hash[], data: Hex = '0x') => transfersOf({ position: 0, address: TOKEN, topics, data })
const moved = { token: TOKEN, sender: ALICE, recipient: BOB }
const parties = [addressWord(ALICE), addressWord(BOB)]

describe('token transfers in logs', () => {
  it('are amounts of EIP-20 and single tokens of EIP-721', () => {
    assert.deepEqual(log([TRANSFER, ...parties], word(5n)), [{ ...moved, kind: 20, tokenId: null, amount: 5n }])
    assert.deepEqual(log([TRANSFER, ...parties, word(9n)]), [{ ...moved, kind: 721, tokenId: 9n, amount: 1n }])
  })

  it('are one or many tokens of EIP-1155', () => {
    const single = eventTopic('TransferSingle(address,address,address,uint256,uint256)')
    const batch = eventTopic('TransferBatch(address,address,address,uint256[],uint256[])')
    const data = (ids: readonly bigint[], amounts: readonly bigint[]) => bytesToHex(encodeParameters('uint256[],uint256[]', [ids, amounts]))
    const topics = (event: Hash) => [event, addressWord(BOB), ...parties]
    const one = { ...moved, kind: 1155, tokenId: 3n, amount: 4n }
    assert.deepEqual(log(topics(single), `0x${word(3n).slice(2)}${word(4n).slice(2)}`), [one])
    assert.deepEqual(log(topics(batch), data([3n, 5n], [4n, 6n])), [one, { ...one, tokenId: 5n, amount: 6n }])
    assert.deepEqual(log(topics(batch), data([3n, 5n], [4n])), [])
    assert.deepEqual(log(topics(batch), `0x${word(64n).slice(2)}${word(2n ** 200n).slice(2)}`), [])
  })

  it('are nothing when a log only looks like one', () => {
    assert.deepEqual(log([TRANSFER, ...parties]), [])
    assert.deepEqual(log([TRANSFER, word(2n ** 160n), addressWord(BOB)], word(5n)), [])
    assert.deepEqual(log([TRANSFER, ...parties, word(9n)], word(1n)), [])
    assert.deepEqual(log([]), [])
  })
})
