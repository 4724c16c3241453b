import assert from 'node:assert/strict'
import { bytesToHex, concatBytes, hexToBytes, rlpDecode, rlpEncode } from '@keelson/primitives'
import { type MessageSession, translateIn } from './wire-forms.ts'

/** Neither encrypts nor decrypts. */
function openSession(): MessageSession {
  const session: MessageSession = { encryptMessage: (_from, _to, message) => message, decryptMessage: (_nonce, message) => message }
  translateIn(session)
  return session
}

const NONE = new Uint8Array(0)
const message = (type: number, ...items: Parameters<typeof rlpEncode>[0][]) => concatBytes(Uint8Array.of(type), rlpEncode(items))
const received = (session: MessageSession, raw: Uint8Array) => session.decryptMessage(NONE, raw, NONE)
const sent = (session: MessageSession, raw: Uint8Array) => session.encryptMessage('', '', raw) as Uint8Array
const itemsOf = (raw: Uint8Array) => (rlpDecode(raw.subarray(1)) as Uint8Array[]).map((item) => bytesToHex(item))

describe('messages of discovery', () => {
  it('are answered with the id of the request, leading zeros and all', () => {
    // how the library writes the number that it takes the id for
    for (const [id, number] of [
      ['0x00000001', '0x01'],
      ['0x0000000000000002', '0x02'],
      ['0x00', '0x00'],
      ['0x', '0x00'],
      ['0x0102030405060708', '0x0102030405060708'],
    ] as const) {
      const session = openSession()
      received(session, message(1, hexToBytes(id), 5n))
      const answer = sent(session, message(2, hexToBytes(number), 7n, Uint8Array.of(127, 0, 0, 1), 30303))
      assert.deepEqual([answer[0], itemsOf(answer)], [2, [id, '0x07', '0x7f000001', '0x765f']])
    }
  })

  it('may have an empty id and an empty sequence number, which the library cannot read', () => {
    const session = openSession()
    assert.deepEqual(itemsOf(received(session, message(1, NONE, 0n))), ['0x00', '0x00'])
    assert.deepEqual(itemsOf(received(session, message(1, 7n, 0n))), ['0x07', '0x00'])
    assert.deepEqual(itemsOf(received(session, message(5, NONE, NONE, NONE))), ['0x00', '0x', '0x'])
    for (const raw of [message(1, 7n, 5n), message(5, 7n, NONE, NONE), message(4, 7n, 1n, [])])
      assert.deepEqual(received(session, raw), raw)
  })

  it('of our own keep their ids', () => {
    const session = openSession()
    received(session, message(1, hexToBytes('0x0005'), 5n))
    for (const raw of [message(1, 5n, 1n), message(3, 5n, [1]), message(2, 6n, 1n), Uint8Array.of(2), Uint8Array.of(2, 0xff), NONE]) {
      assert.deepEqual(sent(session, raw), raw)
    }
  })

  it('with an id of more than 8 bytes are dropped', () => {
    assert.deepEqual(received(openSession(), message(1, new Uint8Array(9).fill(1), 5n)), Uint8Array.of(0))
  })

  it('are remembered by the last 16 ids of a session', () => {
    const session = openSession()
    for (let i = 1; i <= 17; i++) received(session, message(1, Uint8Array.of(0, i), 5n))
    assert.equal(itemsOf(sent(session, message(2, 1n, 7n)))[0], '0x01')
    assert.equal(itemsOf(sent(session, message(2, 17n, 7n)))[0], '0x0011')
  })

  it('that are malformed do no harm', () => {
    const session = openSession()
    for (const raw of [NONE, Uint8Array.of(1), Uint8Array.of(1, 0x80), Uint8Array.of(1, 0xc1, 0xc0), Uint8Array.of(1, 0xf8)]) {
      assert.deepEqual(received(session, raw), raw)
    }
  })
})
