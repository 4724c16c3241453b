/** Tests the formats of the package README byte by byte. */
import assert from 'node:assert/strict'
import {
  bytesToHex,
  EMPTY_CODE_HASH_BYTES,
  EMPTY_TRIE_ROOT_BYTES,
  encodeStateDiff,
  type Hash,
  hexToBytes,
  rlpEncodeList,
} from '@keelson/primitives'
import { decodeFlatAccount, encodeFlatAccount } from './account-codec.ts'
import { BUCKETS, blockNumberBytes, prefixRange, RETIRED_BUCKETS } from './buckets.ts'
import { bytesToKey, keyToBytes } from './byte-key.ts'
import { decodeDiskMarker, encodeDiskMarker } from './disk/disk-marker.ts'
import { addToBlockSet, blockSetMembers, nextInBlockSet, removeFromBlockSet } from './history/block-set.ts'
import { applyBranchDelta, encodeBranchDelta } from './history/branch-delta.ts'
import { decodeHistoryBlock, encodeHistoryBlock, encodeHistoryBounds } from './history/history-block.ts'
import { historyIndexKey } from './history/history-index.ts'
import { historyValueKey } from './history/history-value.ts'
import { decodeLayerRecord, encodeLayerRecord } from './layers/layer-record.ts'
import { decodeNodeChanges, packNodeChanges } from './trie/node-changes.ts'

const rep = (byte: string, times: number) => byte.repeat(times)
const hashOf = (byte: string) => `0x${rep(byte, 32)}` as Hash
const hex = (bytes: Uint8Array) => bytesToHex(bytes).slice(2)

