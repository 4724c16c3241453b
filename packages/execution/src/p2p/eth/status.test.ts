import assert from 'node:assert/strict'
import { bytesToHex, rlpDecode, rlpEncode, toHash } from '@keelson/primitives'
import { decodeBlockRange, decodeStatus, encodeStatus, judgeStatus, type LocalStatus } from './status.ts'

const GENESIS = toHash(new Uint8Array(32).fill(1))
const HEAD = toHash(new Uint8Array(32).fill(2))
const LOCAL: LocalStatus = {
  networkId: 10n,
  genesis: GENESIS,
  forkId: { hash: 0xfc64ec04, next: 1_150_000n },
  totalDifficulty: 5n,
  range: { earliest: 0n, latest: 600n, latestHash: HEAD },
}
const accept = () => ({ kind: 'accepted' }) as const

describe('eth status', () => {
  it('has the fields of eth/68: version, network, total difficulty, head, genesis, fork id', () => {
    const [version, network, difficulty, head, genesis, fork] = rlpDecode(encodeStatus(68, LOCAL)) as Uint8Array[]
    assert.deepEqual(
      [version, network, difficulty].map((item) => bytesToHex(item as Uint8Array)),
      ['0x44', '0x0a', '0x05'],
    )
    assert.deepEqual([bytesToHex(head as Uint8Array), bytesToHex(genesis as Uint8Array)], [HEAD, GENESIS])
    assert.deepEqual(fork, rlpDecode(rlpEncode([Uint8Array.of(0xfc, 0x64, 0xec, 0x04), 1_150_000])))
  })

  it('has the fields of eth/69: version, network, genesis, fork id, earliest, latest, latest hash', () => {
    const fields = rlpDecode(encodeStatus(69, LOCAL)) as Uint8Array[]
    assert.equal(fields.length, 7)
    assert.deepEqual([fields[4], fields[5], fields[6]], [new Uint8Array(0), Uint8Array.of(2, 88), new Uint8Array(32).fill(2)])
  })

  it('is read by the other side', () => {
    const { networkId, genesis, forkId, range } = LOCAL
    assert.deepEqual(decodeStatus(69, encodeStatus(69, LOCAL)), { networkId, genesis, forkId, head: HEAD, range })
    assert.deepEqual(decodeStatus(68, encodeStatus(68, LOCAL)), { networkId, genesis, forkId, head: HEAD, range: null })
  })

  it('is refused for another version than that of the session, and for a range that ends before it begins', () => {
    assert.throws(() => decodeStatus(69, encodeStatus(68, LOCAL)), { name: 'CodecError', message: /eth\/68 in a session of eth\/69/ })
    assert.throws(() => decodeBlockRange(rlpEncode([10, 8, new Uint8Array(32)])), { name: 'CodecError', message: /from 10 to 8/ })
  })

  it('names what differs', () => {
    const remote = decodeStatus(69, encodeStatus(69, LOCAL))
    assert.equal(judgeStatus(remote, LOCAL, accept), null)
    assert.match(judgeStatus({ ...remote, networkId: 11n }, LOCAL, accept) ?? '', /network id 11; expected 10/)
    assert.match(judgeStatus({ ...remote, genesis: HEAD }, LOCAL, accept) ?? '', /genesis/)
    const refuse = () => ({ kind: 'refused', reason: 'incompatible', detail: 'of another chain' }) as const
    assert.equal(judgeStatus(remote, LOCAL, refuse), 'of another chain')
  })
})