describe('formats on disk', () => {
  it('give every bucket a unique number below 0x40', () => {
    const numbers = [...Object.values(BUCKETS), ...Object.values(RETIRED_BUCKETS)]
    assert.equal(new Set(numbers).size, numbers.length)
    for (const number of numbers) assert.ok(number >= 0x10 && number < 0x40)
    assert.deepEqual(BUCKETS, {
      meta: 0x10,
      account: 0x11,
      slot: 0x12,
      code: 0x13,
      accountNode: 0x14,
      storageNode: 0x15,
      preimage: 0x16,
      layer: 0x17,
      historyValue: 0x20,
      historyIndex: 0x21,
      historyBlock: 0x22,
    })
  })

  it('omit the hashes of accounts without storage and code', () => {
    const plain = { nonce: 5n, balanceWei: 256n, storageRoot: EMPTY_TRIE_ROOT_BYTES, codeHash: EMPTY_CODE_HASH_BYTES }
    assert.equal(hex(encodeFlatAccount(plain)), 'c6058201008080')
    assert.deepEqual(decodeFlatAccount(hexToBytes('0xc6058201008080')), plain)
    const contract = { ...plain, storageRoot: hexToBytes(hashOf('11')), codeHash: hexToBytes(hashOf('22')) }
    assert.equal(hex(encodeFlatAccount(contract)), `f84605820100a0${rep('11', 32)}a0${rep('22', 32)}`)
    assert.deepEqual(decodeFlatAccount(encodeFlatAccount(contract)), contract)
  })

  it('encode the disk marker', () => {
    const block = { hash: hashOf('aa'), number: 2 ** 32 + 7, stateRoot: hashOf('bb') }
    assert.equal(hex(encodeDiskMarker(block)), `01${rep('aa', 32)}000100000007${rep('bb', 32)}`)
    assert.deepEqual(decodeDiskMarker(encodeDiskMarker(block)), block)
    assert.throws(() => decodeDiskMarker(Uint8Array.of(2)), { code: 'state/corrupt-record' })
  })

  it('encode trie node changes', () => {
    const changes = new Map([
      ['\x14\x01', Uint8Array.of(0xc1, 0x80)],
      ['\x14', null],
    ])
    assert.equal(hex(packNodeChanges(changes).packed), '00000002' + '021401' + '00000002' + 'c180' + '0114' + '00000000')
    assert.deepEqual(decodeNodeChanges(packNodeChanges(changes).packed), changes)
    assert.deepEqual(packNodeChanges(changes).views, changes)
    assert.throws(() => decodeNodeChanges(packNodeChanges(changes).packed.subarray(0, 12)), { code: 'state/corrupt-record' })
  })

  it('encode a layer record', () => {
    const diff = encodeStateDiff({
      accounts: [
        {
          address: new Uint8Array(20),
          deleted: false,
          storageReset: false,
          nonce: 1n,
          balanceWei: 2n,
          codeHash: EMPTY_CODE_HASH_BYTES,
          slots: [],
        },
      ],
      codes: [],
    })
    const roots = { stateRoot: hexToBytes(hashOf('cc')), storageRoots: [hexToBytes(hashOf('dd'))] }
    const record = encodeLayerRecord({
      hash: hashOf('aa'),
      parentHash: hashOf('bb'),
      number: 258,
      diff,
      nodes: new Uint8Array(4),
      ...roots,
    })
    const expected = `01${rep('aa', 32)}${rep('bb', 32)}0000000000000102${rep('cc', 32)}00000069${hex(diff)}0000000400000000${rep('dd', 32)}`
    assert.equal(hex(record), expected)
    const decoded = decodeLayerRecord(record)
    assert.deepEqual([decoded.hash, decoded.parentHash, decoded.number], [hashOf('aa'), hashOf('bb'), 258])
    assert.deepEqual(decoded.diff, diff)
    assert.equal(decoded.storageRoots.length, 1)
    assert.throws(() => decodeLayerRecord(record.subarray(0, 200)), { code: 'state/corrupt-record' })
    assert.throws(() => decodeLayerRecord(Uint8Array.of(9, ...record.subarray(1))), { code: 'state/corrupt-record' })
  })

  it('key history by versioned key and block', () => {
    assert.equal(hex(keyToBytes(historyValueKey('\x11ab', 258))), '20' + '116162' + '000000000102')
    assert.equal(hex(keyToBytes(historyIndexKey(2, '\x11ab', 258))), '21' + '02' + '116162' + '00000102')
    assert.equal(hex(blockNumberBytes(2 ** 47)), '800000000000')
    const record = encodeHistoryBlock({
      hash: hashOf('aa'),
      parentHash: hashOf('bb'),
      parentStateRoot: hexToBytes(hashOf('cc')),
      bytes: 300,
      keys: ['\x11a', '\x14'],
    })
    assert.equal(hex(record), `01${rep('aa', 32)}${rep('bb', 32)}${rep('cc', 32)}00000000012c000000020211610114`)
    assert.deepEqual(decodeHistoryBlock(record).keys, ['\x11a', '\x14'])
    assert.equal(hex(encodeHistoryBounds({ oldest: 1, newest: 2, bytes: 3 })), '000000000001000000000002000000000003')
  })

  it('encode sets of up to 31 members as a list, larger ones as a bitmap', () => {
    let set: Uint8Array | null = null
    for (const member of [200, 3, 255, 3]) set = addToBlockSet(set, member)
    assert.equal(hex(set as Uint8Array), '03c8ff')
    assert.equal(nextInBlockSet(set, 4), 200)
    assert.equal(nextInBlockSet(set, 256), null)
    for (let i = 0; i < 60; i += 2) set = addToBlockSet(set, i)
    assert.equal(set?.length, 32)
    assert.equal(blockSetMembers(set).length, 33)
    assert.equal(set?.[0], 0b01011101)
    for (let i = 0; i < 60; i += 2) set = removeFromBlockSet(set, i)
    assert.equal(hex(set as Uint8Array), '03c8ff')
    for (const member of [3, 200, 255]) set = removeFromBlockSet(set, member)
    assert.equal(set, null)
  })

  it('encode a branch as a delta to its successor', () => {
    const branch = (children: Readonly<Record<number, string>>) =>
      rlpEncodeList(
        Array.from({ length: 17 }, (_, i) =>
          children[i] === undefined ? Uint8Array.of(0x80) : Uint8Array.of(0xa0, ...hexToBytes(hashOf(children[i]))),
        ),
      )
    const older = branch({ 0: '11', 1: '22', 9: '33' })
    const newer = branch({ 0: '11', 1: '44', 15: '55' })
    const delta = encodeBranchDelta(older, newer) as Uint8Array
    assert.equal(hex(delta), `82020202${rep('22', 32)}${rep('33', 32)}`)
    assert.deepEqual(applyBranchDelta(newer, delta), older)
    assert.equal(encodeBranchDelta(older, rlpEncodeList([Uint8Array.of(0x20), Uint8Array.of(1)])), null)
  })

  it('bound all keys with a prefix', () => {
    assert.deepEqual(prefixRange(Uint8Array.of(0x12, 0xff, 0xff)).to, Uint8Array.of(0x13))
    assert.deepEqual(prefixRange(Uint8Array.of(0x12, 0x01)).to, Uint8Array.of(0x12, 0x02))
    assert.equal(bytesToKey(Uint8Array.of(0, 255)), '\x00\xff')
  })
})
